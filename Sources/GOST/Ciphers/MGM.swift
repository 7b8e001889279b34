// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The multilinear Galois mode (RFC 9058): encryption with authentication.
package struct MGM: ~Copyable, Sendable {
    private let block: SecretBox<gost_block>
    private let blockSize, tagLength: Int

    /// A mode with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter tagLength: The bytes of the tag, from 4 to a block, of which it has all by default.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidLength`` for the tag's.
    package init(_ algorithm: CipherAlgorithm, key: Span<UInt8>, tagLength: Int? = nil) throws(GOSTError) {
        let size = algorithm.blockSize
        let length = tagLength ?? size
        guard (4...size).contains(length) else { throw .invalidLength }
        block = try SecretBox(algorithm, key: key)
        (blockSize, self.tagLength) = (size, length)
    }

    /// The ciphertext of `plaintext`, as long, followed by the tag. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - nonce: One block whose first bit is zero, unique under the key.
    ///   - authenticated: Data that the tag covers and the result does not hold.
    /// - Throws: ``GOSTError/invalidIVLength`` for an invalid `nonce`, or ``GOSTError/invalidLength`` for no data at
    ///   all or too much: 2^(n/2) bits or more.
    package func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating authenticated: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        var message = try SecretBox(block, nonce: nonce)
        try message.authenticate(authenticated)
        var result = Secret(copying: plaintext, zeros: tagLength)
        var bytes = result.mutableBytes
        var text = bytes._mutatingExtracting(0..<plaintext.count)
        try message.update(&text, enciphering: true)
        let tag = try message.end(blockSize: blockSize)
        for index in 0..<tagLength { bytes[plaintext.count + index] = tag.bytes[index] }
        return result
    }

    /// The plaintext of what ``seal(_:nonce:authenticating:)`` made, after its tag has been verified. Constant time in
    /// its secret inputs.
    ///
    /// - Throws: As `seal`, ``GOSTError/invalidLength`` if `sealed` is shorter than a tag, or
    ///   ``GOSTError/authenticationFailed``.
    package func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, authenticating authenticated: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        guard sealed.count >= tagLength else { throw .invalidLength }
        let ciphertext = sealed.extracting(droppingLast: tagLength)
        var message = try SecretBox(block, nonce: nonce)
        try message.authenticate(authenticated)
        var result = Secret(copying: ciphertext)
        var bytes = result.mutableBytes
        try message.update(&bytes, enciphering: false)
        let tag = try message.end(blockSize: blockSize)
        let code = sealed.extracting(droppingFirst: ciphertext.count)
        guard published(constantTimeEqual(tag.bytes.extracting(first: tagLength), code)) else {
            throw .authenticationFailed
        }
        return result
    }
}
