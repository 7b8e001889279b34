// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

/// The verification of signed messages of files.
struct MessageVerification: Sendable {
    let files: [String]
    /// Whether they are PDF files, which have their messages in them.
    let isOfPDF: Bool
    let verifier: MessageVerifier
    /// The signed file, if one is named.
    let content: String?
    /// The destination of a message's content.
    let place: String?
    let replacing: OverwriteOption

    func run() async -> Batch<VerifiedFile> {
        let progress = BatchProgress(.verification, count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>(files)
        await batch.attemptAll { number, file in
            if !isOfPDF, let stamp = try await verifyStamp(file, number, progress) {
                return VerifiedFile(
                    file, isTrustChecked: !verifier.checksSignatureOnly, timeStamp: VerifiedFile.Stamp(stamp))
            }
            let signers = try await namingRemedies { try await verify(file, number, progress) }
            return VerifiedFile(
                file, signers: signers.map(VerifiedFile.Signer.init), isTrustChecked: !verifier.checksSignatureOnly)
        } failed: { file, error, text in
            VerifiedFile(
                file, signers: VerifiedFile.claimed(by: error), isTrustChecked: !verifier.checksSignatureOnly,
                failure: (error, text))
        }
        return batch
    }

    private func verify(_ file: String, _ number: Int, _ progress: BatchProgress) async throws -> [MessageSigner] {
        if isOfPDF {
            let input = try InputFile(file)
            let document = try SignedPDF(input, file)
            return try await verifier.verify(
                document.message, content: document.signed(progress.begin(number, input)))
        }
        if content == nil, place == nil, InputFile.isRegular(file), !MessageFile.isMessage(file) {
            if let message = MessageFile.messageBeside(file) {
                return try await verify(message, of: file, number, progress)
            }
            if InputFile.isRegular(file + ".sig") {
                throw CommandError(
                    .failed,
                    """
                    \(file.printable).sig is a signature alone: verify it by --certificate, --public-key or --key, without \
                    --ca
                    """)
            }
        }
        if let content { return try await verify(file, of: content, number, progress) }
        let input = try InputFile(file)
        // The content of a rejected message is never revealed.
        let result = try place.map { VerifiedContent(try replacing.open($0), $0) }
        let message = try MessageFile(input, file)
        if let content = message.content {
            let signers = try await verifier.verify(
                message.bytes(), content: ByteSource(content))
            try result?.write(content)
            try result?.finish()
            return signers
        }
        do {
            let source = message.source(progress.begin(number, input))
            let signers = try await verifier.verify(source) { piece in try result?.write(piece) }
            guard place != nil || message.isAlone else {
                throw CommandError(
                    .failed,
                    """
                    \(file.printable) has text around the signed message, which nobody has signed: remove it, or write the \
                    content to a file with --output
                    """)
            }
            try result?.finish()
            return signers
        } catch KanalError.messageRefused(.noContent) {
            guard place == nil, let beside = MessageFile.contentBeside(file) else {
                throw KanalError.messageRefused(.noContent)
            }
            return try await verifyDetached(try InputFile(file), file, beside, number, progress)
        }
    }

    /// Verifies a message whose content is in a file, and may be in it as well.
    private func verify(
        _ file: String, of content: String, _ number: Int, _ progress: BatchProgress
    ) async throws -> [MessageSigner] {
        do {
            return try await verifyDetached(try InputFile(file), file, content, number, progress)
        } catch KanalError.messageRefused(.ownContent) where file != "-" {
            return try await verifyAttached(file, content)
        }
    }

    /// Verifies a message whose content is in it, and in a file as well.
    private func verifyAttached(_ file: String, _ content: String) async throws -> [MessageSigner] {
        let expected = ExpectedContent(try InputFile(content))
        let message = try MessageFile(try InputFile(file), file)
        let signers = try await verifier.verify(message.source { _ in }) { piece in try expected.compare(piece) }
        try expected.end()
        return signers
    }

    private func verifyDetached(
        _ input: InputFile, _ file: String, _ content: String, _ number: Int, _ progress: BatchProgress
    ) async throws -> [MessageSigner] {
        let message = try MessageFile(input, file).bytes()
        let content = try InputFile(content)
        return try await verifier.verify(
            message, content: content.source(progress: progress.begin(number, content)))
    }

    /// Names the options that accept what only an orderly message has, and certificates that are valid at another time.
    private func namingRemedies(_ body: () async throws -> [MessageSigner]) async throws -> [MessageSigner] {
        do { return try await body() } catch KanalError.messageRefused(.notInOrder) {
            throw CommandError(
                .failed,
                "\(KanalError.messageRefused(.notInOrder).explanation); --lenient accepts the message all the same",
                of: KanalError.messageRefused(.notInOrder), remedy: "--lenient")
        } catch KanalError.messageRefused(.untrusted(let signers)) where signers.contains(where: \.isOfAnotherTime) {
            let refusal = KanalError.messageRefused(.untrusted(signers))
            throw CommandError(
                .failed, "\(refusal.explanation): --at verifies for another time", of: refusal, remedy: "--at")
        } catch KanalError.messageRefused(.untrusted(let signers)) {
            let refusal = KanalError.messageRefused(.untrusted(signers))
            guard let remedy = Distrust.remedy(for: signers.map(\.distrust)) else { throw refusal }
            throw CommandError(.failed, "\(refusal.explanation): \(remedy)", of: refusal, remedy: "--offline")
        }
    }
}

/// A detached signature, and the options of its verification.
struct SignatureAlone: ParsableArguments {
    @Option(
        help: .saying("The file of the signature. (default: FILE.sig)", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var signature: String?

    @Option(
        name: [.short, .long],
        help: .saying("The key of the token, its label or id. (default: the only one)", valueName: "key"))
    var key: String?

    @Option(
        help: .saying("A file with the public key.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var publicKey: String?

    @Option(help: .saying("The algorithm of the signature, for keys with a choice.", valueName: "algorithm"))
    var algorithm: AlgorithmName?

    var isGiven: Bool { signature != nil || key != nil || publicKey != nil || algorithm != nil }
}

extension MessageSigner {
    /// Whether the certificate at fault is valid at another time.
    fileprivate var isOfAnotherTime: Bool { distrust?.reason.isOfTime == true }
}
