// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The verification of signed messages of files.
struct MessageVerification {
    let files: [String]
    let verifier: MessageVerifier
    /// The signed file, if one is named.
    let content: String?
    /// The destination of a message's content.
    let place: String?

    func run() async throws -> Batch<VerifiedFile> {
        let progress = BatchProgress(.verification, count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>()
        for (number, file) in files.enumerated() {
            await batch.attempt(file) {
                let signers = try await verify(file, number, progress)
                return VerifiedFile(
                    file: file.shownName, isValid: true, signers: signers.map(VerifiedFile.Signer.init), error: nil)
            } failed: {
                VerifiedFile(file: file.shownName, isValid: false, signers: [], error: $0)
            }
        }
        return batch
    }

    private func verify(_ file: String, _ number: Int, _ progress: BatchProgress) async throws -> [MessageSigner] {
        let input = try InputFile(file)
        if let beside = contentBeside(file) {
            let octets = try input.all(limit: PEM.limit)
            guard let message = try PEM.message.contents(of: octets, from: file).first else { return [] }
            let content = try InputFile(beside)
            return try await verifier.verify(
                message, content: content.source(progress: progress.begin(number, content)))
        }
        // The content of a rejected message is never revealed.
        let result = try place.map { try ResultFile($0) }
        let tell = progress.begin(number, input)
        let signers = try await verifier.verify(try source(input, file, tell)) { piece in try result?.write(piece) }
        try result?.finish()
        return signers
    }

    /// The file with the content of a message that does not contain it.
    private func contentBeside(_ file: String) -> String? {
        if let content { return content }
        guard file.hasSuffix(".p7s"), place == nil else { return nil }
        let name = String(file.dropLast(4))
        return (try? InputFile(name)) == nil ? nil : name
    }

    /// The message in DER, piece by piece; one in PEM as a whole.
    private func source(
        _ input: InputFile, _ file: String, _ tell: @escaping @Sendable (Int) -> Void
    ) throws -> OctetSource {
        let first = try input.next() ?? []
        guard PEM.isText(first) else { return OctetSource(first: first, input, tell) }
        var text = first
        while let piece = try input.next() {
            guard text.count + piece.count <= PEM.limit else {
                throw CommandError(.failed, "\(file) is too long for a message in PEM: write it in DER")
            }
            text += piece
        }
        let message = try PEM.message.contents(of: text, from: file).first ?? []
        return OctetSource(first: message, nil, tell)
    }
}
