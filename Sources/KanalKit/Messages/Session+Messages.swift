// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Glibc

/// A field of a certification request.
public struct RequestField: Sendable, Equatable {
    /// An object identifier in digits and dots, or OpenSSL's name of one.
    public let type: String
    /// The text; of an extension, in OpenSSL's spelling.
    public let value: String

    /// A field; see its properties.
    public init(_ type: String, _ value: String) {
        self.type = type
        self.value = value
    }
}

extension Session {
    /// Makes a request for a certificate of a key pair, PKCS #10 in DER.
    ///
    /// - Parameters:
    ///   - subject: The name, for instance `CN` and its value.
    ///   - extensions: Extensions that are asked for, in OpenSSL's spelling.
    public func certificationRequest(
        for keyPair: KeyPair, subject: [RequestField], extensions: [RequestField] = []
    ) throws(KanalError) -> [UInt8] {
        guard let publicKey = keyPair.publicKey else {
            throw .invalidArgument("the key pair's public key is not on the token")
        }
        let (publicHandle, privateHandle) = (try handle(of: publicKey), try handle(of: keyPair.privateKey))
        return try call { session throws(CKError) in
            try session.certificationRequest(
                for: publicHandle, with: privateHandle,
                RequestFields(
                    subject: subject.flatMap { [$0.type, $0.value] }, attributes: [],
                    extensions: extensions.flatMap { [$0.type, $0.value] }))
        }
    }

    /// Signs a message with the key of a certificate: CMS SignedData in DER, CAdES-BES.
    ///
    /// The content is hashed by the host: with the hash function of a key of GOST, and with SHA-256 for RSA and ECDSA. For
    /// a content that is too long to be kept there is ``Token/signMessage(of:by:others:isDetached:pin:prompt:output:)``.
    ///
    /// - Parameters:
    ///   - certificate: The signer's. Its private key is on the token: of GOST, RSA or ECDSA on P-256.
    ///   - others: Further certificates that go with the message.
    ///   - isDetached: Whether the message does not contain the content.
    public func signedMessage(
        of content: [UInt8], by certificate: TokenCertificate, others: [TokenCertificate] = [], isDetached: Bool = false
    ) throws(KanalError) -> [UInt8] {
        let (signer, further) = try handles(of: certificate, others)
        let now = time(nil)
        return try call { session throws(CKError) in
            try session.signedMessage(
                of: content.span, certificate: signer, with: CK_OBJECT_HANDLE(CK_INVALID_HANDLE), others: further,
                isDetached: isDetached, time: now)
        }
    }

    /// The certificates on the token that are marked as trusted, for ``MessageVerifier/trusted``.
    public func trustedCertificates() throws(KanalError) -> [TokenCertificate] {
        try certificates().filter(\.isTrusted)
    }

    /// The key that signs a message.
    func messageSigningKey(
        _ certificate: TokenCertificate, _ others: [TokenCertificate]
    ) throws(KanalError) -> MessageSigningKey {
        let (signer, further) = try handles(of: certificate, others)
        return try call { session throws(CKError) in
            try session.messageSigningKey(of: signer, with: CK_OBJECT_HANDLE(CK_INVALID_HANDLE), others: further)
        }
    }

    private func handles(
        of certificate: TokenCertificate, _ others: [TokenCertificate]
    ) throws(KanalError) -> (signer: CK_OBJECT_HANDLE, others: [CK_OBJECT_HANDLE]) {
        let signer = try handle(of: certificate.reference)
        var further: [CK_OBJECT_HANDLE] = []
        for other in others { further.append(try handle(of: other.reference)) }
        return (signer, further)
    }
}
