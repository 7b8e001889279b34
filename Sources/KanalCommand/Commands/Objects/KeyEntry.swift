// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// A key pair, as it is listed.
struct KeyEntry: Encodable, Sendable {
    let id: String
    let label: String
    let kind: String
    let kindText: Phrase
    /// Of the private key.
    let uri: String

    private enum CodingKeys: CodingKey {
        case id, label, kind, uri
    }

    /// - Parameter serial: The token's.
    init(_ key: KeyPair, serial: String) {
        id = key.id.hexadecimal
        label = key.label
        kind = KeyKindName(key.kind).description
        kindText = KeyKindName(key.kind).text
        uri = ObjectURI(.privateKey, id: key.id, label: key.label, serial: serial).text
    }
}
