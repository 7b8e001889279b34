// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Label: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "label", abstract: translated("Show or change the name of a token."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: .saying("The new name; an empty text removes it. (default: show the name)", valueName: "name"))
    var name: String?

    func run() async throws {
        let token = try await token.find()
        if let name { try await pin.perform(on: token) { session in try session.setLabel(name) } }
        try output.show(TokenLabel(serial: token.information.serialText, label: name ?? token.information.label))
    }
}

private struct TokenLabel: Report {
    let serial: String
    let label: String?

    func text(_ style: Style) -> String { (label ?? "").printable + "\n" }
}
