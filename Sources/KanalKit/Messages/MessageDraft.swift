// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Tokens

/// A message that is being made while its content passes by.
struct MessageDraft: Sendable {
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
    private let profile: SignatureProfile
    private let time = Int(Glibc.time(nil))

    /// The number of attempts at an ECDSA signature of the length that the message's beginning announces. Half of them
    /// have it.
    private static let limit = 64

    init(_ signers: [CMSSigner], _ place: Place, _ profile: SignatureProfile) {
        (self.signers, self.place, self.profile) = (signers, place, profile)
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
            return try onHost { () throws(HostCryptoError) in
                try signer.message(contentDigest: digest, time: time, kind: profile.kind)
            }
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
