// SPDX-License-Identifier: Apache-2.0
import Asking
import Glibc
import SecureChannel
package import Storage
import Token

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
        self.init([administrator, own], of: geteuid())
    }

    /// Takes over the content of the administrator's file and of the user's; nil is a file that does not exist.
    package init(system: [UInt8]?, user: [UInt8]?, program: String) {
        let contents = [("/etc/kanal/kanal.conf", system), ("~/.config/kanal/kanal.conf", user)]
        self.init(
            contents.map { path, content in
                content.map { ConfigurationFile(parsing: $0, path: path, program: program) }
            })
    }

    /// - Parameters:
    ///   - files: The administrator's, then the user's.
    ///   - user: The user; nil if that does not matter.
    private init(_ files: [ConfigurationFile?], of user: uid_t? = nil) {
        var all = Statements(), namer: uid_t?
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
            policy.cachesObjects = false
            consent = .always
        }
    }

    private mutating func apply(_ statements: Statements) {
        store = statements.store ?? store
        policy.minimumProfile = statements.minimumProfile ?? policy.minimumProfile
        policy.requireSM = statements.requireSM ?? policy.requireSM
        policy.pinRetention = statements.pinRetention ?? policy.pinRetention
        policy.reconnectWindow = statements.reconnectWindow ?? policy.reconnectWindow
        policy.reconnectWindowWired = statements.reconnectWindowWired ?? policy.reconnectWindowWired
        policy.wirelessReaders = statements.wirelessReaders
        policy.plainBluetooth = statements.plainBluetooth ?? policy.plainBluetooth
        policy.plainLogin = statements.plainLogin ?? policy.plainLogin
        policy.hidesGOSTKeys = statements.hidesGOSTKeys ?? policy.hidesGOSTKeys
        policy.cachesObjects = statements.cachesObjects ?? policy.cachesObjects
        authenticator = statements.asking.authenticator ?? nil
        if let timeLimit = statements.asking.timeLimit { authenticator?.timeLimit = timeLimit }
        // A file that has the PIN has no activation password: it would be tried as one.
        asksForActivation = statements.asking.asksForActivation == true && authenticator?.asksUser == true
        consent = statements.asking.consent ?? consent
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
