// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct JoinPairings: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "join",
            abstract: translated("Take over the key of synchronised pairings from another machine."),
            discussion: translated("Run it before a token is activated on this machine."))
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
