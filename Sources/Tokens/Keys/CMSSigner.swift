// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
package import HostCrypto
import Locking
package import Token

/// A certificate of a private key, and further certificates, for signing a message.
package struct CMSSigner: Sendable {
    package let certificate: [UInt8]
    private let others: [[UInt8]]
    package let info: PublicKeyInfo

    /// - Parameters:
    ///   - certificate: The signer's, in DER.
    ///   - others: Further certificates that go with the message.
    /// - Throws: A refusal if the key's algorithm or curve is not known here.
    package init(certificate: [UInt8], others: [[UInt8]]) throws(TokensError) {
        do {
            let parsed = try Certificate(der: certificate.span)
            let info = parsed.subjectPublicKeyInfo
            self.info = try PublicKeyInfo(der: info.span)
        } catch {
            throw [.invalidParameter, .unsupportedKeySize].contains(error)
                ? .refused(.keyType, "the certificate's key is of no known algorithm or curve") : .computation(error)
        }
        (self.certificate, self.others) = (certificate, others)
    }

    package var algorithm: SignatureAlgorithm { info.signing.algorithm }

    /// A message to be signed.
    ///
    /// - Parameters:
    ///   - contentDigest: By the hash function of ``algorithm``.
    ///   - time: The time of the signature, in seconds since 1970.
    ///   - kind: The content's.
    /// - Throws: As `SignedMessage` does.
    package func message(
        contentDigest: [UInt8], time: Int, kind: SignedMessage.Kind = .content(CMS.data)
    ) throws(HostCryptoError) -> SignedMessage {
        try SignedMessage(
            contentDigest: contentDigest, certificate: certificate, others: others, algorithm: algorithm,
            signingTime: time, kind: kind)
    }

    /// A signature that needs as many bytes in a message as the key's need: of ECDSA, as half of them.
    package var exampleSignature: [UInt8] {
        switch info {
        case .gost(let info): [UInt8](repeating: 1, count: 2 * info.key.curve.coordinateSize)
        case .rsa(let key): [UInt8](repeating: 1, count: key.modulus.count)
        case .ec(let key):
            // An INTEGER with its highest bit set needs one byte more.
            [UInt8](repeating: 0x80, count: key.curve.coordinateSize)
                + [UInt8](repeating: 1, count: key.curve.coordinateSize)
        }
    }
}

extension PublicKeyInfo {
    /// The signature algorithm of the private half in X.509, and how it signs.
    package var signing: (algorithm: SignatureAlgorithm, method: SignatureMethod) {
        switch self {
        case .gost(let info):
            let algorithm = info.algorithm.algorithm
            let (hash, mechanism): (DigestAlgorithm, CK_MECHANISM_TYPE) =
                switch algorithm {
                case .gostR34102001: (.gostR341194, CKM_GOSTR3410_WITH_GOSTR3411)
                case .gostR34102012256: (.streebog256, CKM_GOSTR3410_WITH_GOSTR3411_12_256)
                case .gostR34102012512: (.streebog512, CKM_GOSTR3410_WITH_GOSTR3411_12_512)
                }
            return (.gost(algorithm), SignatureMethod(hash: hash, mechanism: mechanism))
        case .rsa:
            let scheme = RSASignatureScheme.pkcs1DigestInfo(.sha256)
            return (.rsa(.sha256), SignatureMethod(hash: .sha256, scheme: scheme, mechanism: CKM_SHA256_RSA_PKCS))
        case .ec: return (.ecdsa(.sha256), SignatureMethod(hash: .sha256, mechanism: CKM_ECDSA_SHA256))
        }
    }
}

/// Requests for certificates, and messages signed with their keys.
extension TokenSession {
    /// Signs data as X.509 and CMS want it.
    ///
    /// - Parameter info: The public key that has to verify the signature.
    /// - Throws: A refusal if it does not, and so belongs to a different private key.
    private func sign(
        _ data: [UInt8], with key: TokenObject, of info: PublicKeyInfo, content: SignedContent? = nil
    ) throws(TokensError) -> [UInt8] {
        let method = info.signing.method
        let digest: [UInt8]
        do throws(HostCryptoError) { digest = try Digest.digest(data.span, method.hash) } catch {
            throw .computation(error)
        }
        let signature = try sign(digest: digest, by: method, with: key, content: content)
        guard try info.accepts(signature, of: digest, method.scheme) else {
            throw .refused(.keyType, "the public key does not verify what the private key signs")
        }
        return signature
    }

    /// The private key with an identifier that belongs to a public key.
    private func signingKey(id: [UInt8], of info: PublicKeyInfo) throws(TokensError) -> TokenObject {
        func isWanted(_ object: TokenObject) -> Bool {
            guard let key = object.key, key.half == .privateKey, object.identifier == id else { return false }
            return info.belongs(to: key.kind)
        }
        if let known = known.withLock({ $0?.first(where: isWanted) }) { return known }
        guard let found = try objects().first(where: isWanted) else {
            throw .refused(.object, "no private key has this identifier and belongs to the public key")
        }
        return found
    }

    /// Makes a request for a certificate of a key pair, PKCS #10 in DER.
    ///
    /// - Throws: A refusal of an unknown field, or if the keys are not a pair.
    package func certificationRequest(
        for publicKey: TokenObject, with privateKey: TokenObject, subject: [CertificationRequest.Field],
        extensions: [CertificationRequest.Field]
    ) throws(TokensError) -> [UInt8] {
        try requireLogin(.user)
        guard let info = try present(publicKey).publicKeyInfo, let key = privateKey.key, info.belongs(to: key.kind)
        else { throw .refused(.keyType, "the private key does not belong to the public key") }
        let request: CertificationRequest
        do throws(HostCryptoError) {
            request = try CertificationRequest(
                subject: subject, publicKeyInfo: info.der, attributes: [], extensions: extensions)
        } catch {
            throw error == .invalidParameter
                ? .refused(.arguments, "a type or a value of the request is not understood") : .computation(error)
        }
        let signature = try sign(request.info, with: privateKey, of: info)
        do throws(HostCryptoError) { return try request.der(info.signing.algorithm, signature: signature) } catch {
            throw .computation(error)
        }
    }

    /// The certificates and the key for signing a message.
    ///
    /// - Parameter further: Certificates in DER that need not be on the token.
    package func cmsSigner(
        _ certificate: TokenObject, others: [TokenObject], further: [[UInt8]] = []
    ) throws(TokensError) -> (signer: CMSSigner, key: TokenObject) {
        try requireLogin(.user)
        var values: [[UInt8]] = []
        for object in [certificate] + others {
            guard case .certificate(_, let value?) = try present(object).content else {
                throw .refused(.object, "the object is not on the token any more")
            }
            values.append(value)
        }
        let signer = try CMSSigner(certificate: values[0], others: values.dropFirst() + further)
        return (signer, try signingKey(id: certificate.identifier, of: signer.info))
    }

    /// Signs a message.
    ///
    /// - Throws: A refusal if the key is not the certificate's.
    package func signature(
        of message: SignedMessage, by signer: CMSSigner, with key: TokenObject, content: SignedContent? = nil
    ) throws(TokensError) -> [UInt8] {
        try sign(message.signedAttributes, with: key, of: signer.info, content: content)
    }

    /// Signs a message, CMS SignedData in DER.
    ///
    /// - Parameters:
    ///   - isDetached: Whether the message has no content.
    ///   - time: The time of the signature, in seconds since 1970.
    package func signedMessage(
        of content: [UInt8], certificate: TokenObject, others: [TokenObject], isDetached: Bool, time: Int
    ) throws(TokensError) -> [UInt8] {
        let (signer, key) = try cmsSigner(certificate, others: others)
        let message: SignedMessage
        do throws(HostCryptoError) {
            let digest = try Digest.digest(content.span, signer.algorithm.digest)
            message = try signer.message(contentDigest: digest, time: time)
        } catch {
            throw .computation(error)
        }
        let signature = try signature(of: message, by: signer, with: key, content: SignedContent(content.span))
        do throws(HostCryptoError) {
            return try message.der(signature: signature, content: isDetached ? nil : content)
        } catch {
            throw .computation(error)
        }
    }
}
