// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify signatures of files.",
        discussion: """
            Without --cms the signature of FILE is in FILE.sig, and is verified with a public key or a certificate of a \
            file, or else with a key of the token.

            With --cms each FILE is a signed message. Its content is in it, or in FILE without the ending .p7s, or in the \
            file of --content. Each signer's certificate must lead to one of those in --ca. It takes no token.
            """)

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp("The file of the signature. (default: FILE.sig)", valueName: "file"), completion: .file())
    var signature: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The key of the token, its label or id. (default: the only one)", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("A file with the public key.", valueName: "file"), completion: .file())
    var publicKey: String?

    @Option(
        help: ArgumentHelp(
            "A file with the certificate; with --cms, with certificates of signers and authorities.", valueName: "file"),
        completion: .file())
    var certificate: [String] = []

    @Option(help: "How the key signs, for keys with a choice.")
    var algorithm: AlgorithmName?

    @Flag(help: "The files are signed messages.")
    var cms = false

    @Option(help: ArgumentHelp("A file with certificates that are trusted.", valueName: "file"), completion: .file())
    var ca: [String] = []

    @Option(help: ArgumentHelp("A file with lists of revoked certificates.", valueName: "file"), completion: .file())
    var crl: [String] = []

    @Flag(help: "Ask not whose certificate it is: everybody can make one of any name.")
    var signatureOnly = false

    @Flag(help: "Accept messages of programs that are careless with versions and names of algorithms.")
    var lenient = false

    @Option(
        help: ArgumentHelp("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file())
    var content: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write the content of the message to.", valueName: "file"), completion: .file())
    var destination: String?

    @Argument(help: "The files, or - for standard input.", completion: .file())
    var files: [String]

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name a file, or - for standard input") }
        guard files.count == 1 || (signature == nil && content == nil && destination == nil && !files.contains("-"))
        else { throw ValidationError("standard input, --signature, --content and --output go with one file") }
        guard cms else {
            guard ca.isEmpty, crl.isEmpty, !signatureOnly, !lenient, content == nil, destination == nil else {
                throw ValidationError("--ca, --crl, --signature-only, --lenient, --content and --output go with --cms")
            }
            guard [publicKey, key, certificate.first].compactMap({ $0 }).count <= 1, certificate.count <= 1 else {
                throw ValidationError("--key, --public-key and --certificate exclude each other")
            }
            guard signature != nil || files != ["-"] else { throw ValidationError("--signature names the signature") }
            return
        }
        guard signature == nil, key == nil, publicKey == nil, algorithm == nil else {
            throw ValidationError("--signature, --key, --public-key and --algorithm do not go with --cms")
        }
        guard signatureOnly != !ca.isEmpty else {
            throw ValidationError("say by --ca whose certificates are trusted, or --signature-only")
        }
        // The content would be out before anybody knows whether it is what was signed.
        guard destination != "-" else { throw ValidationError("--output takes a file") }
        guard destination == nil || content == nil else {
            throw ValidationError("--output is for a content in the message, --content for one beside it")
        }
    }

    func run() async throws {
        let batch =
            cms
            ? try await MessageVerification(
                files: files, verifier: verifier(), content: content, place: destination
            ).run()
            : try await rawVerification()
        try output.show(VerifiedFiles(files: batch.results))
        try batch.finish(of: files.count, "accepted")
    }

    private func verifier() throws -> MessageVerifier {
        var verifier = MessageVerifier(trusting: try certificates(ca))
        verifier.certificates = try certificates(certificate)
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

    private func rawVerification() async throws -> Batch<VerifiedFile> {
        let key = try await chosenKey()
        // Keys of other kinds sign by what the algorithm's name says.
        let algorithm =
            key.kind == .other ? algorithm?.algorithm : try AlgorithmName.choose(algorithm, for: key.kind)
        let progress = BatchProgress("Verifying", count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>()
        for (number, file) in files.enumerated() {
            await batch.attempt(file) {
                let input = try InputFile(file)
                let signature = try InputFile(signature ?? file + ".sig").all(limit: 1 << 16)
                let source = input.source(progress: progress.begin(number, input))
                guard try await key.verify(signature, of: source, algorithm: algorithm, form: .x509) else {
                    throw CommandError(.failed, "the signature is wrong")
                }
                return VerifiedFile(file: file, isValid: true, signers: [], error: nil)
            } failed: {
                VerifiedFile(file: file, isValid: false, signers: [], error: $0)
            }
        }
        return batch
    }

    /// The key to verify with: of a file, or of the token.
    private func chosenKey() async throws -> PublicKey {
        if let publicKey {
            let info = try PEM.publicKey.readOne(publicKey)
            guard let key = try? PublicKey(info: info) else {
                throw CommandError(.failed, "\(publicKey) has no public key in it that can be read")
            }
            return key
        }
        if let file = certificate.first {
            let value = try PEM.certificate.readOne(file)
            guard let key = try? PublicKey(of: value) else {
                throw CommandError(.failed, "\(file) has no certificate in it that can be read")
            }
            return key
        }
        let name = key
        let info = try await pin.perform(on: try await token.find()) { session in
            let pair = try session.keyPairs().only(named: name, "key", by: "--key")
            return try session.publicKeyInfo(of: pair)
        }
        return try PublicKey(info: info)
    }
}

/// What is known of a file whose signature was verified.
struct VerifiedFile: Encodable, Sendable {
    struct Signer: Encodable, Sendable {
        let subject: String?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
    }

    let file: String
    let isValid: Bool
    /// Who has signed a message. Of one that is not accepted they are whoever they say.
    let signers: [Signer]
    let error: String?
}

extension VerifiedFile.Signer {
    init(_ signer: MessageSigner) {
        let summary = try? CertificateSummary(of: signer.certificate)
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = signer.signingTime.map { Moment($0).text }
    }
}

private struct VerifiedFiles: Report {
    let files: [VerifiedFile]

    func text(_ style: Style) -> String {
        files.map { file in
            let verdict = file.isValid ? style.text("good", .good) : style.text("not accepted", .bad)
            let signers = file.signers.map { signer in
                let time = signer.signingTime.map { ", who says it was at \($0)" } ?? ""
                return "  signed by \((signer.subject ?? "an unknown subject").printable)\(time)\n"
            }
            return "\(file.file.printable): \(verdict)\n" + (file.isValid ? signers.joined() : "")
        }.joined()
    }
}
