// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import GOST
import Logging
import Secrets
import Translation

/// Finding the keys of containers. User alone may read the files that describe them.
extension Transaction {
    /// The objects of all containers that can be read, for User.
    func readContainers() throws(TokenError) -> [TokenObject] {
        guard login == .user, isPlain else { return [] }
        if let counter = session.known.changeCounter, session.known.containersAt == counter {
            return session.known.containers.sorted { $0.key < $1.key }
                .flatMap { $1.objects(in: $0, isFolder: session.isFolder) }
        }
        var known: [UInt16: KnownContainer] = [:]
        var objects: [TokenObject] = []
        let directories = try containerDirectories()
        noteContainers(directories.count)
        for directory in directories {
            try spend(files: 2)
            guard let container = try container(directory) else { continue }
            known[directory] = container
            objects += container.objects(in: directory, isFolder: session.isFolder)
        }
        session.known.containers = known
        session.known.containersAt = session.known.changeCounter
        return objects
    }

    /// The directories of containers, whose numbers may have holes. They are listed without a login; a refusal means
    /// none.
    func containerDirectories() throws(TokenError) -> [UInt16] {
        var directories: [UInt16] = []
        // A directory that is selected as a child becomes the current one.
        while try selectContainers() {
            try spend(files: 1)
            guard let directory = try selectChild(after: directories.last), !directories.contains(directory) else {
                break
            }
            directories.append(directory)
        }
        return directories
    }

    /// Notes how many containers there are, and logs them once. Their names are personal.
    private func noteContainers(_ count: Int) {
        if count > 0, session.known.hasContainers != true, !session.isFolder {
            settings.log.notice(
                "key containers of CryptoPro CSP on the token: \(count)",
                metadata: ["reader": "\(session.identity.reader)"])
        }
        session.known.hasContainers = count > 0
    }

    /// The containers, as everybody may see them.
    func containers() throws(TokenError) -> [ContainerPlace] {
        var places: [ContainerPlace] = []
        let directories = try containerDirectories()
        noteContainers(directories.count)
        for directory in directories {
            try spend(files: 1)
            let known = session.known.containers[directory]?.name
            let name = if let known { known } else { try containerName(directory) }
            places.append(ContainerPlace(directory: directory, name: name))
        }
        return places
    }

    /// Makes sure that nothing is lost by erasing the token that no other copy may be of. Unless a card reports that
    /// there is none, it may have one.
    ///
    /// - Throws: ``TokenError/holdsContainers``; the card's refusal to report them.
    func requireNoContainers() throws(TokenError) {
        for command in [CardCommand.select(.containers, ne: 256), .selectChild(after: nil)] {
            let response = try send(command)
            guard response.status != .fileNotFound else { return }
            _ = try data(of: response)
        }
        throw .holdsContainers
    }

    /// Whether there is a container, as everybody may see.
    func lookForContainers() throws(TokenError) -> Bool {
        guard try selectContainers() else { return false }
        return try selectChild(after: nil) != nil
    }

    private func selectContainers() throws(TokenError) -> Bool {
        try send(CardCommand.select(.containers, ne: 256)).status == .success
    }

    /// The next file in the current directory; nil behind the last one.
    private func selectChild(after directory: UInt16?) throws(TokenError) -> UInt16? {
        let response = try send(CardCommand.selectChild(after: directory))
        guard response.status == .success else { return nil }
        return (try? FileTemplate(parsing: response.data))?.identifier
    }

    /// A container that is there now; nil if it cannot be used.
    private func container(_ directory: UInt16) throws(TokenError) -> KnownContainer? {
        do throws(TokenError) {
            return try completed(currentContainer(directory), directory)
        } catch {
            switch error {
            case .container(let fault):
                settings.log.notice(
                    "the container \(directory.bytes.hexadecimal) is not shown: \(fault)",
                    metadata: ["reader": "\(session.identity.reader)"])
                return nil
            case .notFound, .notLoggedIn, .refused: return nil
            default: throw error
            }
        }
    }

    /// The container with the public keys of keys without a certificate, which are computed unless that needs a password.
    private func completed(
        _ container: KnownContainer, _ directory: UInt16
    ) throws(TokenError) -> KnownContainer {
        guard !container.header.needsPassword || session.isFolder else { return container }
        var container = container
        for key in container.header.keys where key.certificate == nil && container.publicKeys[key.index] == nil {
            let reference = ContainerReference(directory: directory, key: key, needsPassword: false)
            do throws(TokenError) {
                container.publicKeys[key.index] = try withKey(of: reference, password: password(nil)) {
                    key throws(GOSTError) in
                    let publicKey = try key.publicKey()
                    return publicKey.bytes
                }
            } catch {
                // Its use will fail, and say why.
                guard case .container = error else { throw error }
            }
        }
        session.known.containers[directory]?.publicKeys = container.publicKeys
        return container
    }

    /// A container's known facts, once its header's code has shown that they are true; else the header's contents.
    /// The header is the selected file after it.
    ///
    /// - Throws: ``TokenError/notFound`` if there is no header.
    func currentContainer(_ directory: UInt16) throws(TokenError) -> KnownContainer {
        let known = session.known.containers[directory]
        let name = if let known { known.name } else { try containerName(directory) }
        let size = try select(.container(directory, .header)).size
        if let known {
            if try readCode(of: known) == known.header.code { return known }
            session.known.containers[directory] = nil
            session.known.containersAt = nil
            // The objects that were found belong to another header.
            session.known.objects = nil
        }
        let bytes = try readHeader(size: size)
        let header: ContainerHeader
        do throws(ContainerError) { header = try ContainerHeader(file: bytes.span) } catch { throw TokenError(error) }
        let container = KnownContainer(name: name, header: header)
        session.known.containers[directory] = container
        return container
    }

    /// The code at the end of the selected header. If a different file is selected, it is something else, or nothing.
    func readCode(of known: KnownContainer) throws(TokenError) -> [UInt8] {
        let size = known.header.code.count
        return try send(CardCommand.read(at: known.header.length - size, count: size)).data
    }

    /// The selected header without its filling, which is longer on real tokens than a header.
    private func readHeader(size: Int) throws(TokenError) -> [UInt8] {
        var bytes = try readBlock(at: 0, atMost: size).data
        let length: Int
        do throws(ContainerError) { length = try ContainerHeader.length(from: bytes.span) } catch {
            throw TokenError(error)
        }
        while bytes.count < min(length, size) {
            let block = try readBlock(at: bytes.count, atMost: min(length, size) - bytes.count)
            bytes += block.data
            if block.data.isEmpty || block.status == .endOfFileReached { break }
        }
        return bytes
    }

    /// The name of a container; empty if it has none that can be read.
    private func containerName(_ directory: UInt16) throws(TokenError) -> String {
        let file = try optional { () throws(TokenError) in
            let size = try select(.container(directory, .name)).size
            return try readBlock(at: 0, atMost: size).data
        }
        return file.flatMap { try? ContainerName(file: $0.span).text } ?? ""
    }
}
