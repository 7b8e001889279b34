// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import Secrets

/// A folder with one container, which is reached as if it were a card.
extension Transaction {
    /// Finds out who the container is. Its serial number is the fingerprint of its first key.
    ///
    /// - Throws: ``TokenError/container(_:)`` for a container that is refused; ``TokenError/link(_:)`` if there is none.
    func openFolder() throws(TokenError) {
        session.protection = .plain
        let container = try containerOfFolder()
        session.identity.serial = container.header.keys.first?.fingerprint ?? []
        session.needsLogin = container.header.needsPassword
        session.known.hasContainers = true
        session.forgetLogin()
    }

    /// The container as it is now.
    private func containerOfFolder() throws(TokenError) -> KnownContainer {
        let container = try optional { () throws(TokenError) -> KnownContainer? in
            guard let directory = try containerDirectories().first else { return nil }
            return try currentContainer(directory)
        }
        guard let container, let container else { throw .link(.noCard) }
        return container
    }

    /// The information that a folder has.
    func folderInfo() throws(TokenError) -> TokenInfo {
        var info = TokenInfo(serial: session.identity.serial, label: Array(try containerOfFolder().name.utf8))
        info.isFormatted = true
        info.user.minimumLength = 1
        info.user.isChanged = true
        info.securityOfficer.isChanged = true
        info.isFolder = true
        info.needsLogin = session.needsLogin
        return info
    }

    /// Makes sure that the card is none whose files must stay as they are, before a place for a new one is looked for.
    func requireWritable() throws(TokenError) {
        guard !session.isFolder else { throw .readOnly }
    }

    /// Makes sure that a PIN is the container's password. No wrong one is counted.
    func verifyPassword(_ role: ConnectedToken.Role, _ password: borrowing Secret) throws(TokenError) {
        guard role == .user else { throw .readOnly }
        let header = try containerOfFolder().header
        do throws(ContainerError) { _ = try header.checkPassword(password) } catch {
            throw [.password, .passwordNeeded].contains(error) ? .pinIncorrect : TokenError(error)
        }
    }

    /// The password for one use of a container: the given one, or in a folder the one that User has logged in with.
    func password(_ given: SharedSecret?) -> Secret {
        if let given { return given.secret.copy() }
        guard session.isFolder, let pin = session.login.pin?.copy() else { return Secret(count: 0) }
        return pin
    }
}
