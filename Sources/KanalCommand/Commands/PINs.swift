// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct PINs: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pin", abstract: translated("Change, set and unblock PINs."),
            subcommands: [ChangePIN.self, UnblockPIN.self, SetPIN.self, LocalPINs.self])
    }
}

struct ChangePIN: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "change", abstract: translated("Change the user's PIN, or the security officer's."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var new: NewPINOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: .saying("The security officer's PIN. (default: the user's)"))
    var officer = false

    func run() async throws {
        let token = try await token.find()
        let role: Role = officer ? .securityOfficer : .user
        do {
            let present = try await pin.verified(on: token, as: role)
            let details = try await token.details()
            let new = try new.read(inPlaceOf: role, officer ? details.officerPIN : details.userPIN)
            try await token.perform(as: role, pin: present.value) { session in
                try present.with { present in try new.with { new in try session.changePIN(from: present, to: new) } }
            }
        } catch {
            await token.forgetPIN()
            throw error
        }
        await token.forgetPIN()
        try output.show(PINReport(done: "changed", officer: officer))
        guard !officer, output.isRead else { return }
        let contents = try? await token.perform { session in try session.contents() }
        try output.hint(contents.map { NextStep($0) })
    }
}

struct SetPIN: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "set",
            abstract: translated("Set a new PIN for the user, as the security officer."),
            discussion: translated("The token must have been formatted so that the security officer may do this."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var new: NewPINOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let token = try await token.find()
        try await token.perform { _ in }
        if let change = try await token.details().userPINChange, !change.allowed.contains(.securityOfficer) {
            throw CommandError(
                .failed,
                """
                by its format, the user alone changes this token's PIN: a PIN that is known is unblocked by "kanal pin \
                unblock"; for one that is forgotten only "kanal format" helps, which erases the token
                """)
        }
        // From a source, the officer's PIN comes first, as the present one does in "kanal pin change".
        let source = new.newPinSource
        let typed = source == nil ? try new.read() : nil
        try await pin.perform(on: token, as: .securityOfficer) { session in
            let new = try typed ?? NewPINOptions.read(from: source)
            try new.with { pin in try session.setUserPIN(pin) }
        }
        try output.show(PINReport(done: "set", officer: false))
    }
}

struct UnblockPIN: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "unblock",
            abstract: translated("Restore all tries of the user's PIN, as the security officer. The PIN stays."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let token = try await token.find()
        try await pin.perform(on: token, as: .securityOfficer) { session in try session.unblockUserPIN() }
        try output.show(PINReport(done: "unblocked", officer: false))
    }
}

private struct PINReport: Report {
    let done: String
    let officer: Bool

    func text(_ style: Style) -> String {
        let text: Phrase =
            switch (done, officer) {
            case ("changed", true): "The security officer's PIN was changed."
            case ("changed", false): "The user's PIN was changed."
            case ("unblocked", _): "The user's PIN was unblocked."
            default: "The user's PIN was set."
            }
        return translated(text) + "\n"
    }
}
