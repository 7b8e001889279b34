// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalESIA
import KanalKit
import Terminal
import Translation

struct ESIACommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "esia",
            abstract: translated("Sign users in by the state identity service (ESIA), with a key of the token."),
            discussion: translated(
                """
                "kanal esia url" makes the address that a user's browser opens. The service sends the browser to the \
                redirect address, with an answer behind it, which "kanal esia exchange" exchanges for tokens. Both \
                requests carry a client_secret that the token signs; the key is the certificate's that the service \
                knows. "kanal esia login" does all of it, with a browser of this machine.
                """),
            subcommands: [SignInCommand.self, SignInAddress.self, CodeExchange.self])
    }
}

/// The program's registration at the identity service.
struct ESIAOptions: ParsableArguments {
    @Option(help: .saying("The program's mnemonic at the service.", valueName: "mnemonic"))
    var clientID: String

    @Option(help: .saying("The data that the program asks for: names with spaces between.", valueName: "names"))
    var scope: [String]

    @Option(help: .saying("The service's address, without a path.", valueName: "url"))
    var host = "https://esia.gosuslugi.ru"

    @Option(help: .saying("v2 from version 2.90 of the service on, v1 for those before.", valueName: "api"))
    var api = Generation.v2

    @Option(
        name: [.short, .long],
        help: .saying(
            "The label or id of the certificate that the service knows, or of its key. (default: the only one)",
            valueName: "key"))
    var key: String?

    enum Generation: String, CaseIterable, ExpressibleByArgument {
        case v1, v2
    }

    /// The service, with the paths that are not its own.
    func service(
        _ redirectURI: String, authorization: String? = nil, token: String? = nil
    ) -> ESIAService {
        var service = ESIAService(
            clientID: clientID, scope: scope.flatMap { $0.split(separator: " ").map(String.init) },
            redirectURI: redirectURI, host: host, generation: api == .v1 ? .first : .second)
        if let authorization { service.authorizationPath = authorization }
        if let token { service.tokenPath = token }
        return service
    }
}

/// The address that the service's answer goes to.
struct RedirectOption: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: .saying(
            "Where the service sends the browser with its answer, as it was registered.", valueName: "url"))
    var redirectURI: String
}

struct SignInAddress: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "url",
            abstract: translated("Make the address that a user's browser opens to sign in."),
            discussion: translated(
                """
                The service takes it for some minutes. The state is random; "kanal esia exchange" compares the \
                answer's with it.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var identity: ESIAOptions
    @OptionGroup var redirect: RedirectOption

    @Option(help: .saying("Where the browser goes. (default: that of the --api)", valueName: "path"))
    var path: String?

    @Flag(help: .saying("Ask for access that continues after the user has left."))
    var offline = false

    func run() async throws {
        var service = identity.service(redirect.redirectURI, authorization: path)
        service.isOffline = offline
        let (described, key) = (service, identity.key)
        let request = try await secrets.perform(on: try await token.find()) { session in
            let signer = try MessageSigning.certificates(of: session, named: key, with: []).signer
            return try session.signInRequest(to: described, by: signer)
        }
        try output.show(SignInReport(url: request.url, state: request.state))
    }
}

private struct SignInReport: Report {
    let url: String
    let state: String

    func text(_ style: Style) -> String { translated("\(url)\nstate: \(state)") + "\n" }
}
