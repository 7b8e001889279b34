// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import GOST
import Secrets

/// The use of a container's key, by the host. Nothing secret outlives the transaction: another program may change the
/// masked key with each use, and nothing here is ever written.
extension Transaction {
    /// Runs `body` with the private key of a container, which is proven to be the one of the certificate.
    ///
    /// - Parameter password: The container's; empty without one.
    func withKey<Result: ~Copyable>(
        of reference: ContainerReference, password: borrowing Secret,
        _ body: (borrowing PrivateKey) throws(GOSTError) -> Result
    ) throws(TokenError) -> Result {
        let key = try openKey(of: reference, password)
        do throws(GOSTError) { return try body(key) } catch {
            throw error == .invalidLength ? .unsupported : .container(.failure(error))
        }
    }

    private func openKey(
        of reference: ContainerReference, _ password: borrowing Secret
    ) throws(TokenError) -> PrivateKey {
        let files = try readFiles(of: reference)
        do throws(ContainerError) { return try files.open(reference.key.index, password) } catch {
            guard error.isOfPair else { throw TokenError(error) }
        }
        let container = files.container
        if files.isGuess {
            let files = try readPair(.main, of: reference, container)
            do throws(ContainerError) { return try files.open(reference.key.index, password) } catch {
                guard error.isOfPair else { throw TokenError(error) }
            }
        }
        // A program that was interrupted has left one pair whole.
        if container.header.hasReserve {
            let files = try readPair(.reserve, of: reference, container)
            do throws(ContainerError) { return try files.open(reference.key.index, password) } catch {
                guard error.isOfPair else { throw TokenError(error) }
            }
        }
        let last = try readPair(.main, of: reference, currentContainer(reference.directory))
        do throws(ContainerError) { return try last.open(reference.key.index, password) } catch {
            throw TokenError(error)
        }
    }

    /// The container as it is now, with the files of its main pair.
    ///
    /// The order of the files lets the last selected file come first, without being selected again. Another
    /// program may have selected a different one since: what is read then is not what it has to be.
    private func readFiles(of reference: ContainerReference) throws(TokenError) -> OpenedContainer {
        let directory = reference.directory
        guard let known = session.known.containers[directory] else {
            return try readPair(.main, of: reference, requireCurrentContainer(of: reference))
        }
        let selected = session.progress.lastExchange?.file
        if selected == FilePath.container(directory, .header).bytes, try readCode(of: known) == known.header.code {
            return try readPair(.main, of: reference, known)
        }
        var guessed = Secret(count: 0)
        if selected == FilePath.container(directory, .primary).bytes {
            guessed = try readGuessed(count: known.sizes[.primary] ?? 0)
        }
        let isGuess = !guessed.isEmpty
        let primary = isGuess ? guessed.copy() : try readKeyFile(.primary, of: directory)
        let masks = try readKeyFile(.masks, of: directory)
        return OpenedContainer(
            container: try requireCurrentContainer(of: reference), pair: .main, masks: masks, primary: primary,
            isGuess: isGuess)
    }

    /// - Throws: ``TokenError/notFound`` if the container has the key no more.
    private func requireCurrentContainer(of reference: ContainerReference) throws(TokenError) -> KnownContainer {
        let container = try currentContainer(reference.directory)
        guard container.key(of: reference) != nil else { throw .notFound }
        return container
    }

    /// Why a pair of a container without a password does not give all of its keys; nil if it does.
    func fault(
        of pair: ContainerPair, _ container: KnownContainer, in directory: UInt16
    ) throws(TokenError) -> ContainerError? {
        for key in container.header.keys {
            let reference = ContainerReference(directory: directory, key: key, needsPassword: false)
            let files = try readPair(pair, of: reference, container)
            do throws(ContainerError) { _ = try files.open(key.index, Secret(count: 0)) } catch { return error }
        }
        return nil
    }

    /// The most bytes that are read of a file with keys. None needs more than 140.
    private static var keyFileSize: Int { 1024 }

    private func readPair(
        _ pair: ContainerPair, of reference: ContainerReference, _ container: KnownContainer
    ) throws(TokenError) -> OpenedContainer {
        let masks = try readKeyFile(pair.masks, of: reference.directory)
        let primary = try readKeyFile(pair.primary, of: reference.directory)
        return OpenedContainer(container: container, pair: pair, masks: masks, primary: primary, isGuess: false)
    }

    /// The selected file; nothing if it is clearly not the same as before.
    private func readGuessed(count: Int) throws(TokenError) -> Secret {
        guard (1...256).contains(count) else { return Secret(count: 0) }
        let response = try sendSecret(CardCommand.read(at: 0, count: count).apdu)
        let isSequence = response.data.count == count && response.data.bytes[0] == DERTag.sequence.rawValue
        return isSequence ? response.data.copy() : Secret(count: 0)
    }

    /// A file with a part of the keys; nothing if it is not there, but in a container that is.
    private func readKeyFile(_ file: ContainerFile, of directory: UInt16) throws(TokenError) -> Secret {
        guard let template = try optional({ () throws(TokenError) in try select(.container(directory, file)) }) else {
            return Secret(count: 0)
        }
        let size = min(template.size, Self.keyFileSize)
        session.known.containers[directory]?.sizes[file] = size
        return try readSecret(count: size)
    }
}

/// A container, and one pair of its files with keys, for the time of one use.
private struct OpenedContainer: ~Copyable {
    let container: KnownContainer
    let pair: ContainerPair
    let masks: Secret
    let primary: Secret
    /// Whether a file was read without being selected.
    let isGuess: Bool

    func open(_ index: ContainedKey.Index, _ password: borrowing Secret) throws(ContainerError) -> PrivateKey {
        try container.header.open(index, masks: masks, primary: primary, password: password, of: pair)
    }
}
