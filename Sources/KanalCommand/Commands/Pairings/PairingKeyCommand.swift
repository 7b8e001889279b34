// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

struct PairingKeyCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "key",
            abstract: translated(
                "Show the key of synchronised pairings, for \"kanal pairings join\" on another machine."),
            discussion: translated(
                """
                Anyone with the key and the directory can use all pairings, present and future; each token still asks \
                for its PIN. Give the key to your other machines only.
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
