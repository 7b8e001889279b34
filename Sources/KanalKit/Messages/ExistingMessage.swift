// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Locking
import Secrets
import Token
import Tokens

/// A signed message that gets further signatures. Its bytes stay, except lengths.
public struct ExistingMessage: Sendable {
    /// Further certificates in DER: of those who have signed it already, if the message does not have them.
    public var certificates: [[UInt8]] = []
    /// Asked for the content of a message that does not have it, if none was given.
    public var findContent: (@Sendable () throws -> ByteSource)?
    let content: ByteSource?
    let source: @Sendable () throws -> ByteSource

    /// - Parameters:
    ///   - content: The signed content, if it is not in the message.
    ///   - source: Returns the message, in BER or DER, from its beginning on. A message with its content in it is read
    ///     twice, and not kept.
    public init(content: ByteSource? = nil, _ source: @escaping @Sendable () throws -> ByteSource) {
        (self.content, self.source) = (content, source)
    }

    /// A message that is whole in memory.
    public init(_ message: [UInt8], content: ByteSource? = nil) {
        self.init(content: content) {
            let piece = Lock<[UInt8]?>(message)
            return ByteSource(length: message.count) { piece.withLock { $0.take() } }
        }
    }
}

extension Token {
    /// Puts further signers into a message: each signs the content as the others have (RFC 5652, 5.1).
    ///
    /// All signatures that the message has are verified before, by any signer. The message is written in its own
    /// encoding: what was DER is DER, what has indefinite lengths keeps them.
    ///
    /// - Parameters:
    ///   - signers: The signers' certificates. Each one's private key is on the token.
    ///   - message: The message. Cancelling the task ends the work between two pieces of it, or of the content, with
    ///     ``KanalError/cancelled``.
    ///   - certificates: Further certificates in DER that go with the message.
    ///   - allowsRepetition: Whether a certificate that has signed the message may sign it again.
    ///   - pin: As for `Token.perform`.
    ///   - prompt: As there.
    ///   - output: Receives the next bytes of the message. It is called in a thread that may block. If the work ends
    ///     with an error, its output is not a message.
    /// - Throws: ``KanalError/messageRefused(_:)`` for a message that is not signed, or not by all of its signers;
    ///   ``KanalError``; what `output` and the sources throw.
    public func addSigners(
        _ signers: [TokenCertificate], to message: ExistingMessage, certificates: [[UInt8]] = [],
        allowsRepetition: Bool = false, pin: borrowing PIN? = nil, prompt: String? = nil,
        output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await change(
            message, by: signers, certificates, pin.secret, prompt, output,
            require: { found, signers throws(KanalError) in
                let isRepeated = signers.contains { found.signers.map(\.certificate).contains($0.certificate) }
                guard allowsRepetition || !isRepeated else { throw .messageRefused(.alreadySigned) }
            },
            add: { found, signer, added, sign throws(KanalError) in
                let part = try signer.part(
                    of: found.digests[signer.algorithm.digest] ?? [], .content(found.message.contentType))
                let signature = try sign(part)
                try onHost { () throws(HostCryptoError) in try added.add(part, signature: signature) }
            })
    }

    /// Countersigns signatures of a message: each countersigner signs another's signature, and so confirms that it was
    /// there (RFC 5652, 11.4).
    ///
    /// - Parameters:
    ///   - message: As for ``addSigners(_:to:certificates:allowsRepetition:pin:prompt:output:)``, whose other parameters
    ///     these have, too.
    ///   - signers: The countersigners' certificates. Each one's private key is on the token.
    ///   - isChosen: Whether a signer of the message is countersigned.
    public func countersign(
        _ message: ExistingMessage, by signers: [TokenCertificate], certificates: [[UInt8]] = [],
        allowsRepetition: Bool = false, pin: borrowing PIN? = nil, prompt: String? = nil,
        of isChosen: @escaping @Sendable (MessageSigner) -> Bool = { _ in true },
        output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await change(
            message, by: signers, certificates, pin.secret, prompt, output,
            require: { found, signers throws(KanalError) in
                let chosen = found.signers.filter(isChosen)
                guard !chosen.isEmpty else { throw .invalidArgument("the message has no such signer") }
                let present = chosen.flatMap(\.countersignatures).compactMap(\.certificate)
                guard allowsRepetition || !signers.contains(where: { present.contains($0.certificate) }) else {
                    throw .messageRefused(.alreadySigned)
                }
            },
            add: { found, signer, added, sign throws(KanalError) in
                for (number, one) in found.signers.enumerated() where isChosen(one) {
                    let digest = try onHost { () throws(HostCryptoError) in
                        let signature = found.message.signers[number].signature
                        return try Digest.digest(signature.span, signer.algorithm.digest)
                    }
                    let part = try signer.part(of: digest, .countersignature)
                    let signature = try sign(part)
                    try onHost { () throws(HostCryptoError) in
                        try added.countersign(number, part, signature: signature)
                    }
                }
            })
    }

    private typealias Signing = (SignedMessage) throws(KanalError) -> [UInt8]

    /// Reads a message, adds what `add` signs by each signer, and writes it.
    private func change(
        _ message: ExistingMessage, by signers: [TokenCertificate], _ certificates: [[UInt8]],
        _ secret: SharedSecret?, _ prompt: String?, _ output: @escaping @Sendable ([UInt8]) throws -> Void,
        require: (MessageReading.Found, [CMSSigner]) throws(KanalError) -> Void,
        add:
            @escaping @Sendable (
                MessageReading.Found, CMSSigner, inout AddedSignatures, Signing
            ) throws(KanalError) -> Void
    ) async throws {
        guard !signers.isEmpty else { throw KanalError.invalidArgument("no signer is named") }
        let known = try await perform(.user, secret, prompt, nil) { session in
            try session.cmsSigners(signers, certificates).map(\.signer)
        }
        let reading = MessageReading(message, signing: known.map(\.algorithm.digest))
        let found = try await inThreadOfItsOwn { isCancelled in try reading.found(unless: isCancelled) }
        try require(found, known)
        let added = try await perform(.user, secret, prompt, nil) { session in
            var added = AddedSignatures()
            for signer in try session.cmsSigners(signers, certificates) {
                try add(found, signer.signer, &added) { part throws(KanalError) in
                    try session.signature(of: part, by: signer, of: found.fileName)
                }
            }
            return added
        }
        try await inThreadOfItsOwn { isCancelled in
            try reading.write(found.parts, found.digests, adding: added, to: output, unless: isCancelled)
        }
    }
}

extension CMSSigner {
    /// A signer's part of a message, signed now.
    fileprivate func part(of digest: [UInt8], _ kind: SignedMessage.Kind) throws(KanalError) -> SignedMessage {
        try onHost { () throws(HostCryptoError) in
            try message(contentDigest: digest, time: Int(Glibc.time(nil)), kind: kind)
        }
    }
}

/// The two readings of a message that gets further signatures.
struct MessageReading: Sendable {
    /// A message whose signatures are good.
    struct Found: Sendable {
        let message: SignedData
        let parts: SignedDataParts
        /// The content's, by all hash functions of the message's signers and of new ones.
        let digests: [DigestAlgorithm: [UInt8]]
        let signers: [MessageSigner]
        /// The name of the file with the content.
        let fileName: String?
    }

    private let message: ExistingMessage
    private let algorithms: [DigestAlgorithm]

    /// - Parameter algorithms: The hash functions of new signatures.
    init(_ message: ExistingMessage, signing algorithms: [DigestAlgorithm]) {
        (self.message, self.algorithms) = (message, algorithms)
    }

    /// Reads the message for the first time, and verifies its signatures.
    ///
    /// - Throws: ``KanalError/messageRefused(_:)``.
    func found(unless isCancelled: () -> Bool) throws -> Found {
        let (hashed, parts, fileName) = try hashed(unless: isCancelled)
        let store = TrustStore(trusted: [], certificates: message.certificates, revocationLists: [])
        let signers = try onHost { () throws(HostCryptoError) -> Result<[MessageSigner], KanalError> in
            let now = Int(Glibc.time(nil))
            let verification = try SignerVerification(hashed.message, trusting: store, usesMessage: true, time: now)
            return try verification.messageSigners(
                of: hashed.message, hashed.digests, hashed.form, isTrustAsked: false, at: now)
        }.get()
        return Found(
            message: hashed.message, parts: parts, digests: hashed.digests, signers: signers, fileName: fileName)
    }

    /// Reads the message for the first time.
    ///
    /// - Returns: The message, its parts, and the name of the file with the content.
    /// - Throws: ``KanalError/messageRefused(_:)``.
    func hashed(unless isCancelled: () -> Bool) throws -> (HashedMessage, SignedDataParts, String?) {
        let (signed, parts, read) = try read(unless: isCancelled)
        guard !signed.signers.isEmpty else { throw KanalError.messageRefused(.noSigner) }
        let digests: ContentDigests
        var fileName: String?
        if parts.hasContent {
            guard message.content == nil else { throw KanalError.messageRefused(.ownContent) }
            digests = read
        } else {
            guard let content = try message.content ?? message.findContent?() else {
                throw KanalError.messageRefused(.noContent)
            }
            fileName = content.fileName
            digests = try onHost { () throws(HostCryptoError) in
                try ContentDigests(signed.signers.map(\.digest) + algorithms)
            }
            try content.forEach(unless: isCancelled) { piece in digests.update(piece.span) }
        }
        return (try HashedMessage(signed, digests), parts, fileName)
    }

    /// Reads the message.
    ///
    /// - Parameter take: Receives the bytes of each piece.
    private func read(
        unless isCancelled: () -> Bool, _ take: ([UInt8]) throws -> Void = { _ in }
    ) throws -> (SignedData, SignedDataParts, ContentDigests) {
        var reader = SignedDataReader()
        var digests: ContentDigests?
        try message.source().forEach(unless: isCancelled) { piece in
            let parts = try asMessage { () throws(HostCryptoError) in try reader.read(piece) }
            if digests == nil, let announced = reader.digests {
                digests = try onHost { () throws(HostCryptoError) in try ContentDigests(announced + algorithms) }
            }
            for part in parts { digests?.update(part.span) }
            try take(piece)
        }
        let signed = try asMessage { () throws(HostCryptoError) in try reader.finish() }
        let parts = try asMessage { () throws(HostCryptoError) in try reader.parts() }
        guard let digests else { throw KanalError.messageRefused(.malformed) }
        return (signed, parts, digests)
    }

    /// Writes the message with what is added, for which its content is read once more.
    ///
    /// - Parameter digests: The content's.
    /// - Throws: ``KanalError/invalidArgument(_:)`` if the message is not the one read before.
    func write(
        _ known: SignedDataParts, _ digests: [DigestAlgorithm: [UInt8]], adding added: AddedSignatures,
        to output: ([UInt8]) throws -> Void, unless isCancelled: () -> Bool
    ) throws {
        let ends = try asMessage { () throws(HostCryptoError) in try known.adding(added) }
        try output(ends.head)
        if known.bodyCount > 0 {
            var place = 0
            let body = known.head.count..<known.head.count + known.bodyCount
            let (_, parts, read) = try read(unless: isCancelled) { piece in
                let part = body.clamped(to: place..<place + piece.count)
                if !part.isEmpty { try output(Array(piece[part.lowerBound - place..<part.upperBound - place])) }
                place += piece.count
            }
            let values = try onHost { () throws(HostCryptoError) in try read.finalize() }
            guard parts == known, values == digests else {
                throw KanalError.invalidArgument("the message has changed while it was read")
            }
        }
        try output(ends.tail)
    }
}
