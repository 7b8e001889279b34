// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Configuration
import KanalKit
import Secrets
import Terminal
import Translation

struct Info: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "info",
            abstract: translated("Show a token's name, serial number, state and channel."),
            discussion: translated("No PIN is needed. A token reveals little before its channel is activated."))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let token = try await token.find()
        let details = try await token.details()
        var findings = details.information.findings
        // Objects that cannot be read keep no other facts back.
        if token.isActivated, let contents = try? await token.perform({ session in try session.contents() }) {
            findings += contents.findings(of: details.information.serialText)
        }
        let fault = details.channel.state == .unusable ? await LocalCauses.closingFault() : nil
        let error = fault.map(LocalCauses.closed)
        try output.show(TokenReport(details, findings, fault), endingWith: error)
        if let error { throw error }
    }
}

private struct TokenReport: Report {
    struct Channel: Encodable {
        let state: String
        let profile: String?
        let isWireless: Bool
        let passwords: [Password]
        /// The fault of `kanal.conf` because of which the channel is unusable.
        let fault: Phrase?

        struct Password: Encodable {
            let number: Int
            let state: String
            let triesLeft: Int?

            var text: String {
                let left: Phrase? = triesLeft.map { "\($0) tries left" }
                let words: [String: Phrase] = ["ready": left ?? "ready", "locked": "locked", "used": "used"]
                return "\(number): " + (words[state].map(translated) ?? state)
            }
        }

        init(_ details: TokenDetails, _ fault: LocalState.Fault?) {
            self.fault = fault?.placed
            state = "\(details.channel.state)"
            profile = details.channel.profile?.rawValue
            isWireless = details.information.isWireless
            passwords = details.channel.passwords.filter { $0.state != .empty }.map { password in
                Password(number: password.number, state: "\(password.state)", triesLeft: password.triesLeft)
            }
        }

        var text: String {
            let names: [String: Phrase] = [
                "notNeeded": "none needed", "active": "active", "unusable": "unusable", "inactive": "not activated",
                "revoked": "this host was revoked",
                "keyChanged": "the token's key has changed", "missing": "none offered",
            ]
            let way = isWireless ? translated("over the air") : nil
            let parts = [names[state].map(translated) ?? state, profile, way, fault.map { translated($0).printable }]
            return parts.compactMap(\.self).joined(separator: ", ")
        }
    }

    struct Device: Encodable {
        let model: String
        let hardware: String?
        let firmware: String?
        /// Empty for a folder.
        let answerToReset: String
        let freeMemory: Int?
        let driveMegabytes: Int?
    }

    struct Container: Encodable {
        let place: String
        let name: String

        init(_ container: KeyContainer) { (place, name) = (container.place, container.name) }

        var text: String { name.isEmpty ? place : "\(name.printable) (\(place))" }
    }

    let serial: String
    let label: String?
    let reader: String
    let device: Device
    let channel: Channel
    let userPIN: PINEntry?
    let officerPIN: PINEntry?
    let uri: String
    /// nil for none.
    let containers: [Container]?
    let findings: [Finding]

    init(_ details: TokenDetails, _ findings: [Finding], _ fault: LocalState.Fault?) {
        self.findings = findings
        let information = details.information
        serial = information.serialText
        label = information.label
        reader = information.reader
        device = Device(
            model: details.modelName ?? details.nameByVersions ?? information.model,
            hardware: details.build?.hardware.description,
            firmware: details.build?.firmware.description,
            answerToReset: information.isFolder ? "" : details.answerToReset.hexadecimal,
            freeMemory: details.memory.free, driveMegabytes: details.build?.driveMegabytes)
        channel = Channel(details, fault)
        userPIN = details.userPIN.map(PINEntry.init)
        officerPIN = details.officerPIN.map(PINEntry.init)
        uri = information.uri
        // A folder is its container.
        containers = details.containers.isEmpty || information.isFolder ? nil : details.containers.map(Container.init)
    }

    func text(_ style: Style) -> String {
        var facts = KeyValueList()
        facts.add("serial", serial)
        facts.add("label", label)
        facts.add("model", device.model)
        facts.add("reader", reader)
        facts.add("channel", channel.text)
        let passwords = channel.passwords.map(\.text).joined(separator: ", ")
        facts.add("activation passwords", passwords.isEmpty ? nil : passwords)
        facts.add("PIN", userPIN?.text)
        facts.add("officer's PIN", officerPIN?.text)
        facts.add("key containers", containers?.map(\.text).joined(separator: ", "))
        facts.add("free memory", device.freeMemory.map { translated("\($0) bytes") })
        facts.add("drive", device.driveMegabytes.map { translated("\($0) MB") })
        facts.add("hardware", device.hardware)
        facts.add("firmware", device.firmware)
        facts.add("answer to reset", device.answerToReset.isEmpty ? nil : device.answerToReset)
        facts.add("URI", uri)
        return ([facts.text(style)] + findings.map { $0.text(style) }).joined(separator: "\n")
    }
}
