// SPDX-License-Identifier: Apache-2.0
// secrets GROUP DIRECTORY begin|key|join|list|add|read|update|delete [SERVICE ACCOUNT]: secrets of an access group, in
// a directory that is replicated between machines. Secrets go through standard input and output.
import KanalKit

let arguments = CommandLine.arguments
let secrets = try SharedSecrets(accessGroup: arguments[1], synchronisedThrough: arguments[2])
let service = arguments.count > 4 ? arguments[4] : ""
let account = arguments.count > 5 ? arguments[5] : ""
var input: String { readLine() ?? "" }

func show(_ bytes: Span<UInt8>) {
    print(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
}

do {
    switch arguments[3] {
    case "begin": try await secrets.makeKey()
    case "key":
        let key = try await secrets.key()
        key.withText(show)
    case "join": try await secrets.join(SharedKey(input))
    case "list": for item in try await secrets.items() { print("\(item.service): \(item.account)") }
    case "add": try await secrets.add(SecretBytes(input), service: service, account: account)
    case "read":
        try await secrets.read(service: service, account: account, show)
    case "update": try await secrets.update(SecretBytes(input), service: service, account: account)
    default: try await secrets.delete(service: service, account: account)
    }
} catch {
    print("error: \(error)")
}
