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

/// The address that the service's answer goes to.
struct RedirectOption: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: .saying(
            "The registered address to which the service sends the browser with its answer.", valueName: "url"))
    var redirectURI: String
}

struct SignInAddress: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "url",
            abstract: translated("Make the address that a user's browser opens to sign in."),
            discussion: translated(
                """
                The service accepts the address for some minutes. The state is random; "kanal esia exchange" compares \
                it with the answer's.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var identity: ESIAOptions
    @OptionGroup var redirect: RedirectOption

    @Option(help: .saying("The path that the browser opens. (default: the path of the --api)", valueName: "path"))
    var path: String?

    @Flag(help: .saying("Ask for access that continues after the user has left."))
    var offline = false

    func run() async throws {
        var service = identity.service(redirect.redirectURI, authorization: path)
        service.isOffline = offline
        let (described, key) = (service, identity.key)
        let request = try await secrets.perform(on: try await token.find()) { session in
            let signer = try MessageSigners.certificates(of: session, named: key, with: []).signer
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
