// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension PublicKeyInfo {
    /// Verifies a signature in the form that X.509 and CMS have it in.
    ///
    /// - Parameters:
    ///   - signature: s ‖ r of GOST, an ECDSA-Sig-Value, or that of RSASSA-PKCS1-v1_5.
    ///   - digest: The digest of the signed content, by this hash function.
    /// - Returns: Whether the signature is valid. One of another form or length, or by a hash function that the key is
    ///   not used with, is not.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func isValidSignature(
        _ signature: [UInt8], of digest: [UInt8], _ algorithm: DigestAlgorithm
    ) throws(HostCryptoError) -> Bool {
        do throws(HostCryptoError) {
            switch self {
            case .rsa(let key):
                return try key.isValidSignature(signature.span, of: digest.span, .pkcs1DigestInfo(algorithm))
            case .ec(let key):
                guard let bare = Self.bare(signature, key.curve.coordinateSize) else { return false }
                return try key.isValidSignature(bare.span, of: digest.span)
            case .gost(let info):
                let expected = SignatureAlgorithm.gost(info.algorithm.algorithm).digest
                guard algorithm == expected else { return false }
                do throws(GOSTError) { return try info.key.isValidSignature(signature, digest: digest) } catch {
                    throw HostCryptoError(error)
                }
            }
        } catch {
            guard error != .libraryFailure, error != .outOfMemory else { throw error }
            return false
        }
    }

    /// r ‖ s of an ECDSA-Sig-Value (RFC 3279, 2.2.3); nil if malformed.
    private static func bare(_ der: [UInt8], _ size: Int) -> [UInt8]? {
        do throws(GOSTError) {
            var reader = DERReader(der.span)
            var numbers = DERReader(try reader.contents(.sequence))
            try reader.end()
            let r = try numbers.unsignedInteger(count: size)
            let s = try numbers.unsignedInteger(count: size)
            try numbers.end()
            return r + s
        } catch {
            return nil
        }
    }
}
