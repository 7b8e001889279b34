// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct JoinGroup: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "join",
            abstract: translated("Take over the access group's key from another machine."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var output: OutputOptions

    @OptionGroup var key: KeyOptions

    func run() async throws {
        let secrets = try place.secrets()
        try await secrets.join(key.read())
        try output.show(JoinedGroup(joined: place.group))
    }
}

private struct JoinedGroup: Report {
    let joined: String

    func text(_ style: Style) -> String { translated("This machine has the key of the group \(joined).") + "\n" }
}
