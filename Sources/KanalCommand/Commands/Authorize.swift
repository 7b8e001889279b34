// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalESIA
import Logging
import Terminal
import Translation

struct Authorize: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "authorize",
            abstract: translated("Let another application authorise the user, and wait for its answer."),
            discussion: translated(
                """
                The other application is the desktop's handler for a scheme of addresses, or the browser. Its answer \
                returns by HTTP at 127.0.0.1, or by a scheme whose desktop file runs "kanal callback".

                The exit status shows the outcome: 0 success, 1 failure, 6 cancelled, 8 not installed, 9 not \
                configured.
                """),
            subcommands: [
                SessionRequest.self, ExtendedRequest.self, BiometricsRequest.self, InstallationPage.self,
                AnswerHandler.self,
            ])
    }
}

/// The application that authorises, and the way back of its answer.
private struct AuthorizationOptions: ParsableArguments {
    @Option(help: .saying("The scheme of the other application. (default: the browser)", valueName: "scheme"))
    var application: String?

    @Option(
        help: .saying("The scheme by which the answer returns. (default: HTTP at 127.0.0.1)", valueName: "scheme"))
    var answerScheme: String?

    @Option(help: .saying("The name by which the other application shows the requesting program.", valueName: "name"))
    var title = "kanal"

    @Option(help: .saying("The mnemonic of the information system that asks.", valueName: "name"))
    var system: String

    @Option(help: .saying("The page from which the other application is installed.", valueName: "address"))
    var installationPage: String?

    @Option(help: .saying("The time limit for the answer.", valueName: "seconds"))
    var timeLimit = 300

    func validate() throws {
        guard (1...86_400).contains(timeLimit) else {
            throw ValidationError(translated("the time limit is 1 to 86400 seconds"))
        }
    }

    /// Begins to work with the other application, and reports which lines of `kanal.conf` are wrong.
    func begin() throws -> Authorization {
        try TokenAccess.current.sayFaults()
        let settings = Authorization.Settings(
            application: application.map { .handler(scheme: $0) } ?? .browser,
            answers: answerScheme.map { .scheme($0) } ?? .loopback, title: title, informationSystem: system,
            installationPage: installationPage, timeLimit: .seconds(timeLimit))
        let log = Logger(label: "kanal") { _ in StandardErrorLog() }
        return TokenAccess.current.authorization(settings, log) { page in Self.offersInstallation(from: page) }
    }

    /// Asks the person at the terminal, if there is one, whether to open the installation page.
    private static func offersInstallation(from page: String) -> Bool {
        guard let console = try? ProgramContext.current.terminal() else { return false }
        let text: Phrase = "The other application is not installed, or cannot run. It can be installed from \(page)."
        console.show((translated(text).printable + "\n").wrapped(to: console.style.width))
        return (try? console.line(translated("Type yes to open that page: "))) == "yes"
    }

    /// Makes a request. If the other application is missing, the page from which it is installed is named.
    func request<Result>(_ body: (Authorization) async throws -> Result) async throws -> Result {
        do { return try await body(begin()) } catch AuthorizationError.notInstalled {
            guard let installationPage else { throw AuthorizationError.notInstalled }
            throw CommandError(
                .notInstalled,
                "the other application is not installed, or cannot run: install it from \(installationPage.printable)")
        }
    }
}

/// The page of the service to which the user goes.
private struct LocationOptions: ParsableArguments {
    @Argument(
        help: .saying(
            "The location that the service returned. {callback} stands for the address that the answer returns to.",
            valueName: "location"))
    var location: String

    func location(for authorization: Authorization) throws -> String {
        let parts = location.split(separator: "{callback}", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return location }
        let callback = try authorization.callback
        return parts.joined(separator: PercentEncoding.encoded(callback.utf8))
    }
}

private struct SessionRequest: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "session",
            abstract: translated("Begin a session with the identity service, by the location that it returned."))
    }

    @OptionGroup var options: AuthorizationOptions
    @OptionGroup var location: LocationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let code = try await options.request { authorization in
            try await authorization.authorizeSession(at: location.location(for: authorization))
        }
        try output.show(CodeReport(code))
    }
}

private struct ExtendedRequest: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "extended",
            abstract: translated("Extend the authorisation of a session, by the service's location."))
    }

    @OptionGroup var options: AuthorizationOptions
    @OptionGroup var location: LocationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let code = try await options.request { authorization in
            try await authorization.authorizeExtended(at: location.location(for: authorization))
        }
        try output.show(CodeReport(code))
    }
}

private struct BiometricsRequest: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "biometrics",
            abstract: translated("Authorise a session by biometrics in the other application."))
    }

    @OptionGroup var options: AuthorizationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: .saying("The session that the service wants authorised.", valueName: "identifier"))
    var session: String

    func run() async throws {
        let verification = try await options.request { authorization in
            try await authorization.authorizeSessionByBiometrics(session: session)
        }
        try output.show(VerificationReport(verification))
    }
}

private struct InstallationPage: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "install", abstract: translated("Open the page from which the other application is installed.")
        )
    }

    @OptionGroup var options: AuthorizationOptions

    func run() async throws { try await options.begin().openInstallationPage() }
}

private struct CodeReport: Report {
    let code: String
    let state: String

    init(_ result: AuthorizationCode) { (code, state) = (result.code, result.state) }

    func text(_ style: Style) -> String { translated("code: \(code.printable)\nstate: \(state.printable)") + "\n" }
}

private struct VerificationReport: Report {
    let verifyToken: String
    let expiry: String

    init(_ result: BiometricVerification) {
        (verifyToken, expiry) = (result.verifyToken, Timestamp(result.expiry).text)
    }

    func text(_ style: Style) -> String {
        translated("verify token: \(verifyToken.printable)\nvalid until: \(expiry.printable)") + "\n"
    }
}

struct Callback: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "callback",
            abstract: translated("Pass another application's answer to the program that waits for it."),
            discussion: translated(
                """
                The desktop runs it when the other application opens an address of a scheme that belongs to the \
                program that waits. That program's desktop file says so:

                [Desktop Entry]
                Type=Application
                Name=Example
                NoDisplay=true
                Exec=kanal callback %u
                MimeType=x-scheme-handler/example;

                An answer that nobody waits for, or whose state is not that of a request, that comes a second time, \
                too late, is longer than 8192 bytes or malformed is refused: the command says why, and the program \
                waits on. Exit status 0 means that the answer was taken, 1 that it was refused.
                """))
    }

    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("The address that the other application has opened.", valueName: "url"))
    var url: String

    func run() async throws {
        try TokenAccess.current.sayFaults()
        try await TokenAccess.current.answer(url)
        try output.show(TakenAnswer())
    }
}

private struct TakenAnswer: Report {
    let answer = "taken"

    func text(_ style: Style) -> String { translated("The answer was taken.") + "\n" }
}
