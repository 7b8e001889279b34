// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct DeleteSecret: AsyncParsableCommand {
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
