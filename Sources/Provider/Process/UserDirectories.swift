package import Glibc
import HostProcess
import Locking
import Token

/// The directories of the process's user, as the XDG base directory specification and the password database tell.
///
/// A process can become another user's (setuid(2)) while its environment stays: a directory counts only while it belongs
/// to the effective user. One that does not exist yet counts where it would come to lie in a directory of that user's or
/// of root's.
package final class UserDirectories: Sendable {
    /// Where the user's things are; nil is what there is not.
    package struct Found: Equatable {
        /// The home directory.
        package let home: String?
        /// Where programs keep what the user has configured.
        package let configuration: String?
        /// Where programs keep other things.
        package let data: String?

        package init(home: String? = nil, configuration: String? = nil, data: String? = nil) {
            self.home = home
            self.configuration = configuration
            self.data = data
        }
    }

    /// What is remembered of users that the process has been.
    private struct State {
        var homes: [uid_t: String?] = [:]
        var warnings: Set<String> = []
    }

    private let variables: [String: String]
    private let passwordHome: @Sendable (uid_t) -> String?
    private let warn: @Sendable (String) -> Void
    private let state = Lock(State())

    /// Takes over the environment as it is now.
    ///
    /// - Parameters:
    ///   - variable: Tells an environment variable.
    ///   - passwordHome: Tells the home directory that the password database knows. It may take its time.
    ///   - warn: Is told once of each directory that does not count.
    package init(
        variable: (String) -> String?, passwordHome: @escaping @Sendable (uid_t) -> String?,
        warn: @escaping @Sendable (String) -> Void
    ) {
        variables = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].reduce(into: [:]) { $0[$1] = variable($1) }
        self.passwordHome = passwordHome
        self.warn = warn
    }

    /// The directories of the user that the process has now.
    package func found() -> Found {
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
            let reason = path.hasPrefix("/") ? "does not belong to user \(user)" : "is not an absolute path"
            warn("\(variable) \"\(path)\" \(reason) and counts for nothing")
        }
        return nil
    }

    /// The home directory that the password database knows, if it is there and belongs to the user. It is asked once for
    /// each user, and nobody waits for its answer who need not.
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

    /// Who a directory belongs to; nil, with `errno`, if there is none that can be reached.
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
    /// As this process finds them, with warnings in the log. A program that has more rights than those who started it has
    /// no user to whose wishes it listens.
    convenience init() {
        self.init(
            variable: Environment.variable,
            passwordHome: { Environment.isPrivileged ? nil : PasswordDatabase.home(of: $0) },
            warn: { ProviderLog.logger.administratorError("\($0)") })
    }
}
