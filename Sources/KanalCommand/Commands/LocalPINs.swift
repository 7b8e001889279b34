// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct LocalPINs: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "local",
            abstract: translated("List the local PINs of a token, or set one."),
            discussion: translated(
                """
                An application can protect files of its own by a local PIN, 3 to 31. Setting one needs its present \
                value, or the user's PIN if it was not set before.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var new: NewPINOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("Set this one, 3 to 31. (default: list all that are set)", valueName: "number"))
    var number: Int?

    func validate() throws {
        guard LocalPIN.numbers.contains(number ?? LocalPIN.numbers.lowerBound) else {
            throw ValidationError(translated("the number of a local PIN is 3 to 31"))
        }
    }

    func run() async throws {
        let token = try await token.find()
        if let number {
            let known = try await token.perform { session in
                try session.localPINs().first { $0.number == number }
            }
            let locked: LockedPIN = known == nil ? .user : .local(number)
            guard known?.details.triesLeft != 0 else { throw locked.refusal }
            let name: Phrase = known == nil ? PINOptions.name(of: .user, token) : "Local PIN \(number)"
            let present = try await pin.read(name, of: .user, token, triesLeft: known?.details.triesLeft)
            let new = try new.read()
            do {
                try await token.perform { session in
                    try present.with { present in
                        try new.with { new in try session.setLocalPIN(number, to: new, presenting: present) }
                    }
                }
            } catch {
                throw locked.remedied(error) ?? error
            }
        }
        let pins = try await token.perform { session in try session.localPINs() }
        try output.show(LocalPINList(pins))
    }
}

private struct LocalPINList: Report {
    struct Entry: Encodable {
        let number: Int
        let tries: Int
        let triesLeft: Int
    }

    let localPINs: [Entry]

    init(_ pins: [LocalPIN]) {
        localPINs = pins.map { Entry(number: $0.number, tries: $0.details.tries, triesLeft: $0.details.triesLeft) }
    }

    func text(_ style: Style) -> String {
        guard !localPINs.isEmpty else { return translated("No local PIN is set.") + "\n" }
        var table = Table(["number", "tries left"])
        for pin in localPINs { table.add(["\(pin.number)", translated("\(pin.triesLeft) of \(pin.tries)")]) }
        return table.text(style)
    }
}
