// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct LicenceCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "licence",
            abstract: translated("Show or write the licences that makers of applications keep on a token."),
            discussion: translated("A token has four, of 72 bytes each. Formatting does not remove them."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("The number of the licence, 1 to 4. (default: all)", valueName: "number"))
    var number: Int?

    @Option(
        name: .customLong("set"),
        help: .saying(
            "Write this licence, in 144 hexadecimal digits; 'none' removes it. Needs the PIN.", valueName: "digits"))
    var digits: String?

    private var bytes: [UInt8]? {
        digits == "none" ? [UInt8](repeating: 0, count: Licence.size) : digits.flatMap { [UInt8](hexadecimal: $0.utf8) }
    }

    func validate() throws {
        guard Licence.numbers.contains(number ?? Licence.numbers.lowerBound) else {
            throw ValidationError(translated("the number of a licence is 1 to 4"))
        }
        guard digits == nil || number != nil else { throw ValidationError(translated("say which licence to write")) }
        guard digits == nil || bytes?.count == Licence.size else {
            throw ValidationError(translated("a licence has \(2 * Licence.size) hexadecimal digits"))
        }
    }

    func run() async throws {
        let token = try await token.find()
        if let number, let bytes {
            try await pin.perform(on: token) { session in try session.setLicence(number, to: bytes) }
        }
        let numbers = number.map { $0...$0 } ?? Licence.numbers
        let licences = try await token.perform { session in
            try numbers.map { LicenceList.Entry(number: $0, value: try session.licence($0)?.hexadecimal) }
        }
        try output.show(LicenceList(licences: licences))
    }
}

private struct LicenceList: Report {
    struct Entry: Encodable {
        let number: Int
        let value: String?
    }

    let licences: [Entry]

    func text(_ style: Style) -> String {
        licences.map { "\($0.number): \($0.value ?? translated("none"))\n" }.joined()
    }
}
