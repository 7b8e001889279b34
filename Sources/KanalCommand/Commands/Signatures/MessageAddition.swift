// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// Whether signatures go into messages that are there already, and how.
struct AdditionOptions: ParsableArguments {
    @Flag(help: .saying("Put a further signer into signed messages."))
    var add = false

    @Flag(help: .saying("Countersign the signatures of signed messages."))
    var countersign = false

    @Option(
        help: .saying(
            "The signer to countersign: a name (CN), or the number of a certificate. (default: each)",
            valueName: "name"))
    var signer: [String] = []

    @Option(
        help: .saying("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var content: String?

    @Flag(help: .saying("Sign again with a certificate that has signed already."))
    var again = false

    var isGiven: Bool { add || countersign }

    func validate(with sign: Sign) throws {
        guard isGiven || (content == nil && !again) else {
            throw ValidationError(translated("--content and --again go with --add and --countersign"))
        }
        guard !add || !countersign else {
            throw ValidationError(translated("--add and --countersign exclude each other"))
        }
        guard countersign || signer.isEmpty else {
            throw ValidationError(translated("--signer goes with --countersign"))
        }
        guard isGiven else { return }
        guard !sign.esia, !sign.message.detached, sign.form.extension == nil, !sign.form.base64,
            !sign.places.skipSigned
        else {
            throw ValidationError(
                translated(
                    "a message stays as it is: --detached, --base64, --extension, --skip-signed and --esia do not go with --add and --countersign"
                ))
        }
        guard sign.files.count == 1 || content == nil else {
            throw ValidationError(translated("--content goes with one file"))
        }
    }
}

/// Further signatures in messages of files, all under one login.
struct MessageAddition {
    let files: [String]
    let signers: MessageSigners
    let options: AdditionOptions
    let destination: String?
    /// Whether a file other than the message's may be replaced.
    let replaces: Bool
    let output: OutputOptions

    /// The files that are changed. Those that cannot be read, or whose result cannot have its place, are refused before the
    /// PIN is asked for.
    func pending(_ batch: inout Batch<SignedFile>) -> [String] {
        files.filter { file in
            batch.admits(file) {
                for name in [file, options.content].compactMap(\.self) { try InputFile.check(name) }
                // Whether the result is text, the message says.
                if let destination { try Destination.check(destination, replaces: replaces, isText: true) }
            } failed: {
                SignedFile(file, error: $1)
            }
        }
    }

    func run(
        _ files: [String], on token: Token, _ secrets: KeyUseOptions, _ batch: Batch<SignedFile>
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
                    let name = try await namingRemedies { try await add(found, to: file, on: token, number, progress) }
                    return SignedFile(file, signature: name)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
            if !batch.results.isEmpty { try found.warn(of: token, output) }
            return batch
        }
    }

    /// - Returns: The name of the file with the result; nil for standard output.
    private func add(
        _ found: MessageSigners.Found, to file: String, on token: Token, _ number: Int, _ progress: BatchProgress
    ) async throws -> String? {
        let changed = try ChangedMessage(
            file, content: options.content, known: signers.known, destination: destination, replaces: replaces, number,
            progress)
        let (message, result) = (changed.message, changed.result)
        if options.add {
            try await token.addSigners(
                found.signers, to: message, certificates: found.certificates, allowsRepetition: options.again,
                output: { try result.write($0) })
        } else {
            let names = options.signer
            try await token.countersign(
                message, by: found.signers, certificates: found.certificates, allowsRepetition: options.again,
                of: { signer in names.isEmpty || names.contains(where: signer.isCalled) },
                output: { try result.write($0) })
        }
        try result.finish()
        return result.name
    }

    private func namingRemedies(_ body: () async throws -> String?) async throws -> String? {
        do { return try await body() } catch KanalError.messageRefused(.alreadySigned) {
            throw CommandError(
                .failed, "\(KanalError.messageRefused(.alreadySigned).explanation); --again signs it once more",
                of: KanalError.messageRefused(.alreadySigned), remedy: "--again")
        } catch KanalError.messageRefused(.noCertificate) {
            throw CommandError(
                .failed,
                "\(KanalError.messageRefused(.noCertificate).explanation): --certificate names a file that has it",
                of: KanalError.messageRefused(.noCertificate), remedy: "--certificate")
        }
    }
}

extension MessageSigner {
    /// Whether this is the common name in the certificate, all of the name, or the certificate's number.
    func isCalled(_ name: String) -> Bool {
        guard let summary = try? CertificateSummary(of: certificate) else { return false }
        return summary.subject["CN"] == name || summary.subject.description == name
            || summary.serialNumber.hexadecimal == name.lowercased().filter { $0 != ":" }
    }
}
