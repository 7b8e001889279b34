// SPDX-License-Identifier: Apache-2.0

package import Configuration
public import Logging
package import Secrets
import SecureChannel
import Storage
import Token

/// Secrets of this user's programs, such as passwords and keys of services, by service and account.
///
/// They are kept in the user's files, each encrypted on its own. All programs that open the same *access group* share
/// its secrets; other groups have other keys. Without a directory the secrets stay on this machine. With one, they
/// belong to all machines that have the group's key (``makeKey()``, ``key()``, ``join(_:)``), as soon as some program
/// has copied the files from machine to machine.
///
/// A group has secrets of both kinds, and the same name in both is two secrets. The parameter `synchronised` of a call
/// chooses one kind: true for the directory's, false for this machine's. Without it a call is for the directory's,
/// if there is a directory.
///
/// If two machines change a secret at the same time, both end up with the same of the two values. A deletion wins over
/// every change that does not know of it.
///
/// Each call reads or writes small files, in a thread of its own, one call after the other. It waits for another process
/// for five seconds at most.
public final class SharedSecrets: Sendable {
    private let group: String
    /// The replicated directory, as it was named. Nil for secrets of this machine.
    public let directory: String?
    private let directories: @Sendable () -> UserDirectories.Found
    private let random: any RandomSource
    private let patience: Int
    private let worker = Worker()

    /// The secrets of an access group.
    ///
    /// - Parameters:
    ///   - accessGroup: 1 to 64 letters of ASCII, digits, ".", "_" and "-"; not "." in front.
    ///   - directory: A directory that is replicated between machines, from "/" or "~/". It belongs to the user and is
    ///     closed to others (mode 0700). Several groups can use one. Nil for secrets of this machine.
    ///   - log: Receives unusable directories of the environment. Nil for none.
    /// - Throws: ``SharedSecretsError/invalidArgument(_:)``.
    public convenience init(
        accessGroup: String, synchronisedThrough directory: String? = nil, log: Logger? = nil
    ) throws(SharedSecretsError) {
        let directories = UserDirectories(log: log ?? Logger(label: "kanal") { _ in SwiftLogNoOpLogHandler() })
        try self.init(
            accessGroup: accessGroup, synchronisedThrough: directory, directories: { directories.found() },
            random: SystemRandom())
    }

    /// The secrets of an access group where `kanal.conf` has them for this program: in the directory of `secrets`, or
    /// on this machine alone.
    ///
    /// - Throws: ``SharedSecretsError/directoryRefused(_:)`` if the setting is wrong; as
    ///   ``init(accessGroup:synchronisedThrough:log:)``.
    public static func configured(
        accessGroup: String, log: Logger? = nil
    ) throws(SharedSecretsError) -> SharedSecrets {
        let log = log ?? Logger(label: "kanal") { _ in SwiftLogNoOpLogHandler() }
        let configuration: Configuration
        do throws(StorageError) { configuration = try Configuration(of: UserDirectories(log: log)) } catch {
            throw .failed("\(error)")
        }
        switch configuration.secrets {
        case .machine: return try SharedSecrets(accessGroup: accessGroup, log: log)
        case .directory(let path):
            return try SharedSecrets(accessGroup: accessGroup, synchronisedThrough: path, log: log)
        case .unusable: throw .directoryRefused("kanal.conf has an error: see \"kanal doctor\"")
        }
    }

    package init(
        accessGroup: String, synchronisedThrough directory: String?,
        directories: @escaping @Sendable () -> UserDirectories.Found, random: any RandomSource, patience: Int = 5000
    ) throws(SharedSecretsError) {
        let isSound = accessGroup.utf8.allSatisfy { character in
            switch character {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isSound, (1...64).contains(accessGroup.utf8.count), !accessGroup.hasPrefix(".") else {
            throw .invalidArgument("an access group is named by 1 to 64 letters, digits, \".\", \"_\" and \"-\"")
        }
        if let directory, !directory.hasPrefix("/"), !directory.hasPrefix("~/") {
            throw .invalidArgument("the directory's path begins neither with \"/\" nor with \"~/\"")
        }
        group = accessGroup
        self.directory = directory
        self.directories = directories
        self.random = random
        self.patience = patience
    }

    // MARK: Secrets

    /// Adds a secret.
    ///
    /// - Parameters:
    ///   - value: At most 8192 bytes.
    ///   - service: 1 to 255 bytes in UTF-8. Names are compared byte by byte.
    ///   - account: At most 255 bytes in UTF-8.
    ///   - synchronised: Its kind.
    /// - Throws: ``SharedSecretsError/duplicate`` if the name is taken in this kind.
    public func add(
        _ value: borrowing SecretBytes, service: String, account: String, synchronised: Bool? = nil
    ) async throws(SharedSecretsError) {
        let name = try SharedSecrets.name(service, account)
        let value = try SharedSecrets.copy(value)
        let isSynchronised = synchronised ?? (directory != nil)
        try await work(isSynchronised, create: !isSynchronised) { store throws(SecretStore.Failure) in
            guard let store else { throw .noKey }
            try store.add(value.secret, name)
        }
    }

    /// The value of a secret.
    ///
    /// - Throws: ``SharedSecretsError/notFound``.
    public func read(
        service: String, account: String, synchronised: Bool? = nil
    ) async throws(SharedSecretsError) -> SecretBytes {
        let name = try SharedSecrets.name(service, account)
        let value = try await work(synchronised) { store throws(SecretStore.Failure) in
            guard let store = try SharedSecrets.began(store) else { throw .notFound }
            return SharedSecret(try store.read(name))
        }
        return SecretBytes(value)
    }

    /// Calls `body` with the value of a secret, where the caller runs. Copies of it are the caller's to wipe.
    ///
    /// - Throws: ``SharedSecretsError/notFound``; what `body` throws.
    public nonisolated(nonsending) func read<Result>(
        service: String, account: String, synchronised: Bool? = nil, _ body: (Span<UInt8>) throws -> Result
    ) async throws -> Result {
        try await read(service: service, account: account, synchronised: synchronised).withBytes(body)
    }

    /// Changes a secret's value, to at most 8192 bytes.
    ///
    /// - Throws: ``SharedSecretsError/notFound``.
    public func update(
        _ value: borrowing SecretBytes, service: String, account: String, synchronised: Bool? = nil
    ) async throws(SharedSecretsError) {
        let name = try SharedSecrets.name(service, account)
        let value = try SharedSecrets.copy(value)
        try await work(synchronised) { store throws(SecretStore.Failure) in
            guard let store = try SharedSecrets.began(store) else { throw .notFound }
            try store.update(value.secret, name)
        }
    }

    /// Deletes a secret: on this machine at once, on others as soon as they see the directory as it is then. A damaged
    /// secret can be deleted, too. A new one of the same name is a different secret.
    ///
    /// - Throws: ``SharedSecretsError/notFound``.
    public func delete(
        service: String, account: String, synchronised: Bool? = nil
    ) async throws(SharedSecretsError) {
        let name = try SharedSecrets.name(service, account)
        try await work(synchronised) { store throws(SecretStore.Failure) in
            guard let store = try SharedSecrets.began(store) else { throw .notFound }
            try store.delete(name)
        }
    }

    /// The names of all secrets of a kind, sorted by service and account.
    public func items(synchronised: Bool? = nil) async throws(SharedSecretsError) -> [SecretItem] {
        try await work(synchronised) { store throws(SecretStore.Failure) in
            guard let store = try SharedSecrets.began(store) else { return [] }
            return try store.names().map { SecretItem($0, in: store) }
        }
    }

    /// The names of the secrets that match, sorted by service and account.
    ///
    /// - Parameters:
    ///   - service: A pattern: `*` stands for any text, `?` for one character. Case does not count. Nil for all.
    ///   - account: The same for the account.
    ///   - synchronised: Their kind.
    public func items(
        service: String?, account: String? = nil, synchronised: Bool? = nil
    ) async throws(SharedSecretsError) -> [SecretItem] {
        let patterns = [service, account].map { $0.map(WildcardPattern.init) }
        return try await items(synchronised: synchronised).filter { item in
            (patterns[0]?.matches(item.service) ?? true) && (patterns[1]?.matches(item.account) ?? true)
        }
    }

    /// The files of the directory that cannot be read, sorted by name. They are left unchanged, and affect only their
    /// own secrets.
    public func unreadableFiles() async throws(SharedSecretsError) -> [UnreadableFile] {
        try await work { store throws(SecretStore.Failure) in
            let files = try SharedSecrets.began(store)?.unreadable() ?? []
            return files.map { UnreadableFile(name: $0.file, isOfThisGroup: $0.isOfGroup) }
        }
    }

    // MARK: The key of several machines

    /// Makes the group's key on the first of several machines, and the directory, if they are missing. The others get
    /// it by ``join(_:)`` and must not make one. Nothing is added to a directory without a key.
    public func makeKey() async throws(SharedSecretsError) {
        try await work(create: true) { store throws(SecretStore.Failure) in try store?.makeKey() }
    }

    /// Whether this machine has the group's key. Secrets of this machine alone have one as soon as one was added.
    public func hasKey() async throws(SharedSecretsError) -> Bool {
        do throws(SharedSecretsError) {
            return try await work { store throws(SecretStore.Failure) in try store?.hasKey() ?? false }
        } catch .noKey {
            return false
        }
    }

    /// The group's key, to be brought to another machine. It opens all secrets of the group, those to come, too.
    ///
    /// - Throws: ``SharedSecretsError/noKey``; ``SharedSecretsError/invalidArgument(_:)`` without a directory.
    public func key() async throws(SharedSecretsError) -> SharedKey {
        try requireDirectory()
        let text = try await work { store throws(SecretStore.Failure) in
            guard let store else { throw .noKey }
            return SharedSecret(try store.exportKey())
        }
        return SharedKey(text)
    }

    /// Imports the group's key from another machine, and makes the directory if it is missing.
    ///
    /// - Throws: ``SharedSecretsError/keyMalformed`` if it is mistyped or of another group;
    ///   ``SharedSecretsError/otherKey`` if this machine has secrets under a key of its own;
    ///   ``SharedSecretsError/invalidArgument(_:)`` without a directory.
    public func join(_ key: borrowing SharedKey) async throws(SharedSecretsError) {
        let text = SharedSecret(key.secret.copy())
        try requireDirectory()
        try await work(create: true) { store throws(SecretStore.Failure) in try store?.join(text.secret) }
    }

    // MARK: Values that come

    /// The state of all secrets, for ``SecretEvents``.
    func marks() async throws(SharedSecretsError) -> [SecretItem: [UInt8]] {
        try await work { store throws(SecretStore.Failure) in
            guard let store = try SharedSecrets.began(store) else { return [:] }
            var marks: [SecretItem: [UInt8]] = [:]
            for (name, mark) in try store.marks() { marks[SecretItem(name, in: store)] = mark }
            return marks
        }
    }

    // MARK: Work

    private func requireDirectory() throws(SharedSecretsError) {
        guard directory != nil else { throw .invalidArgument("secrets of this machine alone are not shared") }
    }

    /// The store, if there is anything in it.
    private static func began(_ store: SecretStore?) throws(SecretStore.Failure) -> SecretStore? {
        guard let store, store.isOfMachine else { return store }
        return try store.hasKey() ? store : nil
    }

    private static func name(_ service: String, _ account: String) throws(SharedSecretsError) -> SecretStore.Name {
        guard (1...255).contains(service.utf8.count), account.utf8.count <= 255 else {
            throw .invalidArgument("a service has 1 to 255 bytes, an account at most 255")
        }
        return SecretStore.Name(service: service, account: account)
    }

    /// A copy for the thread, if it is not too long.
    private static func copy(_ value: borrowing SecretBytes) throws(SharedSecretsError) -> SharedSecret {
        guard value.count <= SecretStore.valueLimit else {
            throw .invalidArgument("a secret has at most \(SecretStore.valueLimit) bytes")
        }
        return SharedSecret(value.secret.copy())
    }

    /// Runs `body` in the thread, with the store of the process's present user.
    ///
    /// - Parameters:
    ///   - synchronised: The kind of the store. Nil for the directory's, if there is one.
    ///   - create: Whether to make the store's directories.
    private func work<Result: Sendable>(
        _ synchronised: Bool? = nil, create: Bool = false,
        _ body: @escaping @Sendable (SecretStore?) throws(SecretStore.Failure) -> Result
    ) async throws(SharedSecretsError) -> Result {
        let isSynchronised = synchronised ?? (directory != nil)
        guard !isSynchronised || directory != nil else {
            throw .invalidArgument("there is no directory for secrets that are synchronised")
        }
        do {
            return try await worker.run(cancellation: .asks({})) { [self] in
                let place = try place(isSynchronised ? directory : nil)
                do throws(SecretStore.Failure) {
                    let store = try SecretStore.open(
                        place, group: group, create: create, random: random, patience: patience)
                    if store == nil, isSynchronised, !create { throw .noKey }
                    return try body(store)
                } catch {
                    throw SharedSecretsError(error)
                }
            }
        } catch let error as SharedSecretsError {
            throw error
        } catch let error as KanalError where error == .cancelled {
            throw .cancelled
        } catch {
            throw .failed("\(error)")
        }
    }

    private func place(_ directory: String?) throws(SharedSecretsError) -> SecretStore.Place {
        let found = directories()
        guard let data = found.data else { throw .noHome }
        let local = data + "/kanal/secrets/" + group
        guard let directory else { return .machine(local: local + "/machine") }
        guard directory.hasPrefix("~/") else { return .synchronised(directory, local: local + "/synchronised") }
        guard let home = found.home else { throw .noHome }
        return .synchronised(home + directory.dropFirst(), local: local + "/synchronised")
    }
}

/// A file in the directory of the secrets that cannot be read.
public struct UnreadableFile: Sendable, Equatable {
    /// The file's name in the directory.
    public let name: String
    /// Whether it is a damaged file of a secret of this access group. Otherwise it may be of another group, or not a
    /// secret at all.
    public let isOfThisGroup: Bool
}
