// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Secrets
import Terminal
import Translation

/// The way from a new token to a working one, with only the steps that are needed.
struct Guide {
    let output: OutputOptions

    /// The number of checks, once a second, whether a person has connected a reader or a token.
    private static let patience = 120

    func run() async throws {
        let (manager, present) = try await TokenAccess.asking { manager in
            (manager, try await manager.allTokensForWork())
        }
        var failure: CommandError?
        let tokens = try await tokens(of: manager, present)
        let areSeveral = tokens.count > 1
        for token in tokens {
            if token.isActivated {
                try await show(token, isOneOfMany: areSeveral)
            } else {
                // A token that no password helps with keeps no other from its turn.
                do { try await activate(token, isOneOfMany: areSeveral) } catch {
                    let error = await LocalCauses.explained(error)
                    guard let error = error as? CommandError else { throw error }
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    /// The tokens that are there; on a terminal, the first that comes.
    private func tokens(of manager: TokenManager, _ tokens: [Token]) async throws -> [Token] {
        guard tokens.isEmpty else { return tokens }
        let readers = try await manager.readers()
        let missing = await Self.withBluetooth(Self.missing(in: readers), besides: readers)
        guard OutputStream.output.style.width != nil, !output.json else { throw CommandError(.noToken, missing) }
        try output.say(missing)
        let progress = ProgressLine("Waiting for a token. Ctrl-C cancels.")
        defer { progress.end() }
        do {
            return [try await manager.find(attempts: Self.patience)]
        } catch {
            throw error == .notFound ? CommandError(.noToken, "no token was inserted in time") : error
        }
    }

    /// The steps that make a token available.
    private static func missing(in readers: [ReaderStatus]) -> Phrase {
        let names = readers.map(\.name.printable).joined(separator: ", ")
        if readers.isEmpty { return "There is no reader. Plug in the token, or its reader." }
        if readers.contains(where: { $0.flags.contains(.present) }) {
            return "The card in \(names) is not a supported token. Insert the token."
        }
        if readers.contains(where: { $0.flags.contains(.wireless) }) {
            return "There is no token in \(names). Hold the button of the token until it blinks."
        }
        return "There is no token in \(names). Put the token in."
    }

    /// The same, with the next step to a Bluetooth token. Beside a wired reader, a machine without a working radio needs
    /// none.
    private static func withBluetooth(_ missing: Phrase, besides readers: [ReaderStatus]) async -> Phrase {
        guard let bluetooth = await Deadline.run({ Bluetooth.look() }) else { return missing }
        let isAbsent = bluetooth == .noRadio || bluetooth == .noService
        guard !isAbsent || readers.allSatisfy({ $0.flags.contains(.wireless) }) else { return missing }
        let findings = BluetoothChecks(person: CurrentUser(), bluetooth: bluetooth).findings()
        guard let finding = findings.first else { return missing }
        return "\(missing) For a Bluetooth token: \(finding.problem). \(finding.remedy)"
    }

    private func show(_ token: Token, isOneOfMany: Bool) async throws {
        // Objects that cannot be read keep nothing else back: the doctor says why.
        let contents = try? await token.perform { session in try session.contents() }
        let summary = TokenSummary(token.information, contents, Self.name(of: token.information))
        try output.show(summary, isOneOfMany: isOneOfMany)
        // Findings have the other steps.
        if contents?.keys.isEmpty == true, !token.information.notices.contains(.pinFactory) {
            try output.hint(.makeKey)
        }
    }

    private static func name(of information: TokenInformation) -> String {
        let label = information.label.map { " \"\($0)\"" } ?? ""
        return "\(information.model) \(information.serialText)\(label)".printable
    }

    private func activate(_ token: Token, isOneOfMany: Bool) async throws {
        let channel = try await token.details().channel
        try output.say("Found: \(Self.name(of: token.information)) in \(token.information.reader.printable)")
        try await Activation.requirePossible(channel, of: token)
        try output.say(Self.reason(channel.state))
        for line in Self.tries(channel.passwords) { try output.say(line) }
        try await Activation(token: token, source: nil, say: { try output.say($0) }).run()
        let style = OutputStream.output.style
        let done = translated("This token now works with every program of this user.")
        try output.say(Phrase(verbatim: style.text(done, .good)))
        try output.say("The same without questions:")
        try output.suggest("kanal pair \(token.information.serialText) --password-source file:PATH")
        if output.json { return try await show(token, isOneOfMany: isOneOfMany) }
        try output.hint(NextStep(token.information))
    }

    /// Why the token has to be activated.
    private static func reason(_ state: ChannelDetails.State) -> Phrase {
        switch state {
        case .revoked:
            "It no longer knows this host. Activate it again, with an activation password from its issuer."
        case .keyChanged:
            "It has a different key than before. If you know why, activate it, with an activation password from its issuer."
        case .notNeeded, .active, .inactive, .missing, .unusable:
            "Its secure channel is not activated for this user. The issuer of the token has its activation password."
        }
    }

    /// The tries of each password that the token has; without numbers where they do not differ.
    static func tries(_ passwords: [PasswordDetails]) -> [Phrase] {
        let passwords = passwords.filter { $0.state != .empty }
        if let first = passwords.first, let tries = first.triesLeft,
            passwords.allSatisfy({ $0.state == .ready && $0.triesLeft == tries })
        {
            let line: Phrase = "Tries left: \(tries)."
            return [line]
        }
        return passwords.compactMap { password in
            switch (password.state, password.triesLeft) {
            case (.ready, let tries?): "Password \(password.number): tries left: \(tries)."
            case (.locked, _): "Password \(password.number): locked. Use another one."
            case (.used, _): "Password \(password.number): was for one activation, and is used."
            case (.ready, nil), (.empty, _): nil
            }
        }
    }
}

/// The activation of a token's channel, with a password that a person types or that a source provides.
struct Activation {
    let token: Token
    let source: SecretSource?
    /// Prints the next step, and errors.
    let say: (Phrase) throws -> Void

    /// The longest wait for a person to press the token's button.
    private static let patience = Duration.seconds(60)

    /// Activates the channel, and opens a session to see that it works. On a terminal a wrong password is asked for
    /// again, as long as more than one try is left.
    func run() async throws {
        try await Self.requirePossible(try await token.details().channel, of: token)
        while true {
            let password = try password()
            try await waitForButton()
            do {
                try await token.activate(password: password)
                return try await token.perform { _ in }
            } catch {
                guard case .passwordIncorrect(let tries)? = error as? KanalError, source == nil, tries ?? 2 > 1 else {
                    throw error
                }
                try say(SecretQuestion.refusalOfPassword(triesLeft: tries))
            }
        }
    }

    /// - Throws: `KanalError` or ``CommandError`` if no password that a person may have activates the token now.
    static func requirePossible(_ channel: ChannelDetails, of token: Token) async throws {
        switch channel.state {
        case .missing: throw KanalError.channelMissing
        case .unusable:
            // The session that is not opened says why.
            try await token.perform { _ in }
        case .notNeeded, .active, .inactive, .revoked, .keyChanged: break
        }
        let passwords = channel.passwords.filter { $0.state != .empty }
        guard !passwords.isEmpty, !passwords.contains(where: { $0.state == .ready }) else { return }
        throw CommandError(
            .locked,
            """
            no activation password of the token has tries left: its security officer makes a new one, by "kanal \
            pairings password" on a machine that is paired with it
            """)
    }

    private func password() throws -> ActivationPassword {
        let question = SecretQuestion(prompt: "Activation password: ", source: source, option: "--password-source")
        let secret = try question.answer()
        let bytes = secret.bytes
        return ActivationPassword(bytes: bytes)
    }

    private func waitForButton() async throws {
        var channel = try await token.details().channel
        guard channel.needsButton, !channel.isReadyForActivation else { return }
        try say("Press the button on the token.")
        let progress = ProgressLine("Waiting for the button. Ctrl-C cancels.")
        defer { progress.end() }
        let end = ContinuousClock.now + Self.patience
        while !channel.isReadyForActivation {
            guard ContinuousClock.now < end else {
                throw CommandError(.failed, "the button of the token was not pressed in time")
            }
            try await Task.sleep(for: .milliseconds(300))
            channel = try await token.details().channel
        }
    }
}
