// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct NewPassword: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "password",
            abstract: translated("Replace an activation password of a token."),
            discussion: translated(
                """
                The new password is shown only once. The old password with the same number no longer works; paired \
                hosts stay paired. The security officer's PIN is needed.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: .saying("The number of the password, 1 to 6. (default: the first free one)", valueName: "number"))
    var number: Int?

    @Flag(help: .saying("Use capital letters only. (default: capital letters and digits)"))
    var capitals = false

    func validate() throws {
        guard (1...6).contains(number ?? 1) else { throw ValidationError(translated("--number is 1 to 6")) }
    }

    func run() async throws {
        let token = try await token.find()
        let (number, characters) = (number, capitals ? PasswordCharacters.capitals : .capitalsAndDigits)
        if let number {
            try confirmation.require("The activation password number \(number) will not work any more.")
        }
        let password = try await pin.perform(on: token, as: .securityOfficer) { session in
            let password = try session.generateActivationPassword(number: number, of: characters)
            // It is to be shown, so it has to leave its locked memory.
            return password.withBytes { bytes in String(decoding: [UInt8](copying: bytes), as: UTF8.self) }
        }
        try output.show(ShownPassword(password: password))
    }
}

private struct ShownPassword: Report {
    let password: String

    func text(_ style: Style) -> String { password.printable + "\n" }
}
