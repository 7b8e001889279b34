// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The export of keys KExp15 and its inverse KImp15 (RFC 9189, 8.2.1; R 1323565.1.017-2018).
package enum KExp15<Cipher: GOSTBlockCipher & ~Copyable> {
    /// The bytes K ‖ OMAC(IV ‖ K) under `authenticationKey`, enciphered with CTR under `encryptionKey`. Constant time
    /// in its secret inputs.
    ///
    /// - Parameters:
    ///   - key: The key to be exported, of any length but zero.
    ///   - iv: Half a block, unique under the same keys.
    /// - Throws: ``GOSTError/invalidKeyLength`` if one of both keys has not 32 bytes or there is nothing to export, or
    ///   ``GOSTError/invalidIVLength``.
    package static func wrap(
        _ key: Span<UInt8>, authenticationKey: Span<UInt8>, encryptionKey: Span<UInt8>, iv: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        guard !key.isEmpty else { throw .invalidKeyLength }
        var gamma = try CTR<Cipher>(key: encryptionKey, iv: iv)
        let code = try code(key, authenticationKey, iv)
        return gamma.update(Secret(copying: key).appending(code.bytes).bytes)
    }

    /// The key in what ``wrap(_:authenticationKey:encryptionKey:iv:)`` made. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, ``GOSTError/invalidLength`` if
    ///   `wrapped` is no longer than a MAC, or ``GOSTError/authenticationFailed``.
    package static func unwrap(
        _ wrapped: Span<UInt8>, authenticationKey: Span<UInt8>, encryptionKey: Span<UInt8>, iv: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        var gamma = try CTR<Cipher>(key: encryptionKey, iv: iv)
        guard wrapped.count > Cipher.blockSize else { throw .invalidLength }
        let opened = gamma.update(wrapped)
        let count = opened.count - Cipher.blockSize
        let code = try code(opened.bytes.extracting(first: count), authenticationKey, iv)
        try authenticate(opened.bytes.extracting(droppingFirst: count), as: code.bytes)
        return opened.extracting(0..<count)
    }

    private static func code(
        _ key: Span<UInt8>, _ authenticationKey: Span<UInt8>, _ iv: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        var code = try OMAC<Cipher>(key: authenticationKey)
        code.update(iv)
        code.update(key)
        return code.finalize()
    }
}
