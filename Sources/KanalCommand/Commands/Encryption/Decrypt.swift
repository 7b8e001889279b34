// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Decrypt: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "decrypt",
            abstract: translated("Decrypt files with a key of the token."),
            discussion: translated(
                """
                FILE is an encrypted message, in DER, BER, PEM, base64 or S/MIME. Its content is written to FILE \
                without the ending .enc, .p7m or .cms, or to the file of --output: only after the whole message was \
                read and its authentication code, if any, was verified. Until then it is in a private file beside it.

                The key is the one whose certificate the message names. GOST and P-256 keys must have been generated \
                with --agree, and the token needs a command for key agreement, which no vendor has published: on real \
                tokens, RSA keys and the keys of key containers open messages.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: .saying(
            "A file with the certificate of a key on the token, if it is not there, or the sender's.", valueName: "file"
        ),
        completion: .file(), transform: FileName.argument)
    var certificate: [String] = []

    @OptionGroup var place: ResultPlaceOption

    @OptionGroup var input: InputFiles
    var files: [String] { input.files }

    private static let endings = [".enc", ".p7m", ".cms"]

    func validate() throws {
        try input.require(isOfOne: place.destination != nil, "standard input and --output go with one file")
        // The content would be output before its end is known.
        guard place.destination != "-" else { throw ValidationError(translated("--output needs a file")) }
        guard place.destination != nil || files.allSatisfy({ Self.content(of: $0) != nil }) else {
            throw ValidationError(
                translated("a file that does not end with .enc, .p7m or .cms needs --output for its content"))
        }
    }

    /// The name of a message's content, by the message's.
    private static func content(of file: String) -> String? {
        endings.first(where: file.hasSuffix).map { String(file.dropLast($0.count)) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    func run() async throws {
        let certificates = try certificate.flatMap { file in
            let values = try PEM.certificate.read(file)
            for value in values { _ = try CertificateSummary.read(value, from: file) }
            return values
        }
        var batch = Batch<DecryptedFile>(files)
        let files = pending(&batch)
        if !files.isEmpty { batch = try await decrypt(files, certificates, batch) }
        try output.show(DecryptedFiles(files: batch.results), endingWith: batch.error(.decryption))
        try batch.finish(.decryption)
    }

    /// The files that are decrypted. Those that cannot be read, or whose content cannot have its place, are refused
    /// before the PIN is asked for.
    private func pending(_ batch: inout Batch<DecryptedFile>) -> [String] {
        files.filter { file in
            batch.admits(file) {
                try InputFile.check(file)
                try place.replacing.check(place.destination ?? Self.content(of: file))
            } failed: {
                DecryptedFile(file, error: $1)
            }
        }
    }

    private func decrypt(
        _ files: [String], _ certificates: [[UInt8]], _ batch: Batch<DecryptedFile>
    ) async throws -> Batch<DecryptedFile> {
        let token = try await token.find()
        return try await secrets.perform(on: token) { session in
            try session.keyPairs().count
        } then: { _ in
            let progress = BatchProgress(.decryption, count: files.count)
            defer { progress.end() }
            var batch = batch
            for (number, file) in files.enumerated() {
                await batch.attempt(file) {
                    let input = try InputFile(file)
                    let message = try MessageFile(input, file)
                    let place = place.destination ?? Self.content(of: file) ?? ""
                    let result = try ResultFile(place, replaces: self.place.replacing.overwrite)
                    guard !result.isWrittenDirectly else {
                        throw CommandError(
                            .usage, "\(place.printable) is not a regular file: the content goes to its place as a whole"
                        )
                    }
                    let opened = try await token.decryptMessage(
                        message.source(progress.begin(number, input)), certificates: certificates,
                        output: { try result.write($0) })
                    try result.finish()
                    return DecryptedFile(file, content: place, isAuthenticated: opened.isAuthenticated)
                } failed: {
                    DecryptedFile(file, error: $1)
                }
            }
            return batch
        }
    }
}

/// The result for a file to be decrypted.
struct DecryptedFile: Encodable, Sendable {
    let file: String
    let content: String?
    /// Whether the message has a code, which is right.
    let isAuthenticated: Bool?
    let error: String?

    init(_ file: String, content: String? = nil, isAuthenticated: Bool? = nil, error: String? = nil) {
        (self.file, self.content, self.error) = (file.shownName, content?.shownName, error)
        self.isAuthenticated = isAuthenticated
    }
}

private struct DecryptedFiles: Report {
    let files: [DecryptedFile]

    func text(_ style: Style) -> String {
        files.compactMap { file in
            file.content.map { content in
                let isSure = file.isAuthenticated == true
                let note = isSure ? "" : " " + translated("(without a code: changes go unnoticed)")
                return content.printable + note + "\n"
            }
        }.joined()
    }
}
