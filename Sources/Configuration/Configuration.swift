// SPDX-License-Identifier: Apache-2.0

package import Asking
import Glibc
package import SecureChannel
package import Storage
package import Token
package import Translation

/// The configuration of one program, from the configuration files.
///
/// The user's file overrides the administrator's; in each, a section of the program overrides the settings before all
/// sections. Below both are the ``ProgramDefaults``. The user can only raise protection: of two settings the stricter one counts, and `wireless_readers` of all
/// places add up. An error never lowers protection: see ``isClosed``.
package struct Configuration: Sendable, Equatable {
    /// The store of pairings with tokens.
    package var store = Store.user
    /// The place of the secrets of programs.
    package var secrets = SecretsPlace.machine
    /// The policy for tokens.
    package var policy = TokenPolicy()
    /// The authenticator that asks the user in our stead; nil if the user is never asked.
    package var authenticator: Authenticator?
    /// Whether the activation password of a token that was not activated is asked for.
    package var asksForActivation = false
    /// The uses of private keys that the user is asked for.
    package var consent = Consent.never
    /// The folders with key containers of CryptoPro CSP; `~/` stands for the user's home directory.
    package var containers: [String] = []
    /// Whether messages for the administrator go to the system's log. Only the administrator's file decides.
    package internal(set) var reportsToSyslog = true

    /// Remarks about the files.
    package internal(set) var remarks: [Remark] = []

    /// Whether the configuration fails closed because its files leave open which protection or store is wanted: a file
    /// or line cannot be read, a key is unknown, or the value of a setting of protection or store is not allowed. Then
    /// the strictest protection counts, and without a store no token can be activated or opened. Tokens can still be
    /// listed.
    package internal(set) var isClosed = false

    /// The configuration without files.
    package init() {}

    /// The store of pairings with tokens.
    package enum Store: Sendable, Equatable {
        /// In the user's own store, which the user's programs share.
        case user
        /// In a store of the user's own, which the programs that name it share.
        case application(String)
        /// In the store of a group of programs and users. Of several groups the first counts.
        case groups([String])
        /// In a directory that is replicated between the user's machines.
        case synchronised(String)
    }

    /// The place of the secrets of programs.
    package enum SecretsPlace: Sendable, Equatable {
        /// On this machine alone.
        case machine
        /// In a directory that is replicated between the user's machines.
        case directory(String)
        /// The setting is wrong.
        case unusable
    }

    /// A remark about a file.
    package struct Remark: Sendable, Equatable, CustomStringConvertible {
        /// The path of the file.
        package let file: String
        /// The number of the line, from 1; nil if it concerns the whole file.
        package let line: Int?
        /// The error, and the values that are allowed.
        package let text: Phrase
        /// Whether the line has no effect because it is wrong.
        package let isError: Bool

        package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(text)" }
    }
}

extension Configuration {
    /// Reads the files at these paths. A missing one has no effect.
    ///
    /// Neither file may be writable by anyone but its owner, who is root or the process's user.
    ///
    /// - Parameters:
    ///   - user: nil for a process that must not listen to its user.
    ///   - program: The name of the process's executable, without its directory.
    /// - Throws: `StorageError/noDescriptors`, because the files may exist.
    package init(reading system: String, user: String?, program: String) throws(StorageError) {
        let administrator = try Configuration.file(at: system, program)
        let own = try user.flatMap { path throws(StorageError) in try Configuration.file(at: path, program) }
        // A process can have other users later, or in other threads.
        self.init([administrator, own], for: program, of: geteuid())
    }

    /// Applies the content of the administrator's file and of the user's; nil is a file that does not exist.
    package init(system: [UInt8]?, user: [UInt8]?, program: String) {
        let contents = [("/etc/kanal/kanal.conf", system), ("~/.config/kanal/kanal.conf", user)]
        self.init(
            contents.map { path, content in
                content.map { ConfigurationFile(parsing: $0, path: path, program: program) }
            }, for: program)
    }

    /// - Parameters:
    ///   - files: The administrator's, then the user's.
    ///   - program: The name of the process's executable.
    ///   - user: The user; nil if that does not matter.
    private init(_ files: [ConfigurationFile?], for program: String, of user: uid_t? = nil) {
        var all = Statements(), namer: uid_t?
        all.hiddenKeys = ProgramDefaults.hiddenKeys[program]
        for (index, file) in files.enumerated() {
            guard var file else { continue }
            var statements = Statements(file.general, of: &file)
            statements.override(by: Statements(file.special, of: &file))
            if index > 0 {
                statements.keepFromWeakening(all, in: &file)
                if statements.asking.authenticator != nil { namer = user }
            }
            all.override(by: statements)
            remarks += file.remarks.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
            isClosed = isClosed || file.isClosed
        }
        apply(all)
        authenticator?.user = namer
        if isClosed {
            policy.minimumProfile = .modern
            policy.requireSM = true
            policy.plainBluetooth = false
            policy.pinRetention = .none
            authenticator?.allowsKeyring = false
            policy.cachesObjects = false
            consent = .always
            secrets = .unusable
            containers = []
        }
    }

    private mutating func apply(_ statements: Statements) {
        store = statements.store ?? store
        secrets = statements.secrets ?? secrets
        policy.minimumProfile = statements.minimumProfile ?? policy.minimumProfile
        policy.requireSM = statements.requireSM ?? policy.requireSM
        policy.pinRetention = statements.pinRetention ?? policy.pinRetention
        policy.reconnectWindow = statements.reconnectWindow ?? policy.reconnectWindow
        policy.reconnectWindowWired = statements.reconnectWindowWired ?? policy.reconnectWindowWired
        policy.busyWindow = statements.busyWindow ?? policy.busyWindow
        policy.wirelessReaders = statements.wirelessReaders
        policy.plainBluetooth = statements.plainBluetooth ?? policy.plainBluetooth
        policy.plainLogin = statements.plainLogin ?? policy.plainLogin
        policy.usesPINPads = statements.usesPINPads ?? policy.usesPINPads
        policy.hiddenKeys = statements.hiddenKeys ?? policy.hiddenKeys
        policy.cachesObjects = statements.cachesObjects ?? policy.cachesObjects
        authenticator = statements.asking.authenticator ?? nil
        if let timeLimit = statements.asking.timeLimit { authenticator?.timeLimit = timeLimit }
        // No keyring keeps what the program itself must not keep.
        authenticator?.allowsKeyring = statements.asking.allowsKeyring == true && policy.pinRetention == .session
        // A file that has the PIN has no activation password: it would be tried as one.
        asksForActivation = statements.asking.asksForActivation == true && authenticator?.asksUser == true
        consent = statements.asking.consent ?? consent
        containers = statements.containers
        reportsToSyslog = statements.syslog ?? reportsToSyslog
    }

    private static func file(at path: String, _ program: String) throws(StorageError) -> ConfigurationFile? {
        do throws(StorageError) {
            guard let content = try TrustedFile.read(path, limit: ConfigurationFile.limit) else { return nil }
            return ConfigurationFile(parsing: content, path: path, program: program)
        } catch {
            guard error != .noDescriptors else { throw error }
            return ConfigurationFile(path: path, failure: error)
        }
    }
}

extension Configuration {
    /// The paths of the folders with key containers. Without a home directory those in it are left out.
    package func containerFolders(home: String?) -> [String] {
        containers.compactMap { path in
            guard path.hasPrefix("~/") else { return path }
            return home.map { $0 + path.dropFirst() }
        }
    }

    /// The location of the store.
    ///
    /// - Parameters:
    ///   - data: The directory for data of the user's programs; nil if the user has none.
    ///   - home: The user's home directory; nil if the user has none.
    ///   - groups: The directory of the directories that groups share.
    package func location(
        data: String?, home: String?, groups: String = "/var/lib/kanal/groups"
    ) -> PairingStore.Location {
        guard !isClosed else { return .unusable(.denied(.configuration)) }
        switch store {
        case .user:
            return data.map { .directory($0 + "/kanal/pairings") } ?? .nowhere
        case .application(let name):
            return data.map { .directory($0 + "/kanal/applications/" + name) } ?? .unusable(.notFound)
        case .groups(let names):
            guard let name = names.first else { return .unusable(.denied(.configuration)) }
            return .group(groups + "/" + name, memory: data.map { $0 + "/kanal/groups/" + name })
        case .synchronised(let path):
            guard let data else { return .unusable(.notFound) }
            let local = data + "/kanal/synchronised"
            guard path.hasPrefix("~/") else { return .synchronised(path, local: local) }
            return home.map { .synchronised($0 + path.dropFirst(), local: local) } ?? .unusable(.notFound)
        }
    }
}
