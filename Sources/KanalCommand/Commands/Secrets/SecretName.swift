// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Translation

/// The name of a secret.
struct SecretName: ParsableArguments {
    @Argument(help: .saying("The purpose of the secret, such as the name of a server.", valueName: "service"))
    var service: String

    @Argument(help: .saying("The account of the secret. (default: none)", valueName: "account"))
    var account = ""
}
