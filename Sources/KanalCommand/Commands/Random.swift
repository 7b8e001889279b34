// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct Random: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "random",
            abstract: translated("Write random bytes from the token's generator, mixed with the system's."),
            discussion: translated("The bytes are written in hexadecimal digits, or unchanged with --raw."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: .saying("Write the bytes unchanged."))
    var raw = false

    @Argument(help: .saying("The number of bytes, 1 to 1048576.", valueName: "count"))
    var count: Int

    func validate() throws {
        guard (1...0x10_0000).contains(count) else { throw ValidationError(translated("the count is 1 to 1048576")) }
        guard !raw || !output.json else { throw ValidationError(translated("--raw and --json exclude each other")) }
    }

    func run() async throws {
        let count = count
        let bytes = try await token.find().perform { session in try session.randomBytes(count) }
        if raw { return try OutputStream.output.write(bytes) }
        try output.show(RandomBytes(random: bytes.hexadecimal))
    }
}

private struct RandomBytes: Report {
    let random: String

    func text(_ style: Style) -> String { random + "\n" }
}
