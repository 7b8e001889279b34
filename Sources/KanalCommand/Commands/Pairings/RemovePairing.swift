// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

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
