// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct TimestampCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "timestamp",
            abstract: translated("Get time stamps for files from an authority."),
            discussion: translated(
                """
                The time stamp of FILE proves that FILE existed at that time (RFC 3161). It is written to FILE.tsr \
                once the authority's reply was verified: "kanal verify --ca CA FILE.tsr" verifies it. Only the digest \
                of FILE is sent, by the program "curl". No token is needed. "kanal sign --cms --timestamp" stamps \
                signatures.
                """))
    }

    @OptionGroup var output: OutputOptions

    @Option(help: .saying("The address of the authority, http:// or https://.", valueName: "url"))
    var url: String

    @OptionGroup var authority: AuthorityOptions

    @Option(help: .saying("The hash function of the files.", valueName: "hash"))
    var hash = StampHash.streebog256

    @OptionGroup var place: ResultPlaceOption

    @Argument(help: .saying("The files.", valueName: "files"), completion: .file(), transform: FileName.argument)
    var files: [String]

    func validate() throws {
        guard !files.isEmpty, !files.contains("-") else { throw ValidationError(translated("name a file")) }
        guard files.count == 1 || place.destination == nil else {
            throw ValidationError(translated("--output goes with one file"))
        }
        guard place.destination != "-" else { throw ValidationError(translated("--output needs a file")) }
        try authority.validate(url)
    }

    func run() async throws {
        let authority = try authority.authority(at: url)
        let progress = BatchProgress(.stamping, count: files.count)
        defer { progress.end() }
        var batch = Batch<StampedFile>(files)
        for (number, file) in files.enumerated() {
            await batch.attempt(file) {
                let input = try InputFile(file)
                let name = place.destination ?? file + ".tsr"
                let result = try Destination(name, replaces: place.replacing.overwrite)
                let source = input.source(progress: progress.begin(number, input))
                let (stamp, reply) = try await authority.stamp(source, hash: hash.function)
                try result.write(reply)
                try result.finish()
                return StampedFile(file, timeStamp: result.name, VerifiedFile.Stamp(stamp))
            } failed: {
                StampedFile(file, error: $1)
            }
        }
        try output.show(
            StampedFiles(files: batch.results, untried: batch.untried.isEmpty ? nil : batch.untried),
            endingWith: batch.error(.stamping))
        try batch.finish(.stamping)
    }
}

/// The hash function of a stamped file, as it is typed.
enum StampHash: String, CaseIterable, ExpressibleByArgument {
    case streebog256, streebog512, sha256, sha384, sha512

    var function: TimeStampAuthority.HashFunction {
        switch self {
        case .streebog256: .streebog256
        case .streebog512: .streebog512
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}

/// The result for a file to be stamped.
struct StampedFile: Encodable, Sendable {
    let file: String
    /// The file of the time stamp.
    let timeStamp: String?
    let time: String?
    /// The subject of the authority's certificate.
    let authority: String?
    let error: String?

    init(_ file: String, timeStamp: String? = nil, _ stamp: VerifiedFile.Stamp? = nil, error: String? = nil) {
        (self.file, self.timeStamp) = (file.shownName, timeStamp?.shownName)
        (time, authority, self.error) = (stamp?.time, stamp?.authority, error)
    }
}

private struct StampedFiles: Report {
    let files: [StampedFile]
    let untried: [String]?

    func text(_ style: Style) -> String {
        files.compactMap { file in
            guard let place = file.timeStamp, let time = file.time else { return nil }
            let authority = Phrase(verbatim: file.authority?.printable ?? "")
            return "\(place.printable): " + translated("stamped at \(time) by \(authority)") + "\n"
        }.joined()
    }
}
