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
        help: .saying("The file: PEM with one or more certificates, or DER with one.", valueName: "file"),
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
        let imported = try await pin.perform(on: try await token.find()) { session in
            let present = try session.certificates()
            let keys = try Self.keys(of: session)
            let taken: [[UInt8]] = keys.map(\.pair.id) + present.map(\.id)
            return try values.map { value in
                let summary = try CertificateSummary(of: value)
                guard !present.contains(where: { $0.value == value }) else {
                    throw CommandError(
                        .failed, "the certificate of \(summary.subject.description) is on the token already")
                }
                let publicKey = try? PublicKey(of: value)
                let pair = keys.first { $0.publicKey == publicKey }?.pair
                let labelOfPair: String? = pair.flatMap { $0.label.isEmpty ? nil : $0.label }
                let name: String = label ?? labelOfPair ?? summary.subject["CN"] ?? ""
                let known: [UInt8]? = try id ?? pair?.id ?? publicKey?.identifier
                return CertificateEntry(
                    try session.importCertificate(value, id: known ?? taken.unused, label: name), isLoggedIn: true)
            }
        }
        try output.show(ImportedCertificates(certificates: imported))
    }

    /// The key pairs whose public half can be told.
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

/// Certificates that are on the token now.
private struct ImportedCertificates: Report {
    let certificates: [CertificateEntry]

    func text(_ style: Style) -> String { certificates.map { $0.facts().text(style) }.joined(separator: "\n") }
}
