// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct Pairings: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pairings",
            abstract: translated("Show and end the pairings of tokens with this user, and of a token with its hosts."),
            discussion: translated(
                """
                A pairing has two ends. 'list' and 'remove' work on this machine's end, without the token: after \
                'remove' this user has to activate the token again. 'hosts' and 'revoke' work on the token's end: a \
                host that was revoked cannot open a channel to the token any more. If a machine was stolen, revoke it. 'key' \
                and 'join' are for pairings that several machines share by a replicated directory, "synchronised" in \
                kanal.conf.
                """),
            subcommands: [
                ListPairings.self, RemovePairing.self, Hosts.self, RevokeHost.self, NewPassword.self,
                PairingKeyCommand.self, JoinPairings.self,
            ],
            defaultSubcommand: ListPairings.self)
    }
}

struct ListPairings: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: translated("List the tokens that this user is paired with on this machine."))
    }

    @OptionGroup var output: OutputOptions

    func run() async throws { try output.show(PairingList(try await TokenAccess.current.begin().pairedTokens())) }
}

private struct PairingList: Report {
    struct Entry: Encodable {
        let serial: String
        let label: String
        let created: String
        let lastUsed: String?
    }

    let pairings: [Entry]

    init(_ tokens: [PairedToken]) {
        pairings = tokens.map { token in
            Entry(
                serial: token.serialNumber.suffix(4).hexadecimal, label: token.label,
                created: Timestamp(token.created).text, lastUsed: token.lastUsed.map { Timestamp($0).day })
        }
    }

    func text(_ style: Style) -> String {
        guard !pairings.isEmpty else { return translated("This user is paired with no token on this machine.") + "\n" }
        var table = Table(["token", "label", "paired", "last used"])
        for pairing in pairings { table.add([pairing.serial, pairing.label, pairing.created, pairing.lastUsed ?? ""]) }
        return table.text(style)
    }
}

struct RemovePairing: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "remove",
            abstract: translated("Remove this user's pairing with a token, which then has to be activated again.")
        )
    }

    @Argument(
        help: .saying(
            "The token's serial number, as \"kanal pairings list\" shows it, or its label.", valueName: "token"))
    var token: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let manager = try TokenAccess.current.begin()
        let found = try await manager.pairedTokens().filter { pairing in
            pairing.serialNumber.suffix(4).hexadecimal == token.lowercased() || pairing.label == token
        }
        guard let pairing = found.first else {
            throw CommandError(.noToken, "this user is not paired with a token \(token): see \"kanal pairings list\"")
        }
        guard found.count == 1 else {
            throw CommandError(.noToken, "several tokens are called \(token): name one by its serial number")
        }
        let serial = pairing.serialNumber.suffix(4).hexadecimal
        try confirmation.require(
            """
            Programs of this user can no longer work with the token \(serial), until it is activated again with \
            its activation password.
            """
        )
        try await manager.removePairing(pairing)
        try output.show(RemovedPairing(removed: serial))
    }
}

private struct RemovedPairing: Report {
    let removed: String

    func text(_ style: Style) -> String {
        translated("The pairing with the token \(removed) was removed from this machine.") + "\n"
    }
}

struct Hosts: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "hosts",
            abstract: translated("List the hosts that the token allows to open a channel."))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let hosts = try await token.find().perform { session in try session.pairedHosts() }
        try output.show(HostList(hosts))
    }
}

private struct HostList: Report {
    struct Entry: Encodable {
        let slot: Int
        let name: String
        let profile: String
        let isActive: Bool
        let isThisHost: Bool
    }

    let hosts: [Entry]

    init(_ hosts: [KnownHost]) {
        self.hosts = hosts.map { host in
            Entry(
                slot: host.slot, name: host.label, profile: host.profile.rawValue, isActive: host.isActive,
                isThisHost: host.isSelf)
        }
    }

    func text(_ style: Style) -> String {
        guard !hosts.isEmpty else { return translated("No host may open a channel to the token.") + "\n" }
        var table = Table(["slot", "host", "profile", "state"])
        for host in hosts {
            let state: Phrase = host.isThisHost ? "this one" : host.isActive ? "has been used" : "never used"
            table.add(["\(host.slot)", host.name, host.profile, translated(state)])
        }
        return table.text(style)
    }
}

struct RevokeHost: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "revoke",
            abstract: translated("Revoke a host's pairing on a token."),
            discussion: translated(
                """
                This host can revoke itself. To revoke another one takes the security officer's PIN. A host that was \
                revoked can be paired again with an activation password that still works: after a theft, make new ones \
                with "kanal pairings password".
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions

    @Argument(help: .saying("The host's slot or name, as \"kanal pairings hosts\" shows them.", valueName: "host"))
    var host: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let token = try await token.find()
        let hosts = try await token.perform { session in try session.pairedHosts() }
        let found = hosts.filter { "\($0.slot)" == host }
        let named = found.isEmpty ? hosts.filter { $0.label == host } : found
        guard let known = named.first else {
            throw CommandError(.failed, "the token knows no host \(host): see \"kanal pairings hosts\"")
        }
        guard named.count == 1 else {
            throw CommandError(.failed, "the token knows several hosts called \(host): name one by its slot")
        }
        try confirmation.require(
            """
            The host \(known.label) can no longer work with the token \(token.information.serialText), until it \
            is activated there again.
            """
        )
        if known.isSelf {
            try await token.perform { session in try session.unpair(known) }
        } else {
            try await pin.perform(on: token, as: .securityOfficer) { session in try session.unpair(known) }
        }
        try output.show(RevokedHost(revoked: known.label, slot: known.slot))
    }
}

private struct RevokedHost: Report {
    let revoked: String
    let slot: Int

    func text(_ style: Style) -> String {
        translated("The token has forgotten the host \(revoked.printable).") + "\n"
    }
}

struct NewPassword: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "password",
            abstract: translated("Replace an activation password of a token."),
            discussion: translated(
                """
                The token shows it this once. The old password with the same number does not work any more; hosts that \
                are paired stay so. This takes the security officer's PIN.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: .saying("Which password, 1 to 6. (default: the first that there is none for)", valueName: "number"))
    var number: Int?

    @Flag(help: .saying("Use capital letters only. (default: capital letters and digits)"))
    var capitals = false

    func validate() throws {
        guard (1...6).contains(number ?? 1) else { throw ValidationError(translated("--number is 1 to 6")) }
    }

    func run() async throws {
        let token = try await token.find()
        let (number, characters) = (number, capitals ? PasswordCharacters.capitals : .capitalsAndDigits)
        if let number {
            try confirmation.require("The activation password number \(number) will not work any more.")
        }
        let password = try await pin.perform(on: token, as: .securityOfficer) { session in
            let password = try session.generateActivationPassword(number: number, of: characters)
            // It is to be shown, so it has to leave its locked memory.
            return password.withBytes { bytes in String(decoding: [UInt8](copying: bytes), as: UTF8.self) }
        }
        try output.show(ShownPassword(password: password))
    }
}

private struct ShownPassword: Report {
    let password: String

    func text(_ style: Style) -> String { password.printable + "\n" }
}

private struct PairingKeyCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "key",
            abstract: translated(
                "Show the key of synchronised pairings, for \"kanal pairings join\" on another machine."),
            discussion: translated(
                """
                With the key and the directory all pairings can be used, those to come, too; each token still wants its \
                PIN. Show it to your other machines alone.
                """))
    }

    @OptionGroup var output: OutputOptions

    @Flag(help: .saying("Make the key, if this machine has none: on the first machine only."))
    var make = false

    func run() async throws {
        let manager = try TokenAccess.current.begin()
        if make { try await manager.makePairingKey() }
        try output.show(ShownKey(try await manager.pairingKey()))
    }
}

private struct JoinPairings: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "join",
            abstract: translated("Take over the key of synchronised pairings from another machine."),
            discussion: translated("Do so before a token is activated on this machine."))
    }

    @OptionGroup var key: KeyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let manager = try TokenAccess.current.begin()
        // Before anything is asked.
        do { _ = try await manager.pairingKey() } catch PairingKeyError.notSynchronised {
            throw PairingKeyError.notSynchronised
        } catch {}
        try await manager.joinPairings(key.read())
        try output.show(JoinedPairings())
    }
}

private struct JoinedPairings: Report {
    let pairingKey = "taken"

    func text(_ style: Style) -> String { translated("This machine has the key of the synchronised pairings.") + "\n" }
}
