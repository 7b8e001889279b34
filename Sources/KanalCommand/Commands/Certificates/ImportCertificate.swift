// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct ImportCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "import",
            abstract: translated("Put certificates onto the token, each under the id of its key."),
            discussion: translated(
                """
                The key is the one on the token that has the certificate's public key. A certificate without its key, \
                such as an authority's, gets an id of its own.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Option(help: .saying("Another id, in hexadecimal digits.", valueName: "id"))
    var id: Identifier?

    @Option(help: .saying("A name. (default: the key's, or the subject's)", valueName: "text"))
    var label: String?

    @Argument(
        help: .saying(
            "The file: PEM with certificates, DER with one, or a message that brings certificates (.p7b).",
            valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var file: String

    func run() async throws {
        let values = try PEM.certificate.read(file)
        for value in values { _ = try CertificateSummary.read(value, from: file) }
        guard values.count == 1 || id == nil else {
            throw CommandError(.usage, "\(file) has several certificates, which cannot have one id")
        }
        let (id, label) = (id?.bytes, label)
        let token = try await token.find()
        let serial = token.information.serialText
        let outcome = try await pin.perform(on: token) { session in
            var present = try session.certificates()
            let keys = try Self.keys(of: session)
            return try ImportOutcome(of: values) { value, summary in
                guard !present.contains(where: { $0.value == value }) else {
                    throw CommandError(
                        .failed, "the certificate of \(summary.subject.phrase) is on the token already")
                }
                let publicKey = try? PublicKey(of: value)
                let pair = keys.first { $0.publicKey == publicKey }?.pair
                let labelOfPair: String? = pair.flatMap { $0.label.isEmpty ? nil : $0.label }
                let name: String = label ?? labelOfPair ?? summary.subject["CN"] ?? ""
                let known: [UInt8]? = try id ?? pair?.id ?? publicKey?.identifier
                let taken: [[UInt8]] = keys.map(\.pair.id) + present.map(\.id)
                let stored = try session.importCertificate(value, id: known ?? taken.unused, label: name)
                present.append(stored)
                return CertificateEntry(stored, isLoggedIn: true, serial: serial)
            }
        }
        try output.show(ImportedCertificates(outcome), endingWith: outcome.failure)
        if let failure = outcome.failure { throw failure }
        if outcome.stored.contains(where: { $0.hasPrivateKey == true }) { try output.hint(.sign) }
    }

    /// The key pairs with a known public half.
    private static func keys(of session: borrowing Session) throws -> [(pair: KeyPair, publicKey: PublicKey)] {
        var keys: [(KeyPair, PublicKey)] = []
        for pair in try session.keyPairs() {
            guard let info = try? session.publicKeyInfo(of: pair), let key = try? PublicKey(info: info) else {
                continue
            }
            keys.append((pair, key))
        }
        return keys
    }
}

extension CertificateSummary {
    /// Reads a certificate of a file.
    static func read(_ value: [UInt8], from file: String) throws -> CertificateSummary {
        guard let summary = try? CertificateSummary(of: value) else {
            throw CommandError(.failed, "\(file) has no certificate in it that can be read")
        }
        return summary
    }
}

/// The certificates of a file, one after the other. A refused one does not keep the next from the token; a token that
/// cannot be reached does.
private struct ImportOutcome: Sendable {
    private(set) var stored: [CertificateEntry] = []
    private(set) var failed: [(subject: CertificateSummary.Name, reason: Phrase)] = []
    private(set) var untried: [CertificateSummary.Name] = []
    private var status = ExitStatus.failed

    /// - Throws: The error of the only certificate, and one after which nothing is on the token.
    init(
        of values: [[UInt8]], _ store: ([UInt8], CertificateSummary) throws -> CertificateEntry
    ) throws {
        var isOver = false
        for value in values {
            let summary = try CertificateSummary(of: value)
            guard !isOver else {
                untried.append(summary.subject)
                continue
            }
            do { stored.append(try store(value, summary)) } catch {
                let isOfOne = Self.isOfOneCertificate(error)
                guard values.count > 1, isOfOne || !stored.isEmpty || !failed.isEmpty else { throw error }
                isOver = !isOfOne
                if isOver { status = ExitStatus(of: error) ?? .failed }
                failed.append((summary.subject, ExitStatus.message(of: error) ?? Phrase(verbatim: "\(error)")))
            }
        }
    }

    private static func isOfOneCertificate(_ error: any Error) -> Bool {
        switch error {
        case is CommandError, KanalError.invalidArgument, KanalError.refused: true
        default: false
        }
    }

    /// The error of all that are not on the token; nil if there is none.
    var failure: CommandError? {
        guard !failed.isEmpty else { return nil }
        let count = stored.count + failed.count + untried.count
        let reasons = Phrase(
            listing: failed.map { subject, reason in
                reason.description.contains(subject.description) ? reason : "\(subject.phrase): \(reason)"
            })
        let names = untried.map { translated($0.phrase) }.joined(separator: "; ")
        let rest: Phrase = untried.isEmpty ? "" : "; not tried: \(names)"
        return CommandError(
            status, "\(stored.count) of \(count) certificates were put onto the token; not stored: \(reasons)\(rest)")
    }
}

/// Certificates that are on the token now, and those that are not.
private struct ImportedCertificates: Report {
    struct Failed: Encodable {
        let subject: String
        let error: Phrase
    }

    let certificates: [CertificateEntry]
    let failed: [Failed]?
    let untried: [String]?

    init(_ outcome: ImportOutcome) {
        certificates = outcome.stored
        let failed = outcome.failed.map { Failed(subject: $0.subject.description, error: $0.reason) }
        self.failed = failed.isEmpty ? nil : failed
        untried = outcome.untried.isEmpty ? nil : outcome.untried.map(\.description)
    }

    func text(_ style: Style) -> String { certificates.map { $0.facts().text(style) }.joined(separator: "\n") }
}
