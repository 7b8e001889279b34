// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Locking
import Tokens

/// A message that is not written before an authority has stamped its signature.
struct StampedDraft: Sendable {
    private let signers: [CMSSigner]
    private let isDetached: Bool
    private let time = Int(Glibc.time(nil))
    /// The content, if the message has it in it.
    private let content = Lock<[UInt8]>([])

    /// The longest content that is kept.
    private static let limit = 16 << 20

    init(_ signers: [CMSSigner], isDetached: Bool) { (self.signers, self.isDetached) = (signers, isDetached) }

    /// Hashes the content.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a content that is too long to be kept; what the source throws.
    func read(_ source: ByteSource, unless isCancelled: () -> Bool) throws -> [DigestAlgorithm: [UInt8]] {
        let algorithms = signers.map(\.algorithm.digest)
        let digests = try onHost { () throws(HostCryptoError) in try ContentDigests(algorithms) }
        try source.forEach(unless: isCancelled) { piece in
            digests.update(piece.span)
            guard !isDetached else { return }
            try content.withLock { content in
                guard content.count + piece.count <= Self.limit else {
                    throw KanalError.invalidArgument(
                        "a content of more than 16 MiB has to be beside its message, if that gets a time stamp")
                }
                content += piece
            }
        }
        return try onHost { () throws(HostCryptoError) in try digests.finalize() }
    }

    /// The message of each signer before it is signed.
    func messages(_ digests: [DigestAlgorithm: [UInt8]]) throws(KanalError) -> [SignedMessage] {
        try onHost { () throws(HostCryptoError) in
            try signers.map { signer throws(HostCryptoError) in
                try signer.message(contentDigest: digests[signer.algorithm.digest] ?? [], time: time)
            }
        }
    }

    /// The whole message in DER.
    ///
    /// - Parameter messages: With their time stamps.
    func whole(_ messages: [SignedMessage], _ signatures: [[UInt8]]) throws(KanalError) -> [UInt8] {
        let content = isDetached ? nil : content.withLock { $0 }
        let ends = try onHost { () throws(HostCryptoError) in
            try SignedMessages(messages).ends(signatures: signatures, contentCount: content?.count)
        }
        return ends.head + (content ?? []) + ends.tail
    }
}
