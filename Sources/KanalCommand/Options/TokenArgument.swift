// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

/// Which token is meant, for commands that take nothing else.
struct TokenArgument: ParsableArguments {
    @Argument(
        help: .saying(
            "The token: its serial number, label or reader, or a pkcs11: URI. (default: the only one)",
            valueName: "token"),
        completion: .tokens)
    var token: String?

    @OptionGroup var folder: ContainerOption

    func find() async throws -> Token { try await Token.find(named: token, in: folder.container) }
}
