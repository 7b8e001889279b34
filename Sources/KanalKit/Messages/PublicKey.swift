// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets

/// A public key of any origin: a certificate, a file, or a key pair on a token. The host verifies with it, and needs no
/// token.
public struct PublicKey: Sendable, Equatable {
    /// The key's kind: its algorithm and size.
    public let kind: KeyKind
    /// A SubjectPublicKeyInfo in DER (RFC 5280, 4.1).
    public let info: [UInt8]
    private let key: PublicKeyInfo

    /// Reads a public key.
    ///
    /// - Parameter info: A SubjectPublicKeyInfo in DER, as ``Session/publicKeyInfo(of:)`` returns it.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for malformed bytes, or a key of an unsupported algorithm.
    public init(info: [UInt8]) throws(KanalError) {
        do throws(HostCryptoError) { key = try PublicKeyInfo(der: info.span) } catch {
            guard error != .libraryFailure else { throw KanalError(host: error) }
            throw .invalidArgument("the public key cannot be read")
        }
        self.info = info
        kind = KeyKind(key)
    }

    /// Reads the public key of a certificate. Nothing of the certificate is verified.
    ///
    /// - Parameter certificate: The certificate in DER.
    /// - Throws: As ``init(info:)``.
    public init(of certificate: [UInt8]) throws(KanalError) {
        let info: [UInt8]
        do throws(HostCryptoError) {
            let certificate = try HostCrypto.Certificate(der: certificate.span)
            info = certificate.subjectPublicKeyInfo
        } catch {
            throw .invalidArgument("the certificate cannot be read")
        }
        try self.init(info: info)
    }

    /// Two keys are the same if they verify the same signatures, however their parameters are written.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        if case (.gost(let left), .gost(let right)) = (left.key, right.key) {
            return left.key == right.key && left.algorithm.algorithm == right.algorithm.algorithm
        }
        return left.key == right.key
    }

    /// The default identifier of a key pair and its certificate: 20 bytes.
    public var identifier: [UInt8] {
        get throws(KanalError) {
            let info = info
            return try onHost { () throws(HostCryptoError) in try Digest.digest(info.span, .sha1) }
        }
    }

    /// Whether a signature of a content was made with the private half of the key.
    ///
    /// - Parameters:
    ///   - signature: The signature. One of the wrong length counts as wrong.
    ///   - content: The signed content. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    ///   - algorithm: Nil for the key's own, as in ``Session/sign(_:with:algorithm:)``.
    ///   - form: How the signature is written.
    /// - Throws: ``KanalError/invalidArgument(_:)`` if the key does not sign by the algorithm, or is of RSA and so weak
    ///   that its signatures mean nothing; the errors of the content's source.
    public func verify(
        _ signature: [UInt8], of content: ByteSource, algorithm: SigningAlgorithm? = nil,
        form: SignatureForm = .pkcs11
    ) async throws -> Bool {
        guard key.isStrong else { throw KanalError.invalidArgument("the key is too weak: its signatures mean nothing") }
        let hash = try hash(of: algorithm)
        return try await inThreadOfItsOwn { isCancelled in
            let digests = try onHost { () throws(HostCryptoError) in try ContentDigests([hash]) }
            try content.forEach(unless: isCancelled) { piece in digests.update(piece.span) }
            let values = try onHost { () throws(HostCryptoError) in try digests.finalize() }
            return try isValid(signature, of: values[hash] ?? [], hash, algorithm, form)
        }
    }

    /// The hash function of an algorithm.
    private func hash(of algorithm: SigningAlgorithm?) throws(KanalError) -> DigestAlgorithm {
        switch (key, algorithm) {
        case (.gost(let info), .gost?), (.gost(let info), nil):
            HostCrypto.SignatureAlgorithm.gost(info.algorithm.algorithm).digest
        case (.rsa, .rsaPKCS1(let hash)?), (.rsa, .rsaPSS(let hash)?), (.ec, .ecdsa(let hash)?): hash.algorithm
        case (.rsa, nil), (.ec, nil): .sha256
        default: throw .invalidArgument("the key does not sign by this algorithm")
        }
    }

    private func isValid(
        _ signature: [UInt8], of digest: [UInt8], _ hash: DigestAlgorithm, _ algorithm: SigningAlgorithm?,
        _ form: SignatureForm
    ) throws(KanalError) -> Bool {
        do throws(HostCryptoError) {
            switch (key, algorithm) {
            case (.rsa(let key), .rsaPSS?):
                let scheme = RSASignatureScheme.pss(hash: hash, mask: hash, saltLength: hash.size)
                return try key.isValidSignature(signature.span, of: digest.span, scheme)
            case (.ec(let key), _) where form == .pkcs11:
                guard signature.count == 2 * key.curve.coordinateSize else { return false }
                return try key.isValidSignature(signature.span, of: digest.span)
            default: return try key.isValidSignature(signature, of: digest, hash)
            }
        } catch {
            guard error != .outOfMemory else {
                throw .refused(code: "CKR_HOST_MEMORY", reason: "the system provides no memory")
            }
            guard error != .libraryFailure else { throw KanalError(host: error) }
            return false
        }
    }
}

extension SigningAlgorithm {
    /// A signature of ``SignatureForm/pkcs11`` in the form ``SignatureForm/x509``.
    public func x509Form(of signature: [UInt8]) -> [UInt8] {
        guard case .ecdsa(let hash) = self else { return signature }
        return HostCrypto.SignatureAlgorithm.ecdsa(hash.algorithm).encoded(signature)
    }
}

extension SHA2 {
    var algorithm: DigestAlgorithm {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}

extension TokenCertificate {
    /// The certificate's GOST R 34.11-2012 digest with 256 bits, which identifies it.
    public func fingerprint() throws(KanalError) -> [UInt8] {
        let value = value
        return try onHost { () throws(HostCryptoError) in try Digest.digest(value.span, .streebog256) }
    }
}
