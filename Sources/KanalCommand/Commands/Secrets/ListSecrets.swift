// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct ListSecrets: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list",
            abstract: translated("List the names of secrets."),
            discussion: translated("In a pattern * stands for any text and ? for one character; case does not count."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("A pattern for services. (default: all)", valueName: "service"))
    var service: String?

    @Argument(help: .saying("A pattern for accounts. (default: all)", valueName: "account"))
    var account: String?

    func run() async throws {
        let secrets = try place.secrets()
        var items = try await secrets.items(service: service, account: account)
        if secrets.directory != nil, !place.synchronised {
            items += try await secrets.items(service: service, account: account, synchronised: false)
            items.sort { ($0.service, $0.account) < ($1.service, $1.account) }
        }
        try output.show(SecretList(items))
    }
}

private struct SecretList: Report {
    struct Entry: Encodable {
        let service: String
        let account: String
        let isSynchronised: Bool
    }

    let secrets: [Entry]

    init(_ items: [SecretItem]) {
        secrets = items.map {
            Entry(service: $0.service, account: $0.account, isSynchronised: $0.isSynchronised)
        }
    }

    func text(_ style: Style) -> String {
        guard !secrets.isEmpty else { return translated("There are no such secrets.") + "\n" }
        guard secrets.contains(where: \.isSynchronised) else {
            var table = Table(["service", "account"])
            for secret in secrets { table.add([secret.service.printable, secret.account.printable]) }
            return table.text(style)
        }
        var table = Table(["service", "account", "kept on"])
        for secret in secrets {
            let place: Phrase = secret.isSynchronised ? "all machines" : "this machine"
            table.add([secret.service.printable, secret.account.printable, translated(place)])
        }
        return table.text(style)
    }
}
