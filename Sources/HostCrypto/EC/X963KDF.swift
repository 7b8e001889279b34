// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// The key derivation function of ANSI X9.63 (SEC 1, 3.6.1), which PKCS #11 names after the hash function:
/// `CKD_SHA1_KDF` and its like.
package enum X963KDF {
    /// `count` bytes of Hash(Z ‖ 1 ‖ info) ‖ Hash(Z ‖ 2 ‖ info) ‖ …, the counter being of 32 bits.
    ///
    /// - Throws: ``HostCryptoError/invalidParameter`` for more than 2¹⁶ blocks, which no protocol needs;
    ///   ``HostCryptoError/libraryFailure``.
    ///
    /// Constant time in its secret inputs, the shared secret.
    package static func derive(
        from sharedSecret: borrowing Secret, info: [UInt8], count: Int, _ algorithm: DigestAlgorithm
    ) throws(HostCryptoError) -> Secret {
        guard (0...(algorithm.size << 16)).contains(count) else { throw .invalidParameter }
        var key = Secret(count: 0)
        for counter in stride(from: 1 as UInt32, through: .max, by: 1) {
            guard key.count < count else { break }
            let block = try block(counter, sharedSecret, info, algorithm)
            key = key.appending(block.bytes)
        }
        return key.extracting(0..<count)
    }

    private static func block(
        _ counter: UInt32, _ sharedSecret: borrowing Secret, _ info: [UInt8], _ algorithm: DigestAlgorithm
    ) throws(HostCryptoError) -> Secret {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
        var digest = try Digest(algorithm)
        digest.update(sharedSecret.bytes)
        digest.update(bytes.span)
        digest.update(info.span)
        return try digest.finalize()
    }
}
