// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct GetSecret: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "get",
            abstract: translated(
                "Write a secret, unchanged, to standard output or to a file that only its owner can read."))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var name: SecretName

    @Option(help: .saying("The time to wait for a secret that is not there yet, 0 to 86400.", valueName: "seconds"))
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
