// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
package import HostCrypto
import Secrets
import Token
import Tokens

/// The fields of a request for a certificate, as an application gives them: a type, its value, the next type, and so
/// on.
package struct RequestFields: Sendable {
    let subject: [CertificationRequest.Field]
    let attributes: [CertificationRequest.Field]
    let extensions: [CertificationRequest.Field]

    /// - Throws: `CKR_ARGUMENTS_BAD` for a type without a value.
    package init(subject: [String], attributes: [String], extensions: [String]) throws(CKError) {
        self.subject = try Self.fields(subject)
        self.attributes = try Self.fields(attributes)
        self.extensions = try Self.fields(extensions)
    }

    private static func fields(_ words: [String]) throws(CKError) -> [CertificationRequest.Field] {
        guard words.count.isMultiple(of: 2) else {
            throw .argumentsBad("\(words.count) strings are not pairs of a type and a value")
        }
        return stride(from: 0, to: words.count, by: 2).map { .init(type: words[$0], value: words[$0 + 1]) }
    }
}

/// Requests for certificates, texts of certificates, and messages signed with their keys.
extension Session {
    /// Makes a request for a certificate of a public key, PKCS #10 in DER.
    ///
    /// - Parameter privateKey: `CK_INVALID_HANDLE` for the one with the public key's identifier.
    /// - Throws: `CKR_USER_NOT_LOGGED_IN`; `CKR_KEY_HANDLE_INVALID`, `CKR_KEY_TYPE_INCONSISTENT` if the keys are not a
    ///   pair; `CKR_ARGUMENTS_BAD` for an unknown field.
    package func certificationRequest(
        for publicKey: CK_OBJECT_HANDLE, with privateKey: CK_OBJECT_HANDLE, _ fields: RequestFields
    ) throws(CKError) -> [UInt8] {
        guard slot.login == .user else { throw .userNotLoggedIn("User must be logged in") }
        guard let object = try? slot.visibleObject(publicKey),
            try object.attributes.number(CKA_CLASS) == CKO_PUBLIC_KEY
        else { throw .keyHandleInvalid("\(publicKey) is the handle of no public key") }
        let info = try object.attributes.publicKeyInfo()
        let key = try signingKey(privateKey, id: object.attributes[CKA_ID] ?? [], of: info)
        do {
            let request = try CertificationRequest(
                subject: fields.subject, publicKeyInfo: info.der, attributes: fields.attributes,
                extensions: fields.extensions)
            let signature = try signKeepingOperation(request.info, with: key, of: info)
            return try request.der(info.signing.algorithm, signature: signature)
        } catch let error as CKError {
            throw error
        } catch {
            throw (error as? HostCryptoError) == .invalidParameter
                ? .argumentsBad("a type or a value of the request is not understood") : .hostFailed
        }
    }

    /// Signs a message, CMS SignedData in DER.
    ///
    /// - Parameters:
    ///   - certificate: The signer's.
    ///   - privateKey: `CK_INVALID_HANDLE` for the one with the certificate's identifier.
    ///   - others: Further certificates to go with the message.
    ///   - isDetached: Whether the message has no content.
    ///   - time: The time of the signature, in seconds since 1970.
    /// - Throws: As ``messageSigningKey(of:with:others:)`` does; `CKR_KEY_TYPE_INCONSISTENT` for a key that is not the
    ///   certificate's.
    package func signedMessage(
        of data: Span<UInt8>, certificate: CK_OBJECT_HANDLE, with privateKey: CK_OBJECT_HANDLE,
        others: [CK_OBJECT_HANDLE], isDetached: Bool, time: Int
    ) throws(CKError) -> [UInt8] {
        let key = try messageSigningKey(of: certificate, with: privateKey, others: others)
        let content = [UInt8](copying: data)
        consent.content = SignedContent(data)
        defer { consent.content = nil }
        do {
            let digest = try Digest.digest(data, key.algorithm.digest)
            let message = try key.message(contentDigest: digest, time: time)
            let signature = try signature(of: message, by: key)
            return try message.der(signature: signature, content: isDetached ? nil : content)
        } catch let error as CKError {
            throw error
        } catch {
            throw .hostFailed
        }
    }

    /// The certificates and the key for signing a message.
    ///
    /// - Throws: `CKR_USER_NOT_LOGGED_IN`; `CKR_OBJECT_HANDLE_INVALID`, `CKR_ATTRIBUTE_TYPE_INVALID` for other objects
    ///   than certificates; `CKR_KEY_HANDLE_INVALID`; `CKR_KEY_TYPE_INCONSISTENT` for a key that is not the
    ///   certificate's, or of an algorithm that is not known here.
    package func messageSigningKey(
        of certificate: CK_OBJECT_HANDLE, with privateKey: CK_OBJECT_HANDLE, others: [CK_OBJECT_HANDLE]
    ) throws(CKError) -> MessageSigningKey {
        guard slot.login == .user else { throw .userNotLoggedIn("User must be logged in") }
        let signer = try self.certificate(certificate)
        var further: [[UInt8]] = []
        for handle in others { further.append(try self.certificate(handle).value) }
        let info = try PublicKeyInfo(signer: signer.value)
        let key = try signingKey(privateKey, id: signer.id, of: info)
        return MessageSigningKey(certificate: signer.value, others: further, info: info, handle: key)
    }

    /// Signs a message with a key that ``messageSigningKey(of:with:others:)`` has found in this session.
    ///
    /// - Throws: `CKR_KEY_TYPE_INCONSISTENT` for a key that is not the certificate's.
    package func signature(of message: SignedMessage, by key: MessageSigningKey) throws(CKError) -> [UInt8] {
        try signKeepingOperation(message.signedAttributes, with: key.handle, of: key.info)
    }

    /// The text of a certificate, for people.
    package func certificateText(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> [UInt8] {
        let der = try certificate(handle).value
        do { return try Certificate.text(der: der.span) } catch { throw .hostFailed }
    }

    /// A certificate in DER, and its identifier.
    ///
    /// - Throws: `CKR_OBJECT_HANDLE_INVALID`; `CKR_ATTRIBUTE_TYPE_INVALID` if the object is not a certificate.
    private func certificate(_ handle: CK_OBJECT_HANDLE) throws(CKError) -> (value: [UInt8], id: [UInt8]) {
        let attributes = try slot.visibleObject(handle, knowing: [CKA_VALUE]).attributes
        guard try attributes.number(CKA_CLASS) == CKO_CERTIFICATE, let value = attributes[CKA_VALUE] else {
            throw .attributeTypeInvalid("\(handle) is the handle of no certificate with CKA_VALUE")
        }
        return (value, attributes[CKA_ID] ?? [])
    }

    /// The private key that an application names; if it names none, the one with this identifier.
    private func signingKey(
        _ handle: CK_OBJECT_HANDLE, id: [UInt8], of info: PublicKeyInfo
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        var template = info.privateKeyTemplate
        guard handle == CK_INVALID_HANDLE else {
            guard let key = try? slot.visibleObject(handle),
                try key.attributes.number(CKA_CLASS) == CKO_PRIVATE_KEY
            else { throw .keyHandleInvalid("\(handle) is the handle of no private key") }
            guard key.attributes.matches(template) else {
                throw .keyTypeInconsistent("the private key does not belong to the public key")
            }
            return handle
        }
        template.set(CKA_ID, id)
        if let known = try slot.visibleObjects(matching: template).first { return known }
        try slot.refreshObjects()
        guard let found = try slot.visibleObjects(matching: template).first else {
            throw .keyHandleInvalid("no private key has this CKA_ID and belongs to the public key")
        }
        return found
    }

    /// Signs, and keeps the session's own signature operation.
    ///
    /// - Throws: `CKR_KEY_TYPE_INCONSISTENT` if the public key does not verify the signature, and so belongs to a
    ///   different private key.
    private func signKeepingOperation(
        _ data: [UInt8], with key: CK_OBJECT_HANDLE, of info: PublicKeyInfo
    ) throws(CKError) -> [UInt8] {
        let operation = signature
        signature = nil
        // The end of a login ends operations.
        defer { signature = slot.login == .user ? operation : nil }
        try signInit(Mechanism(type: info.signing.mechanism, parameter: []), key: key)
        let signature = try sign(data.span)
        let digest: [UInt8]
        do throws(HostCryptoError) { digest = try Digest.digest(data.span, info.signing.algorithm.digest) } catch {
            throw CKError(error)
        }
        guard (try? VerificationKey(info).isValidSignature(signature, of: digest)) == true else {
            throw .keyTypeInconsistent("the public key does not verify what the private key signs")
        }
        return signature
    }
}

/// A certificate, its private key, and further certificates, for signing a message.
package struct MessageSigningKey: Sendable {
    private let certificate: [UInt8]
    private let others: [[UInt8]]
    fileprivate let info: PublicKeyInfo
    fileprivate let handle: CK_OBJECT_HANDLE

    fileprivate init(certificate: [UInt8], others: [[UInt8]], info: PublicKeyInfo, handle: CK_OBJECT_HANDLE) {
        (self.certificate, self.others, self.info, self.handle) = (certificate, others, info, handle)
    }

    package var algorithm: SignatureAlgorithm { info.signing.algorithm }

    /// A message to be signed.
    ///
    /// - Parameters:
    ///   - contentDigest: By the hash function of ``algorithm``.
    ///   - time: The time of the signature, in seconds since 1970.
    /// - Throws: As `SignedMessage` does.
    package func message(contentDigest: [UInt8], time: Int) throws(HostCryptoError) -> SignedMessage {
        try SignedMessage(
            contentDigest: contentDigest, certificate: certificate, others: others, algorithm: algorithm,
            signingTime: time)
    }

    /// A signature that takes as many bytes in a message as the key's take: of ECDSA, as half of them.
    package var exampleSignature: [UInt8] {
        switch info {
        case .gost(let info): [UInt8](repeating: 1, count: 2 * info.key.curve.coordinateSize)
        case .rsa(let key): [UInt8](repeating: 1, count: key.modulus.count)
        case .ec(let key):
            // An INTEGER with its highest bit set takes one byte more.
            [UInt8](repeating: 0x80, count: key.curve.coordinateSize)
                + [UInt8](repeating: 1, count: key.curve.coordinateSize)
        }
    }
}

extension VerificationKey {
    fileprivate init(_ info: PublicKeyInfo) {
        self =
            switch info {
            case .gost(let info): .gost(info.key)
            case .ec(let key): .ec(key)
            case .rsa(let key): .rsa(key, .pkcs1DigestInfo(info.signing.algorithm.digest))
            }
    }
}

extension PublicKeyInfo {
    /// The key of a certificate that signs messages.
    ///
    /// - Throws: `CKR_KEY_TYPE_INCONSISTENT` if its algorithm or curve is not known here.
    fileprivate init(signer certificate: [UInt8]) throws(CKError) {
        do {
            let parsed = try Certificate(der: certificate.span)
            let info = parsed.subjectPublicKeyInfo
            self = try PublicKeyInfo(der: info.span)
        } catch {
            throw [.invalidParameter, .unsupportedKeySize].contains(error)
                ? .keyTypeInconsistent("the certificate's key is of no known algorithm or curve") : .hostFailed
        }
    }

    /// The signature algorithm of the private half in X.509, and the mechanism for it.
    fileprivate var signing: (algorithm: SignatureAlgorithm, mechanism: CK_MECHANISM_TYPE) {
        switch self {
        case .gost(let info):
            let algorithm = info.algorithm.algorithm
            switch algorithm {
            case .gostR34102001: return (.gost(algorithm), CKM_GOSTR3410_WITH_GOSTR3411)
            case .gostR34102012256: return (.gost(algorithm), CKM_GOSTR3410_WITH_GOSTR3411_12_256)
            case .gostR34102012512: return (.gost(algorithm), CKM_GOSTR3410_WITH_GOSTR3411_12_512)
            }
        case .rsa: return (.rsa(.sha256), CKM_SHA256_RSA_PKCS)
        case .ec: return (.ecdsa(.sha256), CKM_ECDSA_SHA256)
        }
    }
}
