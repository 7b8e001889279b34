// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalESIA
import KanalKit
import Terminal
import Translation

struct CodeExchange: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "exchange",
            abstract: translated(
                "Exchange the identity service's answer for tokens, verify them, and show their claims."),
            discussion: translated(
                """
                The options are the same as for "kanal esia url", with the state that it printed. The program "curl" \
                sends the request. The tokens themselves are written with --output only: as JSON, to a file that its \
                owner alone can read.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var identity: ESIAOptions
    @OptionGroup var redirect: RedirectOption
    @OptionGroup var reply: ReplyOptions

    @Option(help: .saying("The state of the address that the user opened.", valueName: "uuid"))
    var state: String

    @Option(help: .saying("The path of the exchange. (default: the path of the --api)", valueName: "path"))
    var path: String?

    @Option(help: .saying("The time limit of the exchange, 1 to 300.", valueName: "seconds"))
    var timeLimit = 30

    @Argument(help: .saying("The address that the browser was sent to, or - for standard input.", valueName: "answer"))
    var answer = "-"

    func validate() throws {
        guard (1...300).contains(timeLimit) else { throw ValidationError(translated("--time-limit is 1 to 300")) }
        guard answer != "-" || !secrets.usesStandardInput else {
            throw ValidationError(translated("the answer and the PIN cannot both be on standard input"))
        }
    }

    /// Longer answers are refused anyway.
    private static let limit = 1 << 15

    func run() async throws {
        var service = identity.service(redirect.redirectURI, token: path)
        service.issuer = reply.issuer
        let code = try service.code(from: try address(), state: state)
        try reply.check()
        let certificates = try reply.certificates()
        let client = try WebClient(authorities: reply.ca, seconds: timeLimit)
        let (described, key) = (service, identity.key)
        let tokens = try await secrets.perform(on: try await token.find()) { session in
            let signer = try MessageSigners.certificates(of: session, named: key, with: []).signer
            return try session.tokenRequest(to: described, by: signer, code: code)
        } then: { request in
            let reply = try client.send(request)
            return try described.tokens(
                from: reply.body, status: reply.status, state: request.state, trusting: certificates)
        }
        try reply.show(tokens, output)
    }

    /// The address to which the browser was redirected, in one line.
    private func address() throws -> String {
        guard answer == "-" else { return answer }
        let bytes = try InputFile("-").all(limit: Self.limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.failed, "the answer on standard input is not text")
        }
        return String(text.prefix { !$0.isNewline })
    }
}

/// How the service's reply is verified, and where its tokens go.
struct ReplyOptions: ParsableArguments {
    @Option(
        help: .saying("A file with certificates of the service, whose keys sign its tokens.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var serviceCertificate: [String]

    @Option(help: .saying("The issuer that the service's tokens must name.", valueName: "name"))
    var issuer = "http://esia.gosuslugi.ru/"

    @Option(
        help: .saying(
            "A file with the authorities that certify the server of the service. (default: the system's)",
            valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write the tokens to.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @OptionGroup var replacing: OverwriteOption

    /// The certificates whose keys sign the service's tokens.
    func certificates() throws -> [[UInt8]] { try serviceCertificate.flatMap { try PEM.certificate.read($0) } }

    /// Finds out whether the tokens can be written, before a PIN is asked for and the code is used up.
    func check() throws { try replacing.check(destination) }

    /// Writes the tokens to their file, and shows their claims.
    func show(_ tokens: ESIATokens, _ output: OutputOptions) throws {
        if let destination {
            let file = try replacing.open(destination, isPrivate: true)
            try file.write(tokens.json)
            try file.finish()
        }
        try output.show(ESIAReport(tokens, file: destination?.shownName))
    }
}

extension ESIATokens {
    /// The tokens as RFC 6749, 5.1 has them.
    fileprivate var json: [UInt8] {
        var bytes = Array("{".utf8)
        for (name, token) in [("access_token", access), ("id_token", identityToken), ("refresh_token", renewal)] {
            guard let token else { continue }
            bytes += Array("\"\(name)\":\"".utf8)
            // They are of visible characters of ASCII.
            token.withBytes { token in
                for index in token.indices {
                    if [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(token[index]) {
                        bytes.append(UInt8(ascii: "\\"))
                    }
                    bytes.append(token[index])
                }
            }
            bytes += Array("\",".utf8)
        }
        return bytes + Array("\"expires_at\":\(accessClaims.expiry)}\n".utf8)
    }
}

/// The user who signed in, and the time of expiry.
private struct ESIAReport: Report {
    let subject: String?
    let expiry: String
    /// From the identity token, or else from the access token.
    let claims: [String: ClaimEntry]
    let file: String?

    init(_ tokens: ESIATokens, file: String?) {
        let token = tokens.identity ?? tokens.accessClaims
        subject = token.subject
        expiry = Timestamp(tokens.accessClaims.expiry).text
        claims = token.claims.mapValues(ClaimEntry.init)
        self.file = file
    }

    func text(_ style: Style) -> String {
        var facts = KeyValueList()
        facts.add("signed in", subject)
        facts.add("access until", expiry)
        for (name, claim) in claims.sorted(by: { $0.key < $1.key }) {
            facts.add(Phrase(verbatim: name.printable), claim.text)
        }
        return facts.text(style)
    }
}

/// A claim of a token, as printed.
private struct ClaimEntry: Encodable, Sendable {
    let claim: WebToken.Claim

    init(_ claim: WebToken.Claim) { self.claim = claim }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch claim {
        case .text(let text): try container.encode(text)
        case .number(let text):
            if let number = Int64(text) { try container.encode(number) } else { try container.encode(Double(text)) }
        case .flag(let flag): try container.encode(flag)
        case .list(let claims): try container.encode(claims.map(Self.init))
        case .object(let claims): try container.encode(claims.mapValues(Self.init))
        case .null: try container.encodeNil()
        }
    }

    /// For people.
    var text: String {
        switch claim {
        case .text(let text), .number(let text): text
        case .flag(let flag): flag ? translated("yes") : translated("no")
        case .list(let claims): claims.map { Self($0).text }.joined(separator: ", ")
        case .object(let claims):
            claims.sorted { $0.key < $1.key }.map { "\($0.key): \(Self($0.value).text)" }.joined(separator: ", ")
        case .null: ""
        }
    }
}
