// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostCrypto
import Secrets
import Token
import Tokens

/// A field of a certification request.
public struct RequestField: Sendable, Equatable {
    /// An object identifier in digits and dots, OpenSSL's name of one, or `INNLE` or `OGRNIP`.
    public let type: String
    /// The text; of an extension, in OpenSSL's spelling. The type of a field decides how a text is encoded, unless the
    /// text begins with `UTF8String:`, `PrintableString:`, `NumericString:`, `IA5String:` or `BMPString:`. Empty for a
    /// value in DER.
    public let value: String
    private let der: [UInt8]?

    /// A field; see its properties.
    public init(_ type: String, _ value: String) {
        self.type = type
        self.value = value
        der = nil
    }

    /// A field with a value that is encoded already: of a name a string of any type, with its tag and length.
    public init(_ type: String, der: [UInt8]) {
        self.type = type
        value = ""
        self.der = der
    }

    /// A text that is taken as it is, whatever it begins with.
    package init(_ type: String, literal text: String) {
        typealias StringType = CertificationRequest.Field.StringType
        self.init(type, (StringType(namedBy: text) == nil ? "" : StringType.utf8.rawValue + ":") + text)
    }

    /// The text, unless it says how it is encoded; nil for a value in DER.
    package var plainText: String? {
        der == nil && CertificationRequest.Field.StringType(namedBy: value) == nil ? value : nil
    }

    /// Whether a request can have the field. True, too, if the host cannot judge.
    package var isAccepted: Bool { (try? CertificationRequest.accepts(field)) ?? true }

    /// Whether the type is known. True, too, if the host cannot judge.
    package var hasKnownType: Bool { RequestField(type, der: Self.anyText).isAccepted }

    /// A UTF8String, which each type takes in DER.
    private static let anyText: [UInt8] = [0x0C, 0x01, 0x41]

    fileprivate var field: CertificationRequest.Field {
        der.map { CertificationRequest.Field(type: type, der: $0) }
            ?? CertificationRequest.Field(type: type, value: value)
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
    /// ``Token/signMessage(of:by:others:isDetached:stampedBy:pin:prompt:output:)-(_,_,_,_,_,PIN,_,_)``.
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
    ///   - authority: The authority that stamps the signature; nil for none.
    ///   - pin: As for `Token.perform`.
    ///   - prompt: As there. A field session is opened twice, unless ``TokenManager/withField(prompt:_:)`` keeps one open.
    ///   - output: Takes the next bytes of the message. It is called in a thread that may block. If the work ends with
    ///     an error, its output is not a message.
    /// - Throws: ``KanalError``; what `output` and the content's source throw.
    public func signMessage(
        of content: ByteSource, by certificate: TokenCertificate, others: [TokenCertificate] = [],
        isDetached: Bool = false, stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN? = nil, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await sign(
            content, isDetached: isDetached, authority, pin.secret, prompt, output,
            by: { session throws(KanalError) in [try session.cmsSigner(certificate, others)] })
    }

    /// Signs a content of any length with several keys, as
    /// ``signMessage(of:by:others:isDetached:stampedBy:pin:prompt:output:)-(_,TokenCertificate,_,_,_,PIN?,_,_)`` does with one: a
    /// message with a signer for each.
    ///
    /// - Parameters:
    ///   - signers: The signers' certificates. Each one's private key is on the token.
    ///   - certificates: Further certificates in DER that go with the message.
    public func signMessage(
        of content: ByteSource, by signers: [TokenCertificate], certificates: [[UInt8]], isDetached: Bool = false,
        stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN? = nil, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        guard !signers.isEmpty else { throw KanalError.invalidArgument("no signer is named") }
        try await sign(
            content, isDetached: isDetached, authority, pin.secret, prompt, output,
            by: { session throws(KanalError) in try session.cmsSigners(signers, certificates) })
    }

    private func sign(
        _ content: ByteSource, isDetached: Bool, _ authority: TimeStampAuthority?, _ pin: SharedSecret?,
        _ prompt: String?,
        _ output: @escaping @Sendable ([UInt8]) throws -> Void,
        by find: @escaping @Sendable (borrowing Session) throws(KanalError) -> [(signer: CMSSigner, key: TokenObject)]
    ) async throws {
        let signers = try await perform(.user, pin, prompt, nil) { session in try find(session).map(\.signer) }
        if let authority {
            let draft = StampedDraft(signers, isDetached: isDetached)
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
        let draft = MessageDraft(signers, isDetached ? .beside : content.length.map { .inside($0) } ?? .pieces)
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

    /// The same with a PIN that there is: one that is stored stays where it is.
    public func signMessage(
        of content: ByteSource, by certificate: TokenCertificate, others: [TokenCertificate] = [],
        isDetached: Bool = false, stampedBy authority: TimeStampAuthority? = nil,
        pin: borrowing PIN, prompt: String? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        let optional: PIN? = PIN(sharing: pin)
        try await signMessage(
            of: content, by: certificate, others: others, isDetached: isDetached, stampedBy: authority, pin: optional,
            prompt: prompt, output: output)
    }
}

/// A message that is being made while its content passes by.
private struct MessageDraft: Sendable {
    /// The place of the content.
    enum Place: Sendable {
        case beside
        /// In the message, with so many bytes.
        case inside(Int)
        /// In the message, in pieces.
        case pieces
    }

    private let signers: [CMSSigner]
    private let place: Place
    private let time = Int(Glibc.time(nil))

    /// The number of attempts at an ECDSA signature of the length that the message's beginning announces. Half of them
    /// have it.
    private static let limit = 64

    init(_ signers: [CMSSigner], _ place: Place) {
        self.signers = signers
        self.place = place
    }

    /// The bytes before the content. They depend on lengths alone, not on the digest or the signature.
    func head() throws(KanalError) -> [UInt8] {
        if case .inside(let count) = place, !(0..<1 << 32).contains(count) {
            throw .invalidArgument("a content of 4 GiB or more has to be beside its message, or of no known length")
        }
        return try ends(messages([:]), signers.map(\.exampleSignature)).head
    }

    /// Hashes the content and, if it is part of the message, writes the head and the content.
    func write(
        _ content: ByteSource, behind head: [UInt8], to output: ([UInt8]) throws -> Void,
        unless isCancelled: () -> Bool
    ) throws -> [DigestAlgorithm: [UInt8]] {
        let digests = try onHost { () throws(HostCryptoError) in
            try ContentDigests(signers.map(\.algorithm.digest))
        }
        var isWritten = true
        if case .beside = place { isWritten = false }
        var hasHeaders = false
        if case .pieces = place { hasHeaders = true }
        if isWritten { try output(head) }
        try content.forEach(unless: isCancelled) { piece in
            digests.update(piece.span)
            if hasHeaders { try output(SignedMessage.pieceHeader(count: piece.count)) }
            if isWritten { try output(piece) }
        }
        return try onHost { () throws(HostCryptoError) in try digests.finalize() }
    }

    /// Signs the message with each key.
    ///
    /// - Parameter sign: Signs for a signer, by its number.
    /// - Returns: The bytes after the content; the whole message if the content is beside it.
    func rest(
        _ digests: [DigestAlgorithm: [UInt8]], _ sign: (Int, SignedMessage) throws(KanalError) -> [UInt8]
    ) throws(KanalError) -> [UInt8] {
        let messages = try messages(digests)
        var signatures: [[UInt8]] = []
        for (number, message) in messages.enumerated() {
            signatures.append(try signature(of: message, number, sign))
        }
        let ends = try ends(messages, signatures)
        if case .beside = place { return ends.head + ends.tail }
        return ends.tail
    }

    /// A signature of the length that the head announces, if it announces one.
    private func signature(
        of message: SignedMessage, _ number: Int, _ sign: (Int, SignedMessage) throws(KanalError) -> [UInt8]
    ) throws(KanalError) -> [UInt8] {
        let example = signers[number].exampleSignature
        for _ in 0..<Self.limit {
            let signature = try sign(number, message)
            let counts = try onHost { () throws(HostCryptoError) in
                (try message.signerInfo(signature).count, try message.signerInfo(example).count)
            }
            guard case .inside = place, counts.0 != counts.1 else { return signature }
        }
        throw .refused(code: "CKR_FUNCTION_FAILED", reason: "no signature has the length that the message announces")
    }

    /// - Parameter digests: Empty if lengths alone matter.
    private func messages(_ digests: [DigestAlgorithm: [UInt8]]) throws(KanalError) -> [SignedMessage] {
        try signers.map { signer throws(KanalError) in
            let algorithm = signer.algorithm.digest
            let digest = digests[algorithm] ?? [UInt8](repeating: 0, count: digests.isEmpty ? algorithm.size : 0)
            return try onHost { () throws(HostCryptoError) in try signer.message(contentDigest: digest, time: time) }
        }
    }

    private func ends(
        _ messages: [SignedMessage], _ signatures: [[UInt8]]
    ) throws(KanalError) -> (head: [UInt8], tail: [UInt8]) {
        let all = SignedMessages(messages)
        return try onHost { () throws(HostCryptoError) in
            switch place {
            case .beside: try all.ends(signatures: signatures, contentCount: nil)
            case .inside(let count): try all.ends(signatures: signatures, contentCount: count)
            case .pieces: try all.endsOfPieces(signatures: signatures)
            }
        }
    }
}
