// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// The source of a key that another machine has shown.
struct KeyOptions: ParsableArguments {
    @Option(
        help: .saying(
            "The source of the key: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var keySource: SecretSource?

    func read() throws -> SharedKey {
        let secret = try SecretQuestion(prompt: "Key: ", source: keySource, option: "--key-source").answer()
        return SharedKey(bytes: secret.bytes)
    }
}
