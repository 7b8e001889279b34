// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Extend: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            abstract: translated("Keep signed messages valid beyond the end of their certificates."),
            discussion: translated(
                """
                Each FILE is a signed message, or has one beside it. Its signatures are verified, each signer's \
                certificate must lead to one of those in --ca, and an authority stamps the time. With --level t each \
                signature gets a time stamp (CAdES-T). With --level xlt1 the message also gets the certificates up to \
                a trusted one and the proof that none of them is revoked, from --crl, from --ocsp or fetched, and a \
                stamp over all of it (CAdES-X Long type 1). All other bytes and the encoding stay. The new message \
                replaces the old one, unless --output names another file. No token is needed.
                """))
    }

    @OptionGroup var output: OutputOptions

    @Option(help: .saying("The form to write: t or xlt1.", valueName: "level"))
    var level = RaisedLevel.xlt1

    @Option(help: .saying("The address of the authority that stamps, http:// or https://.", valueName: "url"))
    var timestamp: String

    @OptionGroup var authority: AuthorityOptions
    @OptionGroup var online: OnlineOptions

    @Option(
        help: .saying("A file with certificates of signers and authorities.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var certificate: [String] = []

    @Option(
        help: .saying("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var content: String?

    @OptionGroup var place: ResultPlaceOption

    @Argument(help: .saying("The files.", valueName: "files"), completion: .file(), transform: FileName.argument)
    var files: [String]

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError(translated("name a file")) }
        guard files.count == 1 || (place.destination == nil && content == nil && !files.contains("-")) else {
            throw ValidationError(translated("standard input, --output and --content go with one file"))
        }
        guard !output.json || (place.destination ?? files[0]) != "-" else {
            throw ValidationError(translated("--json goes with files: name one with --output"))
        }
        try authority.validate(timestamp)
    }

    func run() async throws {
        let known = try MessageTrust.certificates(certificate)
        let raiser = try authority.raiser(at: timestamp, knowing: known, online)
        let progress = BatchProgress(.extension, count: files.count)
        defer { progress.end() }
        var batch = Batch<SignedFile>(files)
        for (number, file) in files.enumerated() {
            await batch.attempt(file) {
                let changed = try ChangedMessage(
                    file, content: content, known: known, destination: place.destination,
                    replaces: place.replacing.overwrite, number, progress)
                let result = changed.result
                try await raiser.raise(changed.message, to: level.form) { try result.write($0) }
                try result.finish()
                return SignedFile(file, signature: result.name)
            } failed: {
                SignedFile(file, error: $1)
            }
        }
        if (place.destination ?? files[0]) != "-" {
            try output.show(SignedFiles(batch), endingWith: batch.error(.extension))
        }
        try batch.finish(.extension)
    }
}

/// The form that signed messages are raised to, as it is typed.
enum RaisedLevel: String, CaseIterable, ExpressibleByArgument {
    case t, xlt1

    var form: MessageRaiser.Form {
        switch self {
        case .t: .t
        case .xlt1: .xLongType1
        }
    }
}

extension AuthorityOptions {
    /// The raiser of messages whose signers are trusted like the authority at an address.
    ///
    /// - Parameter known: Further certificates in DER.
    func raiser(at url: String, knowing known: [[UInt8]], _ online: OnlineOptions) throws -> MessageRaiser {
        var authority = try authority(at: url)
        authority.verifier.online = online.answers
        var verifier = authority.verifier
        verifier.certificates += known
        return MessageRaiser(trusting: verifier, stampedBy: authority)
    }
}
