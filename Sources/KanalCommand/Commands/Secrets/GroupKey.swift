// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

struct GroupKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "key",
            abstract: translated("Show the access group's key, for \"kanal secrets join\" on another machine."),
            discussion: translated(
                """
                Anyone with the key and the directory can read all secrets of the group, present and future. Give the \
                key to your other machines only.
                """))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: .saying("Make the key, if this machine has none: on the first machine only."))
    var make = false

    func run() async throws {
        let secrets = try place.secrets()
        if make { try await secrets.makeKey() }
        try output.show(ShownKey(try await secrets.key()))
    }
}
