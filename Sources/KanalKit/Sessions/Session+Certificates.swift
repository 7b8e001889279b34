// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki

/// A certificate on a token.
public struct TokenCertificate: Sendable, Equatable {
    /// The certificate in DER.
    public let value: [UInt8]
    /// The name that it was given.
    public let label: String
    /// The identifier that it shares with its key pair.
    public let id: [UInt8]
    /// Whether its private key is on the token. Private keys are seen after the PIN only.
    public let hasPrivateKey: Bool
    /// Whether the security officer has marked it as trusted (`CKA_TRUSTED`).
    public let isTrusted: Bool
    let reference: ObjectReference
}

extension Session {
    /// The certificates on the token.
    public func certificates() throws(KanalError) -> [TokenCertificate] {
        let keys = try objects([(CKA_CLASS, CKO_PRIVATE_KEY.octets)], [CKA_ID])
        let certificates = try objects([(CKA_CLASS, CKO_CERTIFICATE.octets)], [CKA_VALUE])
        return certificates.map { handle, attributes in
            let id = attributes[CKA_ID] ?? []
            return TokenCertificate(
                value: attributes[CKA_VALUE] ?? [], label: attributes.text(CKA_LABEL), id: id,
                hasPrivateKey: keys.contains { $0.attributes[CKA_ID] == id },
                isTrusted: attributes[CKA_TRUSTED] == [1],
                reference: ObjectReference(handle, attributes))
        }
    }

    /// Stores a certificate on the token.
    ///
    /// - Parameters:
    ///   - value: The certificate in DER.
    ///   - id: The identifier of its key pair, so that programs find both together.
    public func importCertificate(_ value: [UInt8], id: [UInt8], label: String) throws(KanalError) -> TokenCertificate {
        let handle = try call { session throws(CKError) in
            try session.createObject(
                Attributes(template: [
                    (CKA_CLASS, CKO_CERTIFICATE.octets), (CKA_CERTIFICATE_TYPE, CKC_X_509.octets), (CKA_TOKEN, [1]),
                    (CKA_VALUE, value), (CKA_ID, id), (CKA_LABEL, Array(label.utf8)),
                ]))
        }
        guard let certificate = try certificates().first(where: { $0.reference.handle == handle }) else {
            throw .objectNotFound
        }
        return certificate
    }

    /// Removes a certificate from the token. Its key pair stays.
    public func delete(_ certificate: TokenCertificate) throws(KanalError) { try delete(certificate.reference) }
}

extension Attributes {
    /// The text of an attribute; invalid UTF-8 becomes U+FFFD.
    func text(_ type: CK_ATTRIBUTE_TYPE) -> String { String(decoding: self[type] ?? [], as: UTF8.self) }
}
