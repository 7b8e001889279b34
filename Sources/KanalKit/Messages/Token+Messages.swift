// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Token
import Tokens

extension Token {
    /// Signs a content of any length with the key of a certificate: CMS SignedData, CAdES-BES, as
    /// ``Session/signedMessage(of:by:others:isDetached:)`` does.
    ///
    /// The content is hashed in a thread of its own, and neither it nor the message is kept. The token is used twice:
    /// before, to check that the certificate has its key, and after, for the signature. In between it is free for other
    /// callers.
    ///
    /// A message with its content is DER if the content's length is known, which must then be below 4 GiB; else it is
    /// BER of indefinite length, of any length. A message beside its content is DER in any case. With a time stamp (CAdES-T)
    /// a content of at most 16 MiB is kept, its message is DER, and nothing is written before the authority's reply is
    /// verified; the message with a longer one is BER.
    ///
    /// - Parameters:
    ///   - content: The content to sign. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    ///   - certificate: The signer's. Its private key is on the token: of GOST, RSA or ECDSA on P-256.
    ///   - others: Further certificates that go with the message.
    ///   - isDetached: Whether the message does not contain the content.
    ///   - profile: The rules that the message follows. A message for a PDF file is detached, and has one signer.
    ///   - authority: The authority that stamps the signature; nil for none.
    ///   - pin: As for `Token.perform`.
    ///   - prompt: As there. A field session is opened twice, unless ``TokenManager/withField(prompt:_:)`` keeps one open.
    ///   - output: Receives the next bytes of the message. It is called in a thread that may block. If the work ends
    ///     with an error, its output is not a message.
    /// - Throws: ``KanalError``; what `output` and the content's source throw.
    public func signMessage(
        of content: ByteSource, by certificate: TokenCertificate, others: [TokenCertificate] = [],
        isDetached: Bool = false, profile: SignatureProfile = .cades, stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN? = nil, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await sign(
            content, isDetached: isDetached, profile, authority, pin.secret, prompt, output,
            by: { session throws(KanalError) in [try session.cmsSigner(certificate, others)] })
    }

    /// Signs a content of any length with several keys, as
    /// ``signMessage(of:by:others:isDetached:profile:stampedBy:pin:prompt:output:)-(_,TokenCertificate,_,_,_,_,PIN?,_,_)`` does with one: a
    /// message with a signer for each.
    ///
    /// - Parameters:
    ///   - signers: The signers' certificates. Each one's private key is on the token.
    ///   - certificates: Further certificates in DER that go with the message.
    public func signMessage(
        of content: ByteSource, by signers: [TokenCertificate], certificates: [[UInt8]], isDetached: Bool = false,
        profile: SignatureProfile = .cades, stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN? = nil, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        guard !signers.isEmpty else { throw KanalError.invalidArgument("no signer is named") }
        try await sign(
            content, isDetached: isDetached, profile, authority, pin.secret, prompt, output,
            by: { session throws(KanalError) in try session.cmsSigners(signers, certificates) })
    }

    private func sign(
        _ content: ByteSource, isDetached: Bool, _ profile: SignatureProfile, _ authority: TimeStampAuthority?,
        _ pin: SharedSecret?,
        _ prompt: String?,
        _ output: @escaping @Sendable ([UInt8]) throws -> Void,
        by find: @escaping @Sendable (borrowing Session) throws(KanalError) -> [(signer: CMSSigner, key: TokenObject)]
    ) async throws {
        let signers = try await perform(.user, pin, prompt, nil) { session in try find(session).map(\.signer) }
        guard profile == .cades || (isDetached && signers.count == 1) else {
            throw KanalError.invalidArgument("a message for a PDF file is detached, and has one signer")
        }
        if let authority {
            let draft = StampedDraft(signers, isDetached: isDetached, profile)
            let digests = try await inThreadOfItsOwn { isCancelled in
                try draft.read(content, to: output, unless: isCancelled)
            }
            let messages = try draft.messages(digests)
            let signatures = try await perform(.user, pin, prompt, nil) { session in
                let found = try find(session)
                return try messages.enumerated().map { place, message in
                    try session.signature(of: message, by: found[place], of: content.fileName)
                }
            }
            var stamped = messages
            for (place, signature) in signatures.enumerated() {
                let message = messages[place]
                stamped[place].timeStamp = try await authority.token(of: message.encoded(signature), message.digest)
            }
            let rest = try draft.rest(stamped, signatures)
            return try await inThreadOfItsOwn { _ in try output(rest) }
        }
        let draft = MessageDraft(signers, isDetached ? .beside : content.length.map { .inside($0) } ?? .pieces, profile)
        let head = try draft.head()
        let digests = try await inThreadOfItsOwn { isCancelled in
            try draft.write(content, behind: head, to: output, unless: isCancelled)
        }
        let rest = try await perform(.user, pin, prompt, nil) { session in
            let found = try find(session)
            return try draft.rest(digests) { place, message throws(KanalError) in
                try session.signature(of: message, by: found[place], of: content.fileName)
            }
        }
        try await inThreadOfItsOwn { _ in try output(rest) }
    }

    /// The same with an existing PIN: a stored one stays where it is.
    public func signMessage(
        of content: ByteSource, by certificate: TokenCertificate, others: [TokenCertificate] = [],
        isDetached: Bool = false, profile: SignatureProfile = .cades, stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        let optional: PIN? = PIN(sharing: pin)
        try await signMessage(
            of: content, by: certificate, others: others, isDetached: isDetached, profile: profile,
            stampedBy: authority, pin: optional,
            prompt: prompt, output: output)
    }
}
