// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
package import Secrets

/// Computing with keys of containers, which the host does. Needs User's login, as the files with the keys do.
extension ConnectedToken {
    /// Whether the token has key containers, as it reports without a PIN.
    package func hasContainers() throws(TokenError) -> Bool {
        if let known = session.known.hasContainers { return known }
        let isThere = try transaction(first: .read) { card throws(TokenError) in try card.lookForContainers() }
        session.known.hasContainers = isThere
        return isThere
    }

    /// The token's key containers, as it reports without a PIN.
    package func containers() throws(TokenError) -> [ContainerPlace] {
        try transaction(first: .read) { card throws(TokenError) in try card.containers() }
    }

    /// Signs a digest, as ``sign(digest:with:)`` does.
    func sign(
        digest: [UInt8], with reference: ContainerReference, _ password: SharedSecret?
    ) throws(TokenError) -> [UInt8] {
        try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            let password = card.password(password)
            let random = card.settings.random
            return try card.withKey(of: reference, password: password) { key throws(GOSTError) in
                try key.sign(digest: digest.span, random: random)
            }
        }
    }

    /// Agrees on a secret, as ``agree(_:with:ukm:hash:)`` does.
    func agree(
        _ reference: ContainerReference, with peer: [UInt8], ukm: [UInt8], hash: HashAlgorithm?,
        _ password: SharedSecret?
    ) throws(TokenError) -> Secret {
        guard let hash, let peer = try? PublicKey(curve: reference.key.curve, bytes: peer) else { throw .unsupported }
        return try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            let password = card.password(password)
            return try card.withKey(of: reference, password: password) { key throws(GOSTError) in
                try key.vko(with: peer, ukm: ukm.span, hash: hash)
            }
        }
    }

    /// Makes sure that a password is the one of an object's container. No wrong one is counted.
    ///
    /// - Throws: ``TokenError/container(_:)`` with ``ContainerError/password`` for another one.
    package func checkPassword(_ password: borrowing Secret, of object: TokenObject) throws(TokenError) {
        guard let reference = object.container else { throw .unsupported }
        let password = password.copy()
        try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            let container = try card.currentContainer(reference.directory)
            do throws(ContainerError) { _ = try container.header.checkPassword(password) } catch {
                throw error == .passwordNeeded ? .container(.password) : TokenError(error)
            }
        }
    }
}
