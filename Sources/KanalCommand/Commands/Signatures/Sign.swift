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
                it. A file that cannot be read does not hold up the others; what was signed stays.

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
        help: .saying("The key's label or id, or its certificate's. (default: the only one)", valueName: "key"))
    var key: String?

    @Option(help: .saying("How the key signs, for keys with a choice.", valueName: "algorithm"))
    var algorithm: AlgorithmName?

    @OptionGroup var message: MessageForm

    @Flag(help: .saying("Sign a string for the state identity service."))
    var esia = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write to, or - for standard output.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @Argument(
        help: .saying("The files, or - for standard input.", valueName: "files"), completion: .file(),
        transform: FileName.argument)
    var files: [String]

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError(translated("name a file, or - for standard input")) }
        guard files.count == 1 || (destination == nil && !esia && !files.contains("-")) else {
            throw ValidationError(translated("standard input, --output and --esia go with one file"))
        }
        guard message.cms || (!message.detached && message.with.isEmpty) else {
            throw ValidationError(translated("--detached and --with go with --cms"))
        }
        guard message.cms || !message.expired else {
            throw ValidationError(translated("--expired goes with --cms: a signature alone names no certificate"))
        }
        guard !message.cms || algorithm == nil else {
            throw ValidationError(translated("--cms and --algorithm exclude each other"))
        }
        guard esia || !output.json || place(for: files[0]) != "-" else {
            throw ValidationError(translated("--json goes with files: name one with --output"))
        }
    }

    func run() async throws {
        let token = try await token.find()
        guard !esia else {
            return try await StateIdentityString(
                file: files[0], key: key, isMessage: message.cms, expired: message.expired, place: destination
            )
            .sign(on: token, secrets, output)
        }
        let isCertified = Lock(false)
        let batch =
            message.cms
            ? try await MessageSigning(
                files: files, name: key, with: message.with, isDetached: message.detached,
                expired: message.expired, output: output, place: place
            )
            .run(on: token, secrets)
            : try await rawSignatures(on: token, isCertified)
        if place(for: files[0]) != "-" { try output.show(SignedFiles(files: batch.results)) }
        if isCertified.withLock({ $0 }), batch.results.contains(where: { $0.signature != nil }) {
            try output.hint(Self.formNote, .command("kanal sign --cms FILE"))
        }
        try batch.finish(of: files.count, .signing)
    }

    private static let formNote: Phrase = """
        This is the signature alone, without certificate and time. Most recipients want a signed message:
        """

    /// The destination of the result for a file.
    private func place(for file: String) -> String {
        if let destination { return destination }
        return file == "-" ? "-" : file + message.ending
    }

    /// Signs all files under one login, without anything around the signatures.
    ///
    /// - Parameter isCertified: Whether the key has a certificate on the token, if a person wants to know.
    private func rawSignatures(on token: Token, _ isCertified: Lock<Bool>) async throws -> Batch<SignedFile> {
        let (files, name, algorithm, place, isRead) = (files, key, algorithm, place, output.isRead)
        return try await secrets.perform(on: token) { session in
            let key = try session.keyPairs().only(named: name, .key, by: "--key")
            let algorithm = try AlgorithmName.choose(algorithm, for: key.kind)
            if isRead {
                let hasCertificate = try session.hasCertificate(for: key)
                isCertified.withLock { $0 = hasCertificate }
            }
            let progress = BatchProgress(.signing, count: files.count)
            defer { progress.end() }
            var batch = Batch<SignedFile>()
            for (number, file) in files.enumerated() {
                batch.attempt(file) {
                    let input = try InputFile(file)
                    let destination = try Destination(place(file))
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
                    return SignedFile(file: file.shownName, signature: destination.name?.shownName, error: nil)
                } failed: {
                    SignedFile(file: file.shownName, signature: nil, error: $1)
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

    @Option(help: .saying("A further certificate of the token that goes with signed messages.", valueName: "name"))
    var with: [String] = []

    @Flag(help: .saying("Sign although the certificate has expired."))
    var expired = false

    /// The ending of a result's name.
    var ending: String { cms ? (detached ? ".p7s" : ".p7m") : ".sig" }
}

/// The result for a file to be signed.
struct SignedFile: Encodable, Sendable {
    let file: String
    let signature: String?
    let error: String?
}

private struct SignedFiles: Report {
    let files: [SignedFile]

    func text(_ style: Style) -> String {
        files.compactMap { $0.signature.map { $0.printable + "\n" } }.joined()
    }
}
