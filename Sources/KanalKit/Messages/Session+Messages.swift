// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostCrypto
import Secrets
import Token
import Tokens

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
        for field in subject {
            guard try onHost({ () throws(HostCryptoError) in try CertificationRequest.accepts(field.field) }) else {
                throw .invalidArgument("\(field.type) is not a known type, or does not allow this value")
            }
        }
        return try call { session throws(TokensError) in
            try session.certificationRequest(
                for: publicKey.object, with: keyPair.privateKey.object, subject: subject.map(\.field),
                extensions: extensions.map(\.field))
        }
    }

    /// Signs a message with the key of a certificate: CMS SignedData in DER, CAdES-BES.
    ///
    /// The content is hashed by the host: with the hash function of a key of GOST, and with SHA-256 for RSA and ECDSA. For
    /// a content that is too long to be kept there is
    /// ``Token/signMessage(of:by:others:isDetached:profile:stampedBy:pin:prompt:output:)-(_,_,_,_,_,_,PIN,_,_)``.
    ///
    /// - Parameters:
    ///   - certificate: The signer's. Its private key is on the token: of GOST, RSA or ECDSA on P-256.
    ///   - others: Further certificates that go with the message.
    ///   - isDetached: Whether the message does not contain the content.
    public func signedMessage(
        of content: [UInt8], by certificate: TokenCertificate, others: [TokenCertificate] = [], isDetached: Bool = false
    ) throws(KanalError) -> [UInt8] {
        let now = time(nil)
        return try call { session throws(TokensError) in
            try session.signedMessage(
                of: content, certificate: certificate.reference.object, others: others.map(\.reference.object),
                isDetached: isDetached, time: now)
        }
    }

    /// The certificates on the token that are marked as trusted, for ``MessageVerifier/trusted``.
    public func trustedCertificates() throws(KanalError) -> [TokenCertificate] {
        try certificates().filter(\.isTrusted)
    }

    /// Signs a message that is being made.
    ///
    /// - Parameter fileName: The name of the content, which a user who is asked for consent sees.
    func signature(
        of message: SignedMessage, by signer: (signer: CMSSigner, key: TokenObject), of fileName: String?
    ) throws(KanalError) -> [UInt8] {
        try call { session throws(TokensError) in
            try session.signature(
                of: message, by: signer.signer, with: signer.key, content: fileName.map(SignedContent.init(file:)))
        }
    }

    /// The certificates and the keys of several signers, with further certificates in DER that go with the message.
    func cmsSigners(
        _ certificates: [TokenCertificate], _ further: [[UInt8]]
    ) throws(KanalError) -> [(signer: CMSSigner, key: TokenObject)] {
        try certificates.map { certificate throws(KanalError) in
            try cmsSigner(certificate, [], further: further)
        }
    }

    /// The certificates and the key for signing a message.
    ///
    /// - Parameter further: Certificates in DER that need not be on the token.
    func cmsSigner(
        _ certificate: TokenCertificate, _ others: [TokenCertificate], further: [[UInt8]] = []
    ) throws(KanalError) -> (signer: CMSSigner, key: TokenObject) {
        try call { session throws(TokensError) in
            try session.cmsSigner(
                certificate.reference.object, others: others.map(\.reference.object), further: further)
        }
    }
}
