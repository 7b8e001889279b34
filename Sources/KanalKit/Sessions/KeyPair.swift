// SPDX-License-Identifier: Apache-2.0

import Asking
import Containers
import HostCrypto
import Secrets
import Token
import Tokens
import Translation

/// A key pair on a token. The private key never leaves it.
public struct KeyPair: Sendable, Equatable {
    /// The kind of the pair: algorithm and size.
    public let kind: KeyKind
    /// The identifier that both halves and their certificate share.
    public let id: [UInt8]
    /// The name that it was given.
    public let label: String
    /// Whether the key is in a container with a password of its own, which each use needs; see
    /// ``Session/askForPasswords(by:)``.
    public let needsPassword: Bool
    let privateKey: ObjectReference
    let publicKey: ObjectReference?
}

extension KeyPair {
    init(_ pair: KeyPairObjects) {
        kind = KeyKind(pair.privateKey)
        id = pair.privateKey.identifier
        label = pair.privateKey.name
        needsPassword = pair.privateKey.container?.needsPassword == true
        privateKey = ObjectReference(pair.privateKey)
        publicKey = pair.publicKey.map { ObjectReference($0) }
    }
}
