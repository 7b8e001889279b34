// SPDX-License-Identifier: Apache-2.0

package import Glibc
import HostProcess
import Locking
package import Logging
import Token
package import Translation

/// The directories of the process's user, by the XDG base directory specification and the password database.
///
/// A process can change its user (setuid(2)) while its environment stays. So a directory counts only if it belongs to
/// the effective user. A directory that does not exist yet counts if its parent belongs to that user or root.
package final class UserDirectories: Sendable {
    /// A user's directories; nil for missing ones.
    package struct Found: Equatable {
        /// The home directory.
        package let home: String?
        /// The directory of configuration files.
        package let configuration: String?
        /// The directory of other data.
        package let data: String?

        package init(home: String? = nil, configuration: String? = nil, data: String? = nil) {
            self.home = home
            self.configuration = configuration
            self.data = data
        }
    }

    /// A directory of the environment that does not count.
    package struct Ignored: Sendable, Equatable {
        package let variable: String
        package let reason: Phrase
    }

    /// The home directories of the users that the process has had.
    private struct State {
        var homes: [uid_t: String?] = [:]
        var warnings: Set<String> = []
    }

    private let variables: [String: String]
    private let passwordHome: @Sendable (uid_t) -> String?
    private let warn: @Sendable (Ignored) -> Void
    private let state = Lock(State())

    /// Copies the present environment.
    ///
    /// - Parameters:
    ///   - variable: Returns an environment variable.
    ///   - passwordHome: Returns the home directory in the password database. It may take long.
    ///   - warn: Is called once for each directory that does not count.
    package init(
        variable: (String) -> String?, passwordHome: @escaping @Sendable (uid_t) -> String?,
        warn: @escaping @Sendable (Ignored) -> Void
    ) {
        variables = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].reduce(into: [:]) { $0[$1] = variable($1) }
        self.passwordHome = passwordHome
        self.warn = warn
    }

    /// The directories of the process's present user; none while the process has more rights than that user.
    package func found() -> Found {
        guard !Environment.isPrivileged else { return Found() }
        let user = geteuid()
        let home = named("HOME", user) ?? known(user)
        return Found(
            home: home, configuration: named("XDG_CONFIG_HOME", user) ?? home.map { $0 + "/.config" },
            data: named("XDG_DATA_HOME", user) ?? home.map { $0 + "/.local/share" })
    }

    /// The directory that a variable names; nil if it does not count.
    private func named(_ variable: String, _ user: uid_t) -> String? {
        guard let path = variables[variable] else { return nil }
        if path.hasPrefix("/"), Self.isOwn(path, user) { return path }
        let isNew = state.withLock { $0.warnings.insert("\(variable) \(user)").inserted }
        if isNew {
            let reason: Phrase = path.hasPrefix("/") ? "does not belong to user \(user)" : "is not an absolute path"
            warn(Ignored(variable: variable, reason: "\(variable) \"\(path)\" \(reason) and counts for nothing"))
        }
        return nil
    }

    /// The home directory in the password database, if it exists and belongs to the user. The database is asked once
    /// for each user, and only if its answer is needed.
    private func known(_ user: uid_t) -> String? {
        let home: String?
        if let known = state.withLock({ $0.homes[user] }) {
            home = known
        } else {
            home = passwordHome(user)
            state.withLock { $0.homes[user] = .some(home) }
        }
        guard let home, home.hasPrefix("/"), Self.owner(home) == user else { return nil }
        return home
    }

    private static func isOwn(_ path: String, _ user: uid_t) -> Bool {
        if let owner = owner(path) { return owner == user }
        guard errno == ENOENT else { return false }
        var components = path.split(separator: "/")
        while !components.isEmpty {
            components.removeLast()
            if let owner = owner("/" + components.joined(separator: "/")) { return owner == user || owner == 0 }
            guard errno == ENOENT else { return false }
        }
        return false
    }

    /// The owner of a directory; nil, with `errno`, if it cannot be reached.
    private static func owner(_ path: String) -> uid_t? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            errno = ENOTDIR
            return nil
        }
        return status.st_uid
    }
}

extension UserDirectories {
    /// This process's directories. A program with more rights than the user who started it uses none of that user's.
    ///
    /// - Parameter log: Gets each directory that does not count.
    package convenience init(log: Logger) { self.init(warn: { log.administratorError(.homeIgnored, "\($0.reason)") }) }

    /// The same for a caller without a log.
    ///
    /// - Parameter warn: Is called once for each directory that does not count.
    package convenience init(warn: @escaping @Sendable (Ignored) -> Void) {
        self.init(
            variable: Environment.variable,
            passwordHome: { PasswordDatabase.home(of: $0) }, warn: warn)
    }
}
