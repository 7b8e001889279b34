// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct SetSecret: AsyncParsableCommand {
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
            "The source of the secret: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
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
