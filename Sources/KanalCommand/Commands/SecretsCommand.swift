// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct SecretsCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "secrets",
            abstract: translated("Keep passwords and other small secrets of programs, on this machine or several."),
            discussion: translated(
                """
                They belong to an access group, whose programs share them, and have a service and an account. With a \
                directory that is replicated, by "secrets" in kanal.conf or --directory, they are those of all machines \
                that have the group's key: "kanal secrets key --make" makes it on the first machine, and "kanal secrets \
                join" takes it over on each other one. No token is needed.
                """),
            subcommands: [
                ListSecrets.self, GetSecret.self, SetSecret.self, DeleteSecret.self, GroupKey.self, JoinGroup.self,
                UnreadableFiles.self,
            ],
            defaultSubcommand: ListSecrets.self)
    }
}

/// The access group, and the place of its secrets.
struct SecretsOptions: ParsableArguments {
    @Option(help: .saying("The access group.", valueName: "name"))
    var group = "kanal"

    @Option(
        help: .saying("The replicated directory. (default: that of kanal.conf)", valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Flag(help: .saying("Only the secrets of this machine, regardless of kanal.conf."))
    var local = false

    @Flag(help: .saying("Only the secrets of a replicated directory; without one named it is an error."))
    var synchronised = false

    func validate() throws {
        guard !local || directory == nil else {
            throw ValidationError(translated("--local and --directory exclude each other"))
        }
        guard !local || !synchronised else {
            throw ValidationError(translated("--local and --synchronised exclude each other"))
        }
    }

    func secrets() throws -> SharedSecrets {
        if local { return try SharedSecrets(accessGroup: group) }
        if let directory { return try SharedSecrets(accessGroup: group, synchronisedThrough: directory) }
        try TokenAccess.current.sayFaults()
        let secrets = try SharedSecrets.configured(accessGroup: group)
        guard !synchronised || secrets.directory != nil else {
            throw CommandError(
                .usage,
                """
                no directory is named for secrets that are synchronised: give --directory, or set secrets in kanal.conf
                """)
        }
        return secrets
    }
}

/// The name of a secret.
struct SecretName: ParsableArguments {
    @Argument(help: .saying("The purpose of the secret, such as the name of a server.", valueName: "service"))
    var service: String

    @Argument(help: .saying("Whose it is. (default: nothing)", valueName: "account"))
    var account = ""
}

private struct SecretEntry: Encodable {
    let service: String
    let account: String
}

private struct ListSecrets: AsyncParsableCommand {
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

private struct GetSecret: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "get",
            abstract: translated(
                "Write a secret, unchanged, to standard output or to a file that only its owner can read."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var name: SecretName

    @Option(help: .saying("How long to wait for a secret that has not come yet, 0 to 86400.", valueName: "seconds"))
    var wait = 0

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write the secret to.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var destination: String?

    @OptionGroup var replacing: OverwriteOption

    func validate() throws {
        guard (0...86_400).contains(wait) else { throw ValidationError(translated("--wait is 0 to 86400")) }
    }

    func run() async throws {
        try replacing.check(destination)
        let value = try await place.secrets().read(
            service: name.service, account: name.account, waitingFor: .seconds(wait))
        // It is to be written, so it has to leave its locked memory.
        let bytes = value.withBytes { [UInt8](copying: $0) }
        guard let destination else { return try OutputStream.output.write(bytes) }
        let file = try replacing.open(destination, isPrivate: true)
        try file.write(bytes)
        try file.finish()
    }
}

private struct SetSecret: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "set",
            abstract: translated("Add or change a secret: one line, without its line break."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var name: SecretName
    @OptionGroup var output: OutputOptions

    @Option(
        help: .saying(
            "Where the secret is: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var secretSource: SecretSource?

    func run() async throws {
        let secrets = try place.secrets()
        let secret = try SecretQuestion(prompt: "Secret: ", source: secretSource, option: "--secret-source").newSecret()
        let value = SecretBytes(bytes: secret.bytes)
        do {
            try await secrets.add(value, service: name.service, account: name.account)
            try output.show(SecretChange(name, .added))
        } catch SharedSecretsError.duplicate {
            try await secrets.update(value, service: name.service, account: name.account)
            try output.show(SecretChange(name, .changed))
        }
    }
}

private struct DeleteSecret: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete",
            abstract: translated("Delete a secret, on all machines that share it."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var name: SecretName
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try confirmation.require("The secret \(name.service.printable) \(name.account.printable) is deleted for good.")
        try await place.secrets().delete(service: name.service, account: name.account)
        try output.show(SecretChange(name, .deleted))
    }
}

private struct SecretChange: Report {
    enum State: String, Encodable { case added, changed, deleted }

    let secret: SecretEntry
    let state: State

    init(_ name: SecretName, _ state: State) {
        secret = SecretEntry(service: name.service, account: name.account)
        self.state = state
    }

    func text(_ style: Style) -> String {
        let text: Phrase =
            switch state {
            case .added: "The secret was added."
            case .changed: "The secret has another value."
            case .deleted: "The secret was deleted."
            }
        return translated(text) + "\n"
    }
}

private struct GroupKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "key",
            abstract: translated("Show the access group's key, for \"kanal secrets join\" on another machine."),
            discussion: translated(
                """
                With the key and the directory all secrets of the group can be read, those to come, too. Show it to \
                your other machines alone.
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

/// A key for other machines, of secrets or of pairings.
struct ShownKey: Report {
    let key: String

    init(_ key: borrowing SharedKey) {
        // It is to be shown, so it has to leave its locked memory.
        self.key = key.withText { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
    }

    func text(_ style: Style) -> String { key + "\n" }
}

private struct JoinGroup: AsyncParsableCommand {
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

private struct UnreadableFiles: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "files",
            abstract: translated("List the files of the directory that cannot be read."),
            discussion: translated(
                """
                They are left as they are, and affect only their own secrets. A file that has not come whole yet can be \
                read as soon as it has.
                """))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws { try output.show(FileList(try await place.secrets().unreadableFiles())) }
}

private struct FileList: Report {
    struct Entry: Encodable {
        let name: String
        let isOfThisGroup: Bool
    }

    let unreadableFiles: [Entry]

    init(_ files: [UnreadableFile]) {
        unreadableFiles = files.map { Entry(name: $0.name, isOfThisGroup: $0.isOfThisGroup) }
    }

    func text(_ style: Style) -> String {
        guard !unreadableFiles.isEmpty else { return translated("All files can be read.") + "\n" }
        var table = Table(["file", "secret"])
        for file in unreadableFiles {
            let text: Phrase = file.isOfThisGroup ? "of this group, damaged" : "of another group, or not a secret"
            table.add([file.name.printable, translated(text)])
        }
        return table.text(style)
    }
}
