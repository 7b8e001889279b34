// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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
            let message = try PEM.message.one(of: input.all(limit: PEM.limit), from: file)
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
    ) throws -> ByteSource {
        let first = try input.next() ?? []
        guard PEM.isText(first) else { return ByteSource(first: first, input, tell) }
        var text = first
        while let piece = try input.next() {
            guard text.count + piece.count <= PEM.limit else {
                throw CommandError(.failed, "\(file) is too long for a message in PEM: write it in DER")
            }
            text += piece
        }
        let message = try PEM.message.one(of: text, from: file)
        return ByteSource(first: message, nil, tell)
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

    @Option(help: .saying("How the key signs, for keys with a choice.", valueName: "algorithm"))
    var algorithm: AlgorithmName?

    var isGiven: Bool { signature != nil || key != nil || publicKey != nil || algorithm != nil }
}

/// Whose signed messages are accepted, and which.
struct MessageTrust: ParsableArguments {
    @Option(
        help: .saying("A file with certificates that are trusted.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var ca: [String] = []

    @Option(
        help: .saying("A file with lists of revoked certificates.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var crl: [String] = []

    @Flag(help: .saying("Ask not whose certificate it is: everybody can make one of any name."))
    var signatureOnly = false

    @Flag(help: .saying("Accept messages of programs that are careless with versions and names of algorithms."))
    var lenient = false

    @Option(
        help: .saying("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var content: String?

    var isGiven: Bool { !ca.isEmpty || !crl.isEmpty || signatureOnly || lenient || content != nil }

    /// - Parameter files: Those with further certificates.
    func verifier(with files: [String]) throws -> MessageVerifier {
        var verifier = MessageVerifier(trusting: try certificates(ca))
        verifier.certificates = try certificates(files)
        verifier.revocationLists = try crl.flatMap { try PEM.revocationList.read($0) }
        verifier.revocationCheck = crl.isEmpty ? .none : .signers
        verifier.checksSignatureOnly = signatureOnly
        verifier.requiresOrder = !lenient
        return verifier
    }

    private func certificates(_ files: [String]) throws -> [[UInt8]] {
        try files.flatMap { file in
            let values = try PEM.certificate.read(file)
            for value in values { _ = try CertificateSummary.read(value, from: file) }
            return values
        }
    }
}

/// The result for a file whose signature was verified.
struct VerifiedFile: Encodable, Sendable {
    struct Signer: Encodable, Sendable {
        let subject: String?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
    }

    let file: String
    let isValid: Bool
    /// The signers of a message. In a rejected one their names are mere claims.
    let signers: [Signer]
    let error: String?
}

extension VerifiedFile.Signer {
    init(_ signer: MessageSigner) {
        let summary = try? CertificateSummary(of: signer.certificate)
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = signer.signingTime.map { Timestamp($0).text }
    }
}

struct VerifiedFiles: Report {
    let files: [VerifiedFile]

    func text(_ style: Style) -> String {
        files.map { file in
            let verdict =
                file.isValid ? style.text(translated("good"), .good) : style.text(translated("not accepted"), .bad)
            let signers = file.signers.map { signer in
                let time: Phrase = signer.signingTime.map { ", who says it was at \($0)" } ?? ""
                let subject = signer.subject.map { Phrase(verbatim: $0.printable) } ?? Phrase("an unknown subject")
                return "  " + translated("signed by \(subject)\(time)") + "\n"
            }
            return "\(file.file.printable): \(verdict)\n" + (file.isValid ? signers.joined() : "")
        }.joined()
    }
}
