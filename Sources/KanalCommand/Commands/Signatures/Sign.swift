// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Locking
import Terminal
import Translation

struct Sign: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sign",
            abstract: translated("Sign files with a key of the token."),
            discussion: translated(
                """
                The signature of FILE alone is written to FILE.sig, as "openssl dgst" verifies it. With --cms a signed \
                message (CAdES-BES) is written: FILE.p7m with the content in it, or with --detached FILE.p7s beside \
                it. An unreadable file does not stop the others; finished signatures stay. An existing signature is \
                replaced only with --overwrite; --skip-signed skips files that have one. With --timestamp an authority \
                stamps the time of each message (CAdES-T), so that it stays good when the certificate ends; nothing is \
                written unless its reply is valid and its certificate leads to one in --ca.

                With --add each FILE is a signed message, or has one beside it, and gets a further signer; its other \
                bytes and its encoding stay. The content of a message beside it is found by its name, or in --content. \
                The new message replaces the old one, unless --output names another file. The same holds for \
                --countersign, which signs the signatures in the message.

                With --xml each FILE is an XML document, and FILE.signed.xml the same with a signature in it: of the \
                whole document, or of the elements that --element names. --profile has the rules of services: SMEV 3, \
                Web Services Security, XAdES-BES.

                With --esia the file is the string that the state identity service (ESIA) wants signed, without a line \
                break at its end. The result is in base64url without padding: the signature, for client_secret from \
                version 2.90 on, or with --cms the detached message that older versions want. "kanal cert show" has \
                the certificate's hash for client_certificate_hash.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions

    @Option(
        name: [.short, .long],
        help: .saying(
            """
            The key's label or id, or its certificate's; several for messages with several signers. (default: the only \
            one)
            """, valueName: "key"))
    var key: [String] = []

    @Option(help: .saying("The algorithm of the signature, for keys with a choice.", valueName: "algorithm"))
    var algorithm: AlgorithmName?

    @OptionGroup var xml: XMLSignOptions
    @OptionGroup var message: MessageForm
    @OptionGroup var addition: AdditionOptions
    @OptionGroup var form: SignatureForm
    @Option(
        help: .saying(
            "The address of an authority that stamps the time of signed messages (CAdES-T), http:// or https://.",
            valueName: "url"))
    var timestamp: String?

    @Option(
        help: .saying(
            "The form of signed messages: bes, t with a time stamp, or xlt1 with all evidence for a later verification.",
            valueName: "level"))
    var level: SignedLevel?

    @OptionGroup var authority: AuthorityOptions
    @OptionGroup var online: OnlineOptions

    @OptionGroup var places: PlaceOptions

    @Flag(help: .saying("Sign a string for the state identity service."))
    var esia = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write to, or - for standard output.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @OptionGroup var input: InputFiles
    var files: [String] { input.files }

    func validate() throws {
        try input.require(
            isOfOne: destination != nil || esia, "standard input, --output and --esia go with one file")
        try addition.validate(with: self)
        try xml.validate(with: self)
        guard isOfMessages || (!message.detached && message.with.isEmpty && !message.chain) else {
            throw ValidationError(translated("--detached, --with and --chain go with --cms"))
        }
        guard isOfMessages || xml.xml || !message.expired else {
            throw ValidationError(
                translated("--expired goes with --cms and --xml: a signature alone names no certificate"))
        }
        guard (isOfMessages && !esia) || key.count <= 1 else {
            throw ValidationError(translated("several keys go with --cms, --add and --countersign"))
        }
        guard message.certificate.isEmpty || message.chain || addition.isGiven else {
            throw ValidationError(translated("--certificate goes with --chain, --add and --countersign"))
        }
        guard !isOfMessages || algorithm == nil else {
            throw ValidationError(translated("--cms and --algorithm exclude each other"))
        }
        guard !message.pades || (isOfMessages && message.detached && !esia && key.count <= 1 && level != .xlt1) else {
            throw ValidationError(
                translated("--pades goes with --cms, --detached and one key, and not with --level xlt1 or --esia"))
        }
        try validateStamps()
        guard form.extension == nil || (message.cms && destination == nil && !esia) else {
            throw ValidationError(translated("--extension goes with --cms, and not with --output or --esia"))
        }
        guard !form.base64 || !esia else {
            throw ValidationError(translated("--base64 and --esia exclude each other: the result is text already"))
        }
        guard !(places.replacing.overwrite && places.skipSigned) else {
            throw ValidationError(translated("--overwrite and --skip-signed exclude each other"))
        }
        if !esia { try input.validate(output, destination: destination) }
    }

    private func validateStamps() throws {
        if let timestamp {
            guard message.cms, !esia else { throw ValidationError(translated("--timestamp goes with --cms")) }
            guard level != .bes else {
                throw ValidationError(translated("--timestamp and --level bes exclude each other"))
            }
            try authority.validate(timestamp)
        } else if authority.isGiven {
            throw ValidationError(translated("--ca, --crl, --ocsp and --policy go with --timestamp"))
        }
        guard !online.offline || level == .xlt1 else {
            throw ValidationError(translated("--offline goes with --level xlt1"))
        }
        guard let level else { return }
        guard message.cms, !esia else { throw ValidationError(translated("--level goes with --cms")) }
        guard level == .bes || timestamp != nil else {
            throw ValidationError(
                translated("--level t and --level xlt1 need --timestamp, the address of an authority"))
        }
        let isReadAgain = level == .xlt1 && message.detached
        guard !isReadAgain || files.allSatisfy({ $0 != "-" && !InputFile.isPipe($0) }) else {
            throw ValidationError(
                translated("--level xlt1 reads the content twice: write standard input to a file first"))
        }
    }

    /// Whether messages are written, and not signatures alone.
    private var isOfMessages: Bool { message.cms || addition.isGiven }

    func run() async throws {
        guard !esia else {
            let token = try await token.find()
            return try await StateIdentityString(
                file: files[0], key: key.first, isMessage: message.cms, expired: message.expired, place: destination,
                replacing: places.replacing
            )
            .sign(on: token, secrets, output)
        }
        let signers = MessageSigners(
            names: key, with: message.with, expired: message.expired, hasChain: message.chain,
            known: try message.certificate.flatMap { try PEM.certificate.read($0) })
        if addition.isGiven {
            let addition = MessageAddition(
                files: files, signers: signers, options: addition, destination: destination,
                replaces: places.replacing.overwrite, output: output)
            var batch = Batch<SignedFile>(files)
            let files = addition.pending(&batch)
            if !files.isEmpty { batch = try await addition.run(files, on: token.find(), secrets, batch) }
            return try finish(batch, isShown: (destination ?? self.files[0]) != "-")
        }
        let places = SignaturePlaces(
            destination: destination,
            ending: form.extension?.rawValue ?? (xml.xml ? XMLSignOptions.ending : message.ending),
            encoding: form.encoding,
            options: places)
        var batch = Batch<SignedFile>(files)
        let files = places.pending(files, &batch)
        let isCertified = Lock(false)
        let raiser = try timestamp.map { url in try authority.raiser(at: url, knowing: [], online) }
        if !files.isEmpty {
            let token = try await token.find()
            if xml.xml {
                batch = try await DocumentSigning(
                    files: files, signers: signers, form: xml.form, output: output, places: places
                ).run(on: token, secrets, batch)
            } else if message.cms {
                batch = try await MessageSigning(
                    files: files, signers: signers, isDetached: message.detached,
                    profile: message.pades ? .pades : .cades, output: output, places: places,
                    authority: raiser?.authority, raiser: level == .xlt1 ? raiser : nil
                ).run(on: token, secrets, batch)
            } else {
                batch = try await rawSignatures(of: files, places, on: token, batch, isCertified)
            }
        }
        let isHinted = isCertified.withLock { $0 } && batch.results.contains { $0.signature != nil }
        try finish(batch, isShown: places.place(for: self.files[0]) != "-", isHinted: isHinted)
    }

    /// - Parameter isShown: Whether the signatures are in files, and not the output.
    private func finish(_ batch: Batch<SignedFile>, isShown: Bool, isHinted: Bool = false) throws {
        if isShown {
            try output.show(SignedFiles(batch), endingWith: batch.error(.signing))
        }
        if isHinted { try output.hint(Self.formNote, .command("kanal sign --cms FILE")) }
        try batch.finish(.signing)
    }

    private static let formNote: Phrase = """
        This is the signature alone, without certificate and time. Most recipients want a signed message:
        """

    /// Signs files under one login, without anything around the signatures.
    ///
    /// - Parameter isCertified: Whether the key has a certificate on the token, if a person wants to know.
    private func rawSignatures(
        of files: [String], _ places: SignaturePlaces, on token: Token, _ batch: Batch<SignedFile>,
        _ isCertified: Lock<Bool>
    ) async throws -> Batch<SignedFile> {
        let (name, algorithm, isRead) = (key.first, algorithm, output.isRead)
        return try await secrets.perform(on: token) { session in
            let key = try session.keyPairs().only(named: name, .key, by: "--key")
            let algorithm = try AlgorithmName.choose(algorithm, for: key.kind)
            if isRead {
                let hasCertificate = try session.hasCertificate(for: key)
                isCertified.withLock { $0 = hasCertificate }
            }
            let progress = BatchProgress(.signing, count: files.count)
            defer { progress.end() }
            var batch = batch
            for (number, file) in files.enumerated() {
                batch.attempt(file) {
                    let input = try InputFile(file)
                    let destination = try places.open(for: file)
                    let tell = progress.begin(number, input)
                    var done = 0
                    let signature = try session.sign(with: key, algorithm: algorithm, fileName: file.shownName) {
                        tell(done)
                        let piece = try input.next()
                        done += piece?.count ?? 0
                        return piece
                    }
                    try destination.write(algorithm.x509Form(of: signature))
                    try destination.finish()
                    return SignedFile(file, signature: destination.name)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
            return batch
        }
    }
}

/// Whether signed messages are written, and which.
struct MessageForm: ParsableArguments {
    @Flag(help: .saying("Write signed messages, with the certificate of the key."))
    var cms = false

    @Flag(help: .saying("Leave the content out of signed messages."))
    var detached = false

    @Flag(help: .saying("Write messages for PDF files (PAdES), which have the time themselves."))
    var pades = false

    @Option(help: .saying("A further certificate of the token to include in signed messages.", valueName: "name"))
    var with: [String] = []

    @Flag(help: .saying("Include all known certificates up to the root: of the token, and of --certificate."))
    var chain = false

    @Option(
        help: .saying("A file with certificates of authorities, or of other signers.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var certificate: [String] = []

    @Flag(help: .saying("Sign although the certificate has expired."))
    var expired = false

    /// The ending of a result's name.
    var ending: String { cms ? (detached ? ".p7s" : ".p7m") : ".sig" }
}

/// The form of messages that are being made, as it is typed.
enum SignedLevel: String, CaseIterable, ExpressibleByArgument {
    case bes, t, xlt1
}
