// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct RequestCertificate: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "request",
            abstract: translated("Write a request for a certificate of a key (PKCS #10)."),
            discussion: translated(
                """
                The name is written as in RFC 4514, with the most specific part first: "CN=Ann,O=Company,C=RU". A \
                comma within a value has a backslash before it. With --subject several times the parts are joined in \
                this order. Types are OpenSSL's names, such as emailAddress, INN, OGRN and SNILS, INNLE, OGRNIP, their \
                Russian names ИНН, ОГРН, СНИЛС, ИНН ЮЛ and ОГРНИП, or object identifiers in digits and dots.

                The type of a field decides how its text is encoded. UTF8String:, PrintableString:, NumericString:, \
                IA5String: or BMPString: before the text overrides that, as in "L=BMPString:Moscow"; # begins a value \
                in DER, in hexadecimal digits.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var result: EncodedOutput

    @Option(
        name: [.short, .long], help: .saying("The key's label or id. (default: the only key)", valueName: "key"))
    var key: String?

    @Option(help: .saying("The name of the certificate's subject. (default: ask)", valueName: "name"))
    var subject: [String] = []

    @Option(
        name: .customLong("extension"),
        help: .saying(
            "An extension to ask for, in OpenSSL's spelling: keyUsage=critical,digitalSignature.",
            valueName: "type=value"))
    var extensions: [String] = []

    @Option(
        help: .saying(
            "The extensions that a purpose needs: pkinit for a login by Kerberos, with --principal.",
            valueName: "purpose"))
    var profile: RequestProfile?

    @Option(help: .saying("The Kerberos principal of the certificate's subject.", valueName: "name@REALM"))
    var principal: KerberosPrincipal?

    func validate() throws {
        try result.validate(with: output)
        _ = try fields()
        _ = try extensionFields()
    }

    func run() async throws {
        try result.check()
        let (key, extensions) = (key, try extensionFields())
        // Without a terminal or a token nothing is asked.
        if subject.isEmpty { try Self.requireTerminal() }
        let token = try await token.find()
        let fields = try subject.isEmpty ? SubjectQuestions.fields().reversed() : fields()
        let request = try await secrets.perform(on: token) { session in
            let pair = try session.keyPairs().only(named: key, .key, by: "--key")
            return try session.certificationRequest(for: pair, subject: fields, extensions: extensions)
        }
        try result.write(request, as: .certificationRequest, output)
        if let file = result.file { try output.hint(.importCertificate(request: file.shownName)) }
    }

    private static func requireTerminal() throws {
        do throws(Console.Failure) { _ = try ProgramContext.current.terminal() } catch {
            guard case .none = error else { throw error }
            throw CommandError(
                .usage, "there is no terminal to ask on: name the certificate's subject with --subject")
        }
    }

    private func fields() throws -> [RequestField] {
        // A name is encoded with the most specific field at the end.
        try subject.flatMap { part throws -> [RequestField] in
            do throws(SubjectName.Malformed) {
                return try SubjectName.fields(of: part)
            } catch {
                throw ValidationError(translated(error.explanation))
            }
        }.reversed()
    }

    private func extensionFields() throws -> [RequestField] {
        guard profile != nil || principal == nil else {
            throw ValidationError(translated("--principal goes with --profile pkinit"))
        }
        let profiled = try profile?.extensions(for: principal) ?? []
        return try profiled
            + extensions.map { text in
                let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard halves.count == 2 else {
                    throw ValidationError(translated("\(text.printable) is not an extension: write type=value"))
                }
                guard !profiled.contains(where: { $0.type == halves[0] }) else {
                    throw ValidationError(translated("--profile and --extension both have \(halves[0])"))
                }
                return RequestField(halves[0], halves[1])
            }
    }
}
