// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

/// Signed messages of files, all under one login.
struct MessageSigning {
    let files: [String]
    let signers: MessageSigners
    let isDetached: Bool
    let profile: SignatureProfile
    let output: OutputOptions
    let places: SignaturePlaces
    /// The authority that stamps the signatures, if one does.
    let authority: TimeStampAuthority?
    /// Raises the messages to X Long type 1, if that is wanted.
    let raiser: MessageRaiser?

    /// Longer content is split into pieces in its message.
    private static let longest = 1 << 32 - 1

    /// The longest message that is kept in memory until it is raised.
    static let longestKept = 64 << 20

    func run(
        on token: Token, _ secrets: KeyUseOptions, _ batch: Batch<SignedFile>
    ) async throws -> Batch<SignedFile> {
        let signers = signers
        return try await secrets.perform(on: token) { session in
            try signers.find(in: session)
        } then: { found in
            let progress = BatchProgress(.signing, count: files.count)
            defer { progress.end() }
            var batch = batch
            for (number, file) in files.enumerated() {
                await batch.attempt(file) {
                    let input = try InputFile(file)
                    let isRaised = raiser != nil
                    if isRaised, !isDetached { try Self.requireKept(input.length ?? 0) }
                    let destination = try places.open(for: file)
                    let isCounted = input.length.map { $0 <= Self.longest } ?? false
                    let source = input.source(
                        isCounted: isDetached || isCounted, progress: progress.begin(number, input))
                    let draft = Lock<[UInt8]>([])
                    try await token.signMessage(
                        of: source, by: found.signers, certificates: found.certificates, isDetached: isDetached,
                        profile: profile, stampedBy: authority,
                        output: { piece in
                            guard isRaised else { return try destination.write(piece) }
                            try draft.withLock { draft in
                                try Self.requireKept(draft.count + piece.count)
                                draft += piece
                            }
                        })
                    let content = isDetached && isRaised ? try InputFile(file).source() : nil
                    try await raiser?.raise(
                        ExistingMessage(draft.withLock { $0 }, content: content), to: .xLongType1,
                        output: { try destination.write($0) })
                    try destination.finish()
                    return SignedFile(file, signature: destination.name)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
            if !batch.results.isEmpty { try found.warn(of: token, output) }
            return batch
        }
    }

    /// Refuses a message that is too long to be kept.
    private static func requireKept(_ count: Int) throws {
        guard count > longestKept else { return }
        throw CommandError(
            .failed,
            """
            a message of more than \(longestKept >> 20) MiB is not raised at once: sign with --detached, or with --level t and then use \
            "kanal extend"
            """, remedy: "--detached")
    }
}
