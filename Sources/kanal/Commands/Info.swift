// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal

struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show what a token tells of itself. No PIN is needed.")

    @OptionGroup var token: TokenArgument
    @OptionGroup var output: OutputOptions

    func run() async throws { try output.show(TokenReport(try await token.find().information)) }
}

private struct TokenReport: Report {
    let serial: String
    let label: String?
    let model: String
    let reader: String
    let isActivated: Bool
    let hasSecureChannel: Bool
    let isWireless: Bool
    let pinTriesLeft: Int?
    let uri: String

    init(_ information: TokenInformation) {
        serial = information.serialText
        label = information.label
        model = information.model
        reader = information.reader
        isActivated = information.isActivated
        hasSecureChannel = information.hasSecureChannel
        isWireless = information.isWireless
        pinTriesLeft = information.pinTriesLeft
        uri = information.uri
    }

    func text(_ style: Style) -> String {
        var facts = Facts()
        facts.add("serial", serial)
        facts.add("label", label)
        facts.add("model", model)
        facts.add("reader", reader)
        facts.add("channel", hasSecureChannel ? (isActivated ? "active" : "not activated") : "none")
        facts.add("PIN tries left", pinTriesLeft.map(String.init))
        facts.add("URI", uri)
        return facts.text(style)
    }
}
