// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// The fields of a request for a certificate, as an application passes them: a type, its value, the next type, and so
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
    /// - Throws: `CKR_USER_NOT_LOGGED_IN`; `CKR_OBJECT_HANDLE_INVALID`, `CKR_ATTRIBUTE_TYPE_INVALID` for other objects
    ///   than certificates; `CKR_KEY_HANDLE_INVALID`; `CKR_KEY_TYPE_INCONSISTENT` for a key that is not the
    ///   certificate's, or of an algorithm that is not known here.
    package func signedMessage(
        of data: Span<UInt8>, certificate: CK_OBJECT_HANDLE, with privateKey: CK_OBJECT_HANDLE,
        others: [CK_OBJECT_HANDLE], isDetached: Bool, time: Int
    ) throws(CKError) -> [UInt8] {
        guard slot.login == .user else { throw .userNotLoggedIn("User must be logged in") }
        let own = try self.certificate(certificate)
        var further: [[UInt8]] = []
        for handle in others { further.append(try self.certificate(handle).value) }
        let signer = try tokensError { () throws(TokensError) in
            try CMSSigner(certificate: own.value, others: further)
        }
        let key = try signingKey(privateKey, id: own.id, of: signer.info)
        let content = [UInt8](copying: data)
        do {
            let digest = try Digest.digest(data, signer.algorithm.digest)
            let message = try signer.message(contentDigest: digest, time: time)
            let signature = try signKeepingOperation(
                message.signedAttributes, with: key, of: signer.info, content: SignedContent(data))
            return try message.der(signature: signature, content: isDetached ? nil : content)
        } catch let error as CKError {
            throw error
        } catch {
            throw .hostFailed
        }
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
        _ data: [UInt8], with key: CK_OBJECT_HANDLE, of info: PublicKeyInfo, content: SignedContent? = nil
    ) throws(CKError) -> [UInt8] {
        let operation = signature
        signature = nil
        // The end of a login ends operations.
        defer { signature = slot.login == .user ? operation : nil }
        let method = info.signing.method
        try signInit(Mechanism(type: CK_MECHANISM_TYPE(method.mechanism), parameter: []), key: key)
        signature?.content = content
        let signature = try sign(data.span)
        let digest: [UInt8]
        do throws(HostCryptoError) { digest = try Digest.digest(data.span, method.hash) } catch {
            throw CKError(error)
        }
        guard (try? info.accepts(signature, of: digest, method.scheme)) == true else {
            throw .keyTypeInconsistent("the public key does not verify what the private key signs")
        }
        return signature
    }
}
