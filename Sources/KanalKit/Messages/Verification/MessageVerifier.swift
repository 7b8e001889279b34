// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Locking
import Translation

/// Verifies signed messages (CMS SignedData, RFC 5652; CAdES-BES and CAdES-T), and time stamps. It needs no token.
///
/// All signers must have signed, and from each a path must lead to a trusted certificate, as `C_EX_PKCS7Verify` of the
/// shared library wants it. With a good time stamp of a signature, from an authority with a path of its own, the time that counts for the
/// signer's certificate is the stamp's. A stamp that is wrong counts for nothing. A message that is not accepted throws ``KanalError/messageRefused(_:)``.
public struct MessageVerifier: Sendable {
    /// The certificates of which a list or a response must state that they are not revoked. A list that names one as
    /// revoked always counts, even if out of date, unless a current list does not name it any more.
    public enum RevocationCheck: Sendable {
        /// Of none.
        case none
        /// Of the signers'.
        case signers
        /// Of all on the path but the trusted one.
        case all
    }

    /// The certificates that are trusted, in DER.
    public var trusted: [[UInt8]] { didSet { known = KnownStore() } }
    /// Further certificates, in DER, of signers and of authorities on the path to a trusted one.
    public var certificates: [[UInt8]] = [] { didSet { known = KnownStore() } }
    /// Lists of revoked certificates, in DER.
    public var revocationLists: [[UInt8]] = [] { didSet { known = KnownStore() } }
    /// Responses about the revocation of certificates, each an OCSPResponse or a BasicOCSPResponse in DER (RFC 6960, 4.2.1).
    /// A response that is wrong or out of date counts for nothing.
    public var ocspResponses: [[UInt8]] = [] { didSet { known = KnownStore() } }
    /// The certificates whose state a list or a response must give.
    public var revocationCheck = RevocationCheck.none
    /// Whether a path may end at a trusted certificate that is not self-issued.
    public var allowsPartialChains = false
    /// Whether the certificates that came with the message help to find signers and paths.
    public var usesMessageCertificates = true
    /// Whether no path is needed, so that ``trusted`` has no meaning. Then a signer can have any name, for everybody can
    /// make a certificate.
    public var checksSignatureOnly = false
    /// Whether also what no signature covers, the versions and the names of algorithms in a message, must be as RFC 5652
    /// wants it, so that no bit of a message with one signer can be changed. Programs are known to be careless with it.
    public var requiresOrder = false
    /// When the certificates must be valid, unless a time stamp is from before, in seconds since 1970; nil for now.
    public var time: Int64?
    /// The way to statements and certificates that are missing; nil if nothing is to be fetched.
    ///
    /// With it a list or a response must also state that a signer's certificate is not revoked, if it is valid and names an address
    /// for that. Nothing is fetched for another ``time`` than now, nor by the function that does not wait.
    public var online: AuthorityAnswers?

    /// Certificates and lists as they were read, once for all messages.
    private var known = KnownStore()

    /// - Parameter trusted: The certificates that are trusted, in DER.
    public init(trusting trusted: [[UInt8]]) { self.trusted = trusted }

    /// Verifies a message, without fetching anything.
    ///
    /// - Parameters:
    ///   - message: In BER or DER; white space may follow.
    ///   - content: The signed content, if it is not in the message.
    /// - Throws: ``KanalError/messageRefused(_:)``; ``KanalError/invalidArgument(_:)`` for certificates and lists of the
    ///   application's that cannot be read.
    public func verify(_ message: [UInt8], content: [UInt8]? = nil) throws(KanalError) -> VerifiedMessage {
        let message = try read(message)
        try message.requirePlace(ofContent: content == nil)
        let content = content ?? message.content ?? []
        let digests = try onHost { () throws(HostCryptoError) in try ContentDigests(message.signers.map(\.digest)) }
        digests.update(content.span)
        let hashed = try HashedMessage(message, digests, content: content)
        return VerifiedMessage(content: content, signers: try signers(of: hashed, try store()))
    }

    /// Verifies a message whose content is beside it, and may be too long to be kept.
    ///
    /// - Parameters:
    ///   - message: In BER or DER; white space may follow.
    ///   - content: The signed content. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    /// - Returns: The signers.
    /// - Throws: As the first of these functions; the errors of the content's source.
    public func verify(_ message: [UInt8], content: ByteSource) async throws -> [MessageSigner] {
        let hashed = try await inThreadOfItsOwn { isCancelled in
            let message = try read(message)
            try message.requirePlace(ofContent: false)
            let algorithms = message.signers.map(\.digest) + message.archiveDigests(limit: SignatureStamps.limit)
            let digests = try onHost { () throws(HostCryptoError) in try ContentDigests(algorithms) }
            try content.forEach(unless: isCancelled) { piece in digests.update(piece.span) }
            return try HashedMessage(message, digests)
        }
        return try await inRounds { store throws(KanalError) in try signers(of: hashed, store) }
    }

    /// Verifies a message that has its content in it, and may be too long to be kept.
    ///
    /// The message is in BER or DER; a content in pieces is passed on as it comes.
    ///
    /// - Parameters:
    ///   - message: The message. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    ///   - output: Receives the next bytes of the content before the message is accepted: they must not be used until
    ///     this function has returned.
    /// - Returns: The signers.
    /// - Throws: As the first of these functions; what `output` and the message's source throw.
    public func verify(
        _ message: ByteSource, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> [MessageSigner] {
        let hashed = try await inThreadOfItsOwn { isCancelled in
            _ = try store()
            var reader = SignedDataReader()
            var digests: ContentDigests?
            // An archive time stamp behind the content may need a digest that the message's beginning does not announce.
            var kept: [UInt8]? = []
            try message.forEach(unless: isCancelled) { piece in
                let parts = try asMessage { () throws(HostCryptoError) in try reader.read(piece) }
                if digests == nil, let algorithms = reader.digests {
                    guard reader.hasContent == true else { throw KanalError.messageRefused(.noContent) }
                    digests = try onHost { () throws(HostCryptoError) in try ContentDigests(algorithms) }
                }
                for part in parts {
                    digests?.update(part.span)
                    if (kept?.count ?? 0) + part.count > Self.keptLimit { kept = nil }
                    kept?.append(contentsOf: part)
                    try output(Array(part))
                }
            }
            let message = try asMessage { () throws(HostCryptoError) in try reader.finish() }
            guard let digests else { throw KanalError.messageRefused(.malformed) }
            try check(message)
            return try HashedMessage(message, digests, content: kept)
        }
        return try await inRounds { store throws(KanalError) in try signers(of: hashed, store) }
    }

    /// The longest content in a message that is kept while it passes by.
    private static let keptLimit = 16 << 20

    private func read(_ message: [UInt8]) throws(KanalError) -> SignedData {
        // The application's certificates and lists are read first.
        _ = try store()
        let signed = try asMessage { () throws(HostCryptoError) in try SignedData(ber: message.span) }
        try check(signed)
        return signed
    }

    /// - Throws: ``MessageFault/notInOrder`` if the message is not in order, and has to be.
    private func check(_ message: SignedData) throws(KanalError) {
        guard requiresOrder else { return }
        guard message.isInOrder, !usesMessageCertificates || message.hasReadableCertificates else {
            throw .messageRefused(.notInOrder)
        }
    }

    func store() throws(KanalError) -> TrustStore {
        var unread = TrustStore(trusted: trusted, certificates: certificates, revocationLists: revocationLists)
        unread.ocspResponses = ocspResponses
        var store = try known.store(or: unread)
        store.allowsPartialPaths = allowsPartialChains
        store.revocationCheck =
            switch revocationCheck {
            case .none: .none
            case .signers: .leaf
            case .all: .all
            }
        return store
    }

    func signers(of hashed: HashedMessage, _ store: TrustStore) throws(KanalError) -> [MessageSigner] {
        let (message, time) = (hashed.message, moment)
        return try onHost { () throws(HostCryptoError) -> Result<[MessageSigner], KanalError> in
            var store = store
            if usesMessageCertificates { store.values = MessageValues(message) }
            let verification = try SignerVerification(
                message, trusting: store, usesMessage: usesMessageCertificates,
                requiresOrder: requiresOrder, time: time)
            let stamps = SignatureStamps(
                of: message, hashed.digests, content: hashed.content, store: checksSignatureOnly ? nil : store,
                usesMessage: usesMessageCertificates, now: time)
            return try verification.messageSigners(
                of: message, hashed.digests, hashed.form, stamps, isTrustAsked: !checksSignatureOnly, at: time)
        }.get()
    }
}

/// A message whose content was hashed.
struct HashedMessage: Sendable {
    let message: SignedData
    let digests: [DigestAlgorithm: [UInt8]]
    let form: ContentForm
    /// The content, if it is known.
    let content: [UInt8]?

    init(_ message: SignedData, _ hashed: ContentDigests, content: [UInt8]? = nil) throws(KanalError) {
        (self.message, self.content) = (message, content)
        digests = try onHost { () throws(HostCryptoError) in try hashed.finalize() }
        form = hashed.form
    }
}

/// Caches a verifier's certificates and lists.
private final class KnownStore: Sendable {
    private let store = Lock<TrustStore?>(nil)

    /// - Parameter unread: Read if nothing is cached.
    func store(or unread: TrustStore) throws(KanalError) -> TrustStore {
        try store.withLock { store throws(KanalError) in
            if let store { return store }
            var read = unread
            do throws(HostCryptoError) { try read.requireReadable() } catch {
                guard error != .libraryFailure else { throw KanalError(host: error) }
                throw .invalidArgument("a certificate, a list of revoked ones or a response about them cannot be read")
            }
            store = read
            return read
        }
    }
}

/// A message that is accepted.
public struct VerifiedMessage: Sendable, Equatable {
    /// The signed content.
    public let content: [UInt8]
    /// The signers.
    public let signers: [MessageSigner]
}

extension SignedData {
    fileprivate func requirePlace(ofContent isInside: Bool) throws(KanalError) {
        guard (content != nil) == isInside else { throw .messageRefused(isInside ? .noContent : .ownContent) }
    }
}

/// Runs `body`, whose input comes from this library alone.
func onHost<Result: ~Copyable>(_ body: () throws(HostCryptoError) -> Result) throws(KanalError) -> Result {
    do throws(HostCryptoError) { return try body() } catch {
        throw KanalError(host: error)
    }
}

/// Runs `body`, which reads a message.
func asMessage<Result: ~Copyable>(
    _ body: () throws(HostCryptoError) -> Result
) throws(KanalError) -> Result {
    do throws(HostCryptoError) { return try body() } catch { throw .messageRefused(.malformed) }
}
