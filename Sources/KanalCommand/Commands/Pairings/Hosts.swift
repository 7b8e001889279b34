// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Hosts: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "hosts",
            abstract: translated("List the hosts that the token allows to open a channel."))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let hosts = try await token.find().perform { session in try session.pairedHosts() }
        try output.show(HostList(hosts))
    }
}

private struct HostList: Report {
    struct Entry: Encodable {
        let slot: Int
        let name: String
        let profile: String
        let isActive: Bool
        let isThisHost: Bool
    }

    let hosts: [Entry]

    init(_ hosts: [KnownHost]) {
        self.hosts = hosts.map { host in
            Entry(
                slot: host.slot, name: host.label, profile: host.profile.rawValue, isActive: host.isActive,
                isThisHost: host.isSelf)
        }
    }

    func text(_ style: Style) -> String {
        guard !hosts.isEmpty else { return translated("No host may open a channel to the token.") + "\n" }
        var table = Table(["slot", "host", "profile", "state"])
        for host in hosts {
            let state: Phrase = host.isThisHost ? "this one" : host.isActive ? "has been used" : "never used"
            table.add(["\(host.slot)", host.name, host.profile, translated(state)])
        }
        return table.text(style)
    }
}
