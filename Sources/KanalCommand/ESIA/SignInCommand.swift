// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalESIA
import KanalKit
import Logging
import Terminal
import Translation

struct SignInCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "login",
            abstract: translated(
                "Sign a user in: open the browser, wait for the answer, exchange it, and verify the tokens."),
            discussion: translated(
                """
                The answer returns by HTTP at 127.0.0.1. The port is chosen before the request is signed, unless the \
                redirect address names one. The token stays logged in while the user is in the browser.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var secrets: KeyUseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var identity: ESIAOptions
    @OptionGroup var reply: ReplyOptions

    @Option(
        name: .customLong("redirect-uri"),
        help: .saying(
            "The address for the answer: http://127.0.0.1/PATH, or http://127.0.0.1:PORT/PATH.", valueName: "url"))
    var redirectURI = "http://127.0.0.1/authorization"

    @Option(help: .saying("The path that the browser opens. (default: the path of the --api)", valueName: "path"))
    var path: String?

    @Option(help: .saying("The path of the exchange. (default: the path of the --api)", valueName: "path"))
    var tokenPath: String?

    @Option(help: .saying("The time limit for the user.", valueName: "seconds"))
    var timeLimit = 300

    @Flag(help: .saying("Ask for access that continues after the user has left."))
    var offline = false

    @Flag(help: .saying("Show the address, which the user opens by hand."))
    var noBrowser = false

    func validate() throws {
        guard (1...86_400).contains(timeLimit) else {
            throw ValidationError(translated("the time limit is 1 to 86400 seconds"))
        }
    }

    /// The longest exchange, in seconds.
    private static let exchangeLimit = 30

    func run() async throws {
        try reply.check()
        let certificates = try reply.certificates()
        let client = try WebClient(authorities: reply.ca, seconds: Self.exchangeLimit)
        var wanted = identity.service(redirectURI, authorization: path, token: tokenPath)
        wanted.issuer = reply.issuer
        wanted.isOffline = offline
        let show: @Sendable (String) -> Void = { address in try? OutputStream.error.write(address + "\n") }
        let signIn = try SignIn(
            to: wanted, title: "kanal", timeLimit: .seconds(timeLimit),
            log: Logger(label: "kanal") { _ in StandardErrorLog() }, open: noBrowser ? show : nil)
        let (service, key) = (signIn.service, identity.key)
        let token = try await token.find()
        let tokens = try await secrets.perform(on: token) { session in
            let signer = try MessageSigners.certificates(of: session, named: key, with: []).signer
            return (signer, try session.signInRequest(to: service, by: signer))
        } then: { signer, request in
            try OutputStream.error.write(translated("Waiting for the user to sign in in the browser.") + "\n")
            let code = try await Self.code(signIn, request)
            let exchange = try await tokenRequest(code, signer, service, on: token)
            let answer = try client.send(exchange)
            return try service.tokens(
                from: answer.body, status: answer.status, state: exchange.state, trusting: certificates)
        }
        try reply.show(tokens, output)
    }

    private static func code(_ signIn: SignIn, _ request: SignInRequest) async throws -> String {
        do { return try await signIn.code(for: request) } catch AuthorizationError.notInstalled {
            throw CommandError(
                .notInstalled, "no browser opens the address: with --no-browser it is shown, and opened by hand")
        }
    }

    /// The request for tokens. The PIN is asked for again if the configuration forbids to keep it.
    private func tokenRequest(
        _ code: String, _ signer: TokenCertificate, _ service: ESIAService, on token: Token
    ) async throws -> TokenRequest {
        let make: @Sendable (borrowing Session) throws -> TokenRequest = { session in
            try session.tokenRequest(to: service, by: signer, code: code)
        }
        do { return try await token.perform(make) } catch KanalError.pinNeeded {
            return try await secrets.perform(on: token, make)
        }
    }
}
