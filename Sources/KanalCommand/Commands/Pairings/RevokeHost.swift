// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct RevokeHost: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "revoke",
            abstract: translated("Revoke a host's pairing on a token."),
            discussion: translated(
                """
                This host can revoke itself. Revoking another host needs the security officer's PIN. A revoked host \
                can be paired again with an activation password that still works: after a theft, make new ones with \
                "kanal pairings password".
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
