// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct CertificateCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "cert",
            abstract: translated("Show, request, import, export and delete certificates."),
            discussion: translated("A certificate is named by its label, or by its id in hexadecimal digits."),
            subcommands: [
                ShowCertificate.self, RequestCertificate.self, ImportCertificate.self, ExportCertificate.self,
                DeleteCertificate.self,
            ])
    }
}

struct ShowCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "show", abstract: translated("Show the contents of certificates. No PIN is needed."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("The certificate's label or id. (default: all)", valueName: "certificate"))
    var certificate: String?

    func run() async throws {
        let (name, token) = (certificate, try await token.find())
        let serial = token.information.serialText
        let shown = try await token.perform { session in
            let all = try session.certificates()
            let chosen = try name.map { [try all.only(named: $0, .certificate)] } ?? all
            return try chosen.map {
                ShownCertificate($0, fingerprint: try $0.fingerprint().hexadecimal, serial: serial)
            }
        }
        try output.show(ShownCertificates(certificates: shown))
    }
}

struct ExportCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: translated("Write a certificate. No PIN is needed."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var result: EncodedOutput

    @Argument(help: .saying("The certificate's label or id. (default: the only certificate)", valueName: "certificate"))
    var certificate: String?

    func validate() throws { try result.validate(with: output) }

    func run() async throws {
        try result.check()
        let name = certificate
        let value = try await token.find().perform { session in
            try session.certificates().only(named: name, .certificate).value
        }
        try result.write(value, as: .certificate, output)
    }
}

struct DeleteCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: translated("Delete a certificate from the token. Its key stays."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: .saying("The certificate's label or id.", valueName: "certificate"))
    var certificate: String

    func run() async throws {
        let (name, token) = (certificate, try await token.find())
        let certificate = try await pin.perform(on: token) { session in
            try session.certificates().only(named: name, .certificate)
        } then: { certificate in
            let subject = (try? certificate.summary())?.subject.phrase ?? Phrase("an unknown subject")
            try confirmation.require(
                """
                The certificate \(certificate.caption) of \(subject) will be lost, unless there is a copy: \
                "kanal cert export" makes one. Its key stays.
                """
            )
            try await token.perform { session in try session.delete(certificate) }
            return certificate
        }
        try output.show(DeletedReport(id: certificate.id.hexadecimal, label: certificate.label))
    }
}

/// A certificate with all fields that are shown.
private struct ShownCertificate: Encodable, Sendable {
    let certificate: CertificateEntry
    let fingerprint: String

    private enum CodingKeys: CodingKey {
        case fingerprint
    }

    init(_ certificate: TokenCertificate, fingerprint: String, serial: String) {
        self.certificate = CertificateEntry(certificate, isLoggedIn: false, serial: serial)
        self.fingerprint = fingerprint
    }

    func encode(to encoder: any Encoder) throws {
        try certificate.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fingerprint, forKey: .fingerprint)
    }
}

private struct ShownCertificates: Report {
    let certificates: [ShownCertificate]

    func text(_ style: Style) -> String {
        guard !certificates.isEmpty else { return translated("There is no certificate on the token.") + "\n" }
        return certificates.map { shown in
            var facts = shown.certificate.facts()
            facts.add("Streebog-256", shown.fingerprint)
            return facts.text(style)
        }.joined(separator: "\n")
    }
}
