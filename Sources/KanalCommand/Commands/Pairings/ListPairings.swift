// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

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
