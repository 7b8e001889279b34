// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

extension SecretSource: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

/// The source of the activation password.
struct PasswordOptions: ParsableArguments {
    @Option(
        help: .saying(
            "The source of the activation password: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var passwordSource: SecretSource?
}
