// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Locking
import Tokens

/// A message whose end is not known before an authority has stamped its signature.
///
/// A content that is in the message is kept, for it to be DER, up to a limit. The message of a longer one is BER of
/// indefinite length, whose beginning does not depend on its end.
struct StampedDraft: Sendable {
    private struct Content {
        var kept: [UInt8] = []
        /// Whether it was written, behind the message's beginning.
        var isWritten = false
    }

    private let signers: [CMSSigner]
    private let isDetached: Bool
    private let profile: SignatureProfile
    private let time = Int(Glibc.time(nil))
    private let content = Lock(Content())

    /// The longest content that is kept.
    private static let limit = 16 << 20

    init(_ signers: [CMSSigner], isDetached: Bool, _ profile: SignatureProfile) {
        (self.signers, self.isDetached, self.profile) = (signers, isDetached, profile)
    }

    /// Hashes the content, and writes it if it is too long to be kept.
    ///
    /// - Throws: The errors of the source and of `output`.
    func read(
        _ source: ByteSource, to output: ([UInt8]) throws -> Void, unless isCancelled: () -> Bool
    ) throws -> [DigestAlgorithm: [UInt8]] {
        let algorithms = signers.map(\.algorithm.digest)
        let digests = try onHost { () throws(HostCryptoError) in try ContentDigests(algorithms) }
        try source.forEach(unless: isCancelled) { piece in
            digests.update(piece.span)
            guard !isDetached else { return }
            for piece in try pieces(with: piece, to: output) where !piece.isEmpty {
                try output(SignedMessage.pieceHeader(count: piece.count))
                try output(piece)
            }
        }
        return try onHost { () throws(HostCryptoError) in try digests.finalize() }
    }

    /// Keeps a piece, or passes the pieces to be written on. Before the first of them the beginning is written.
    private func pieces(with piece: [UInt8], to output: ([UInt8]) throws -> Void) throws -> [[UInt8]] {
        let (pieces, isBeginning) = content.withLock { content -> ([[UInt8]], Bool) in
            guard !content.isWritten else { return ([piece], false) }
            guard content.kept.count + piece.count > Self.limit else {
                content.kept += piece
                return ([], false)
            }
            defer { content = Content(isWritten: true) }
            return ([content.kept, piece], true)
        }
        guard isBeginning else { return pieces }
        let messages = try messages([:])
        let ends = try onHost { () throws(HostCryptoError) in
            try SignedMessages(messages).endsOfPieces(signatures: [])
        }
        try output(ends.head)
        return pieces
    }

    /// The message of each signer before it is signed.
    ///
    /// - Parameter digests: The content's; empty if the beginning alone matters.
    func messages(_ digests: [DigestAlgorithm: [UInt8]]) throws(KanalError) -> [SignedMessage] {
        try onHost { () throws(HostCryptoError) in
            try signers.map { signer throws(HostCryptoError) in
                let algorithm = signer.algorithm.digest
                let digest = digests[algorithm] ?? [UInt8](repeating: 0, count: algorithm.size)
                return try signer.message(contentDigest: digest, time: time, kind: profile.kind)
            }
        }
    }

    /// The rest of the message: the whole of it in DER, unless its content was written.
    ///
    /// - Parameter messages: With their time stamps.
    func rest(_ messages: [SignedMessage], _ signatures: [[UInt8]]) throws(KanalError) -> [UInt8] {
        let all = SignedMessages(messages)
        let content = content.withLock { $0 }
        return try onHost { () throws(HostCryptoError) in
            guard !content.isWritten else { return try all.endsOfPieces(signatures: signatures).tail }
            let ends = try all.ends(signatures: signatures, contentCount: isDetached ? nil : content.kept.count)
            return ends.head + content.kept + ends.tail
        }
    }
}
