// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import KanalXML
import Terminal
import Translation

struct Verify: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "verify",
            abstract: translated("Verify signatures of files."),
            discussion: translated(
                """
                The signature of FILE is in FILE.sig, in bytes or in base64, and is verified with a public key or a \
                certificate of a file, or else with a key of the token. The PIN is only asked for if the token shows \
                no certificate of the key without it.

                With --ca or --signature-only each FILE is a signed message, or has one beside it in FILE.p7s, FILE.sig \
                or FILE.sgn. Its content is in it, or in FILE without such an ending, or in the file of --content. Each \
                signer's certificate must lead to one of those in --ca, now or at the time of a good time stamp of the signature. \
                FILE.tsr is a time stamp of FILE. No token is needed.

                With --xml each FILE is an XML document with signatures in it, all of which must be good. A signature \
                covers some elements, which are shown, and all else may be anybody's: --element names what must be \
                covered.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var xml: XMLVerifyOptions
    @OptionGroup var alone: SignatureAlone
    @OptionGroup var trust: MessageTrust

    @Option(
        help: .saying(
            "A file with the certificate; for signed messages, with certificates of signers and authorities.",
            valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var certificate: [String] = []

    @Flag(help: .saying("The files are signed messages, as with --ca and --signature-only."))
    var cms = false

    @Flag(
        help: .saying(
            "The files are PDF files, each with a signature of all of it; what the documents show is not looked at."))
    var pdf = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write the content of the message to.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @OptionGroup var replacing: OverwriteOption

    @OptionGroup var input: InputFiles
    var files: [String] { input.files }

    func validate() throws {
        try input.require(
            isOfOne: alone.signature != nil || trust.content != nil || destination != nil,
            "standard input, --signature, --content and --output go with one file")
        try xml.validate(isOfOther: cms || pdf || trust.content != nil || trust.lenient || destination != nil)
        try isOfMessages ? validateMessages() : validateSignatures()
    }

    /// Whether the command line states that the files are signed messages.
    private var isOfMessages: Bool {
        cms || pdf || xml.xml || trust.isGiven || destination != nil
            || files.contains { $0.hasSuffix(MessageVerification.stampEnding) && !InputFile.isRegular($0 + ".sig") }
    }

    private func validateSignatures() throws {
        guard [alone.publicKey, alone.key, certificate.first].compactMap({ $0 }).count <= 1, certificate.count <= 1
        else { throw ValidationError(translated("--key, --public-key and --certificate exclude each other")) }
        guard alone.signature != nil || files != ["-"] else {
            throw ValidationError(translated("--signature names the signature"))
        }
    }

    private func validateMessages() throws {
        guard !alone.isGiven else {
            throw ValidationError(
                translated("--signature, --key, --public-key and --algorithm do not go with signed messages"))
        }
        guard !pdf || (trust.content == nil && destination == nil) else {
            throw ValidationError(translated("--pdf goes without --content and --output: the file is the content"))
        }
        guard trust.signatureOnly != !trust.ca.isEmpty else {
            throw ValidationError(translated("say by --ca whose certificates are trusted, or --signature-only"))
        }
        // The content would be output before its signature is verified.
        guard destination != "-" else { throw ValidationError(translated("--output needs a file")) }
        guard destination == nil || trust.content == nil else {
            throw ValidationError(translated("--output is for a content in the message, --content for one beside it"))
        }
    }

    func run() async throws {
        let batch = try await isOfMessages ? messageVerification() : rawVerification()
        let past = batch.results.contains { $0.verdict == .goodAtItsTime } ? Self.past : nil
        try output.show(VerifiedFiles(files: batch.results), endingWith: batch.error(.verification) ?? past)
        try batch.finish(.verification)
        if let past { throw past }
    }

    /// The end of the command if signatures are good at their time, and all others are good.
    private static var past: CommandError {
        CommandError(
            .goodAtItsTime,
            "good at the time that the time stamp proves, and not by the certificate's present state")
    }

    private func messageVerification() async throws -> Batch<VerifiedFile> {
        let verifier = try trust.verifier(with: certificate)
        guard !xml.xml else {
            var documents = XMLVerifier(verifier)
            documents.elements = xml.element
            return await DocumentVerification(files: files, verifier: documents).run()
        }
        try replacing.check(destination, besides: files + [trust.content].compactMap(\.self))
        return await MessageVerification(
            files: files, isOfPDF: pdf, verifier: verifier, content: trust.content, place: destination,
            replacing: replacing
        ).run()
    }

    private func rawVerification() async throws -> Batch<VerifiedFile> {
        let signatures = try files.map { try FoundSignature(of: $0, named: alone.signature) }
        // No PIN helps with files that cannot be read.
        let isOfToken = alone.publicKey == nil && certificate.isEmpty
        let key = !isOfToken || signatures.contains(where: \.isReadable) ? try await chosenKey() : nil
        // Keys of other kinds sign by the algorithm of that name.
        let algorithm = try key.flatMap { key in
            key.kind == .other ? alone.algorithm?.algorithm : try AlgorithmName.choose(alone.algorithm, for: key.kind)
        }
        let progress = BatchProgress(.verification, count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>(files)
        await batch.attemptAll { number, file in
            let signature = signatures[number]
            let input = try InputFile(signature.content)
            let value = try signature.value()
            let source = input.source(progress: progress.begin(number, input))
            guard let key, try await key.verify(value, of: source, algorithm: algorithm, form: .x509) else {
                throw CommandError(.failed, "the signature is wrong", of: WrongSignature())
            }
            return VerifiedFile(file)
        } failed: { file, error, text in
            VerifiedFile(file, failure: (error, text))
        }
        return batch
    }

    /// Warns that a certificate's period has ended, or has not begun. A signature alone has no time.
    private func tellPeriod(of certificate: [UInt8]) throws {
        guard !output.json, let summary = try? CertificateSummary(of: certificate) else { return }
        let text: Phrase
        switch summary.validity(at: Timestamp.now.seconds) {
        case .expired:
            let day = summary.notAfter.map { Timestamp($0).day } ?? ""
            text = Phrase("The certificate expired on \(day). A signature alone does not show when it was made.")
        case .notYetValid:
            let day = summary.notBefore.map { Timestamp($0).day } ?? ""
            text = Phrase("The certificate is not valid before \(day).")
        case .valid, .expiring: return
        }
        try OutputStream.error.write("kanal: \(translated(text))\n".wrapped(to: OutputStream.error.style.width))
    }

    /// The key to verify with: of a file, or of the token.
    private func chosenKey() async throws -> PublicKey {
        if let publicKey = alone.publicKey {
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
            try tellPeriod(of: value)
            return key
        }
        let name = alone.key
        let token = try await token.find()
        if let key = try await Self.publicKey(on: token, named: name) { return key }
        let info = try await pin.perform(on: token) { session in
            let pair = try session.keyPairs().only(named: name, .key, by: "--key")
            return try session.publicKeyInfo(of: pair)
        }
        return try PublicKey(info: info)
    }

    /// The key of a certificate that is seen without the PIN; nil if there is none of this name, or without a name more than one
    /// key on the token.
    private static func publicKey(on token: Token, named name: String?) async throws -> PublicKey? {
        let found: [[UInt8]] = try await token.perform { session in
            let certificates = try session.certificates()
            if let name { return certificates.filter { $0.isCalled(name) }.map(\.value) }
            let keys = try session.otherObjects().filter { object in
                if case .publicKey = object.kind { true } else { false }
            }
            return keys.contains { key in !certificates.contains { $0.id == key.id } } ? [] : certificates.map(\.value)
        }
        return found.count == 1 ? found.first.flatMap { try? PublicKey(of: $0) } : nil
    }
}
