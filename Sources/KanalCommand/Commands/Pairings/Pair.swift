// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Pair: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pair",
            abstract: translated(
                "Activate the secure channel of a token, so that every program of this user can work with it."),
            discussion: translated(
                """
                The activation password comes from the issuer of the token. The emulator prints it when it makes a \
                token, and a security officer makes new ones: "kanal pairings password". The password on the card of a \
                vendor's Bluetooth token is for the vendor's channel, and opens nothing here.
                """))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var password: PasswordOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let token = try await token.find()
        guard token.information.hasSecureChannel || !token.isActivated else {
            throw CommandError(
                .failed, "the token \(token.information.caption) needs no activation: it has no secure channel")
        }
        let activation = Activation(
            token: token, source: password.passwordSource, say: { try OutputStream.error.write(translated($0) + "\n") })
        if password.passwordSource == nil {
            let channel = try await token.details().channel
            try await Activation.requirePossible(channel, of: token)
            for line in Guide.tries(channel.passwords) {
                try OutputStream.error.write(translated(line) + "\n")
            }
        }
        try await activation.run()
        try output.show(PairedReport(token.information))
        try output.hint(NextStep(token.information))
    }
}

/// A token that was paired.
struct PairedReport: Report {
    let serial: String
    let label: String?
    let reader: String
    let isActivated: Bool
    let uri: String

    init(_ information: TokenInformation) {
        serial = information.serialText
        label = information.label
        reader = information.reader
        isActivated = information.isActivated
        uri = information.uri
    }

    func text(_ style: Style) -> String {
        let text = translated("The token \(serial) now works with every program of this user.")
        return "\(style.text(text, .good))\n"
            .wrapped(to: style.width)
    }
}
