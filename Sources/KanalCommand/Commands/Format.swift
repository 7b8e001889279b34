// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Format: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "format",
            abstract: translated("Erase and initialise a token."),
            discussion: translated(
                """
                Keys, certificates, data, local PINs and the label are erased for ever. Pairings, licences and the \
                journal stay. The security officer's PIN is needed; it stays unless --new-officer-pin-source names a \
                new one. With --officer-locked the token is formatted without that PIN, which works only if it has no \
                tries left.
                """))
    }

    enum Changer: String, ExpressibleByArgument, CaseIterable, Encodable {
        case user, officer, both

        var roles: Set<Role> {
            switch self {
            case .user: [.user]
            case .officer: [.securityOfficer]
            case .both: [.user, .securityOfficer]
            }
        }

        /// The role that can replace a forgotten PIN, and the consequences.
        var explanation: Phrase {
            switch self {
            case .user:
                """
                The user alone may change the PIN. A forgotten one cannot be replaced: only "kanal format" helps, which \
                erases the keys. The security officer gives the tries back to a PIN that is known, by "kanal pin unblock".
                """
            case .officer:
                """
                The security officer alone may change the PIN, and replaces a forgotten one by "kanal pin set": the keys \
                stay. Whoever knows the officer's PIN can use the keys in this way.
                """
            case .both:
                """
                The user may change the PIN, and the security officer replaces a forgotten one by "kanal pin set": the keys \
                stay. Whoever knows the officer's PIN can use the keys in this way.
                """
            }
        }
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var new: NewPINOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: .saying("The source of the security officer's new PIN. (default: it stays)", valueName: "source"),
        completion: .sources)
    var newOfficerPinSource: SecretSource?

    @Flag(help: .saying("The security officer's PIN has no tries left."))
    var officerLocked = false

    @Flag(help: .saying("Erase key containers of CryptoPro CSP, too: their keys may exist nowhere else."))
    var eraseContainers = false

    @Option(help: .saying("The token's name. (default: none)", valueName: "name"))
    var label = ""

    @Option(
        help: .saying("The role that may change the user's PIN: user, officer or both.", valueName: "pin-changed-by"))
    var pinChangedBy: Changer = .both

    @Option(help: .saying("The minimum length of the user's PIN, 6 to 249 bytes.", valueName: "bytes"))
    var pinLength = 6

    @Option(help: .saying("The number of wrong PINs in a row that lock the user's PIN, 1 to 10.", valueName: "count"))
    var pinTries = 10

    func validate() throws {
        guard (6...249).contains(pinLength) else { throw ValidationError(translated("--pin-length is 6 to 249")) }
        guard (1...10).contains(pinTries) else { throw ValidationError(translated("--pin-tries is 1 to 10")) }
        guard !officerLocked || newOfficerPinSource != nil else {
            throw ValidationError(translated("--officer-locked wants --new-officer-pin-source"))
        }
    }

    func run() async throws {
        let token = try await token.find()
        let containers = (try? await token.keyContainers()) ?? []
        guard containers.isEmpty || eraseContainers else {
            throw CommandError(
                .failed,
                """
                the token has key containers of CryptoPro CSP, which would be erased for ever: \(containers.captions); keep copies of them \
                by that program, then use --erase-containers
                """)
        }
        let content = try? await Self.content(of: token, containers)
        let loss: Phrase = content.map { ", with \($0)" } ?? ""
        try confirmation.require(
            "The token \(token.information.caption) will be erased\(loss). Keys that are on it alone are lost for ever."
        )
        let name = PINOptions.name(of: .securityOfficer, token)
        let present = officerLocked ? nil : try await pin.read(name, of: .securityOfficer, token)
        let officer = try newOfficerPinSource.map { source in
            HeldPIN(
                try SecretQuestion(prompt: Phrase(verbatim: ""), source: source, option: "--new-officer-pin-source")
                    .answer())
        }
        let user = try new.read()
        var setup = TokenSetup(label: label)
        setup.userPINChangers = pinChangedBy.roles
        setup.erasesContainers = eraseContainers
        setup.userPIN = PINRules(minimumLength: pinLength, tries: pinTries)
        do { try await Self.format(token, setup, present, officer, user) } catch {
            throw LockedPIN.officer.remedied(error) ?? error
        }
        try output.show(
            FormattedToken(
                formatted: token.information.serialText, label: token.information.label, pinChangedBy: pinChangedBy))
        try output.hint(.makeKey)
    }

    private static func format(
        _ token: Token, _ setup: TokenSetup, _ present: HeldPIN?, _ officer: HeldPIN?, _ user: HeldPIN
    ) async throws {
        let progress = ProgressLine("Formatting the token. It must not leave its reader.")
        defer { progress.end() }
        // An interrupted command would leave a token that has to be formatted again.
        // Steps are reported in a thread, which has the context of no task by itself.
        let context = ProgramContext.current
        let told: @Sendable (Int, Int) -> Void = { done, total in
            ProgramContext.$current.withValue(context) {
                progress.update("Formatting the token: step \(done) of \(total). It must not leave its reader.")
            }
        }
        try await Task {
            switch (present, officer) {
            case (let present?, let officer?):
                try await user.formats(token, setup, present.value, officer.value, told)
            case (let present?, nil): try await user.formats(token, setup, present.value, nil, told)
            case (nil, let officer?): try await user.formats(token, setup, nil, officer.value, told)
            case (nil, nil): throw KanalError.pinNeeded
            }
        }.value
    }

    /// The visible content of the token without a PIN.
    private static func content(of token: Token, _ containers: [KeyContainer]) async throws -> Phrase? {
        let count = try await token.perform { session in try session.certificates().count }
        let certificates: Phrase? = count == 0 ? nil : count == 1 ? "one certificate" : "\(count) certificates"
        guard !containers.isEmpty else { return certificates }
        let text: Phrase = "the key containers \(containers.captions)"
        return certificates.map { "\($0) and \(text)" } ?? text
    }
}

extension HeldPIN {
    /// Formats a token so that this is its user's PIN.
    fileprivate func formats(
        _ token: Token, _ setup: TokenSetup, _ present: borrowing PIN?, _ officer: borrowing PIN?,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws {
        switch value {
        case .some(let user):
            try await token.format(
                setup, officerPIN: present, newOfficerPIN: officer, userPIN: user, progress: progress)
        case .none: throw KanalError.pinNeeded
        }
    }
}

private struct FormattedToken: Report {
    let formatted: String
    let label: String?
    let pinChangedBy: Format.Changer

    func text(_ style: Style) -> String {
        let lines: [Phrase] = ["The token \(formatted) was formatted.", pinChangedBy.explanation]
        return lines.map { (translated($0) + "\n").wrapped(to: style.width) }.joined()
    }
}
