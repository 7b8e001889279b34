// SPDX-License-Identifier: Apache-2.0
package import Glibc
import HostProcess
package import Secrets
import Translation

/// The program that asks the user in our stead, or the file that has the answer.
///
/// Neither is used by a process that has more rights than its user, nor for a user other than the owner of the file that names
/// it: then it is `AskingError.notConfigured`.
package struct Authenticator: Sendable, Equatable {
    package enum Method: Sendable, Equatable {
        /// A program that speaks pinentry's protocol: an absolute path, or a name in ``Authenticator/directories``.
        case pinentry(String)
        case systemdAskPassword
        /// An absolute path.
        case file(String)
        /// A name in `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
        case credential(String)
    }

    package var method: Method
    /// The time limit of a question in seconds: 1 to 3600.
    package var timeLimit: Int
    /// Whether a desktop's keyring may keep PINs, if the user allows the asking program to do so.
    package var allowsKeyring = false
    /// The user whose file names it; nil for the administrator's, which counts for all users that a process has.
    package var user: uid_t?

    /// The directories of programs without a path. `PATH` is not used, because any program that sets it could see PINs.
    package static let directories = ["/usr/local/bin", "/usr/bin", "/bin"]

    package init(_ method: Method, timeLimit: Int = 120) {
        self.method = method
        self.timeLimit = min(max(timeLimit, 1), 3600)
    }

    /// The value of `authenticator` in kanal.conf; nil if it is not allowed.
    package init?(setting: String) {
        let parts = setting.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !setting.utf8.contains(0) else { return nil }
        switch (parts.first, parts.dropFirst().first) {
        case ("pinentry", nil): self.init(.pinentry("pinentry"))
        case ("systemd-ask-password", nil): self.init(.systemdAskPassword)
        case ("pinentry", let program?) where program.hasPrefix("/") || Self.isName(program):
            self.init(.pinentry(program))
        case ("file", let path?) where path.hasPrefix("/"): self.init(.file(path))
        case ("credential", let name?) where Self.isName(name): self.init(.credential(name))
        default: return nil
        }
    }

    /// Whether a user can be asked, rather than a file be read.
    package var asksUser: Bool {
        switch method {
        case .pinentry, .systemdAskPassword: true
        case .file, .credential: false
        }
    }

    private var isOfPresentUser: Bool { user == nil || user == geteuid() }

    /// In another root directory a path can lead to any user's program or file.
    private func requireRoot() throws(AskingError) {
        guard RootDirectory.hasChanged else { return }
        throw .failed(
            "the process has changed its root directory (chroot): no program of the new one asks; log in before it does"
        )
    }

    /// Asks for a PIN or password.
    package func secret(
        for question: Question, isPrivileged: Bool = Environment.isPrivileged
    ) throws(AskingError) -> Secret {
        guard !isPrivileged, isOfPresentUser else { throw .notConfigured }
        try requireRoot()
        var question = question
        if !allowsKeyring { question.key = nil }
        switch method {
        case .pinentry(let program):
            let surroundings = CallerEnvironment()
            guard surroundings.canShow || program.hasPrefix("/") else {
                return try SystemdAskPassword(timeLimit).secret(for: question)
            }
            var conversation = try Pinentry(try Self.path(of: program), surroundings, timeLimit)
            do throws(AskingError) {
                let secret = try conversation.secret(for: question)
                conversation.end()
                return secret
            } catch {
                conversation.end(after: error)
                throw error
            }
        case .systemdAskPassword:
            return try SystemdAskPassword(timeLimit).secret(for: question)
        case .file(let path):
            return try SecretFile(path: path).secret(for: question)
        case .credential(let name):
            return try SecretFile(credential: name).secret(for: question)
        }
    }

    /// Asks for consent. Throws ``AskingError/notConfigured`` for methods that cannot: systemd-ask-password, files.
    package func confirm(
        _ question: Question, isPrivileged: Bool = Environment.isPrivileged
    ) throws(AskingError) {
        guard !isPrivileged, isOfPresentUser, case .pinentry(let program) = method else { throw .notConfigured }
        try requireRoot()
        let surroundings = CallerEnvironment()
        guard surroundings.canShow || program.hasPrefix("/") else { throw .notConfigured }
        var conversation = try Pinentry(try Self.path(of: program), surroundings, timeLimit)
        do throws(AskingError) {
            try conversation.confirm(question)
            conversation.end()
        } catch {
            conversation.end(after: error)
            throw error
        }
    }

    /// Shows a message until the result is let go; nil for methods that cannot, and if it does not work.
    package func show(_ message: Question, isPrivileged: Bool = Environment.isPrivileged) -> AnyObject? {
        guard !isPrivileged, isOfPresentUser, case .pinentry(let program) = method, !RootDirectory.hasChanged else {
            return nil
        }
        let surroundings = CallerEnvironment()
        guard surroundings.canShow || program.hasPrefix("/") else { return nil }
        return try? ShownMessage(message, by: Self.path(of: program), surroundings, timeLimit)
    }

    /// The path of a program without one.
    static func path(of program: String) throws(AskingError) -> String {
        guard !program.hasPrefix("/") else { return program }
        for directory in directories {
            let path = "\(directory)/\(program)"
            if Program.isExecutable(path) { return path }
        }
        throw .notInstalled("\(program): not in \(directories.joined(separator: ", "))")
    }

    /// Whether it can name a file in a directory and nothing else.
    private static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text != "." && text != ".."
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x21 || $0 == 0x7F }
    }
}
