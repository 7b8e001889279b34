// SPDX-License-Identifier: Apache-2.0

package import GOST
import Secrets

/// A public key as X.509 has it, of any algorithm that the host computes with: `CKA_PUBLIC_KEY_INFO`.
package enum PublicKeyInfo: Sendable, Equatable {
    /// RFC 3279, 2.3.1.
    case rsa(RSAPublicKey)
    /// RFC 5480, 2.
    case ec(ECPublicKey)
    /// RFC 9215, 4; RFC 4491, 2.3.2.
    case gost(SubjectPublicKeyInfo)

    /// Reads and checks a public key.
    ///
    /// - Parameter der: The whole of the structure in DER, and nothing behind it.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/invalidParameter`` for an algorithm or a curve
    ///   that is not known here; ``HostCryptoError/invalidKey``, ``HostCryptoError/unsupportedKeySize`` and
    ///   ``HostCryptoError/invalidPoint`` for the key; ``HostCryptoError/libraryFailure``.
    package init(der: Span<UInt8>) throws(HostCryptoError) {
        do throws(GOSTError) {
            self = .gost(try SubjectPublicKeyInfo(der: der))
        } catch {
            guard error == .invalidParameter else { throw HostCryptoError(error) }
            let fields: Fields
            do throws(GOSTError) { fields = try Fields(der) } catch { throw HostCryptoError(error) }
            self = try fields.key()
        }
    }

    /// The structure in DER.
    package var der: [UInt8] {
        switch self {
        case .gost(let info):
            info.der
        case .rsa(let key):
            Self.der(
                Self.rsaEncryption + DERTag.null.element([]),
                DERTag.sequence.element(
                    DERTag.unsignedInteger(key.modulus) + DERTag.unsignedInteger(key.publicExponent)))
        case .ec(let key):
            Self.der(Self.ecPublicKey + key.curve.oid, key.point)
        }
    }

    static let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    private static func der(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        DERTag.sequence.element(DERTag.sequence.element(algorithm) + DERTag.bitString.element([0] + key))
    }
}

/// The parts of a SubjectPublicKeyInfo of RSA or of an elliptic curve.
private struct Fields {
    /// The object identifier; the curve's, if the algorithm has curves.
    let algorithm, curve: [UInt8]
    /// The contents of the BIT STRING.
    let bytes: [UInt8]

    init(_ der: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(der)
        var info = DERReader(try reader.contents(.sequence))
        try reader.end()
        var identifier = DERReader(try info.contents(.sequence))
        algorithm = try identifier.objectIdentifier()
        switch algorithm {
        case PublicKeyInfo.rsaEncryption:
            guard try identifier.contents(.null).isEmpty else { throw .invalidEncoding }
            curve = []
        case PublicKeyInfo.ecPublicKey:
            curve = try identifier.objectIdentifier()
        default:
            throw .invalidParameter
        }
        try identifier.end()
        let bits = try info.contents(.bitString)
        try info.end()
        // The first byte is the number of unused bits in the last.
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        bytes = [UInt8](copying: bits.extracting(droppingFirst: 1))
    }

    func key() throws(HostCryptoError) -> PublicKeyInfo {
        if algorithm == PublicKeyInfo.rsaEncryption {
            let (modulus, publicExponent): ([UInt8], [UInt8])
            do throws(GOSTError) { (modulus, publicExponent) = try numbers() } catch { throw HostCryptoError(error) }
            return .rsa(try RSAPublicKey(modulus: modulus, publicExponent: publicExponent))
        }
        guard let curve = ECCurve(oid: curve) else { throw .invalidParameter }
        return .ec(try ECPublicKey(curve: curve, point: bytes))
    }

    /// n and e of an RSAPublicKey (RFC 8017, A.1.1).
    private func numbers() throws(GOSTError) -> ([UInt8], [UInt8]) {
        var reader = DERReader(bytes.span)
        var numbers = DERReader(try reader.contents(.sequence))
        try reader.end()
        let modulus = try numbers.unsignedInteger()
        let publicExponent = try numbers.unsignedInteger()
        try numbers.end()
        return (modulus, publicExponent)
    }
}

extension HostCryptoError {
    /// The error for a failure of reading with `GOST`.
    init(_ error: GOSTError) {
        self =
            switch error {
            case .invalidEncoding: .invalidEncoding
            case .invalidParameter: .invalidParameter
            case .invalidPoint: .invalidPoint
            case .outOfMemory: .outOfMemory
            case .authenticationFailed: .decryptionFailed
            case .randomUnavailable: .randomUnavailable
            default: .libraryFailure
            }
    }
}

extension PublicKeyInfo {
    /// Verifies a signature in the form that X.509 and CMS have it in.
    ///
    /// - Parameters:
    ///   - signature: s ‖ r of GOST, an ECDSA-Sig-Value, or an RSA signature.
    ///   - digest: The digest of the signed content, by this hash function.
    ///   - pss: The parameters of RSASSA-PSS, if the signature is by it.
    /// - Returns: Whether the signature is valid. One of another form or length, or by a hash function that the key is
    ///   not used with, is not.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func isValidSignature(
        _ signature: [UInt8], of digest: [UInt8], _ algorithm: DigestAlgorithm, pss: RSASignatureScheme? = nil
    ) throws(HostCryptoError) -> Bool {
        do throws(HostCryptoError) {
            switch self {
            case .rsa(let key):
                return try key.isValidSignature(signature.span, of: digest.span, pss ?? .pkcs1DigestInfo(algorithm))
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
