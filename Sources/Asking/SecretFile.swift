// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import Secrets
import Translation

/// A file that has the answer to every question, for unattended services. It is asked once: a repeated question means
/// that the answer was wrong, and gets none.
struct SecretFile {
    private static let longest = 1024

    private let path: String
    /// Permission bits that must be clear.
    private let forbidden: mode_t

    /// A file that only its owner may reach.
    init(path: String) {
        self.path = path
        forbidden = 0o077
    }

    /// A credential of the service manager. The service's user has a right to it by an access control list, and the mode
    /// shows this as a right of the group.
    init(credential name: String) throws(AskingError) {
        guard let directory = Environment.variable("CREDENTIALS_DIRECTORY"), directory.hasPrefix("/") else {
            throw .notInstalled("credential \(name): CREDENTIALS_DIRECTORY is not set")
        }
        path = "\(directory)/\(name)"
        forbidden = 0o037
    }

    func secret(for question: Question) throws(AskingError) -> Secret {
        guard question.error == nil else { throw .failed("\(path): the answer in it was wrong") }
        let number = StandardDescriptors.avoid(otherwise: -1) {
            unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        guard number >= 0 else {
            let code = errno
            throw code == ELOOP ? .failed("\(path): it is a link") : .notInstalled("\(path): \(Phrase(errno: code))")
        }
        defer { close(number) }
        if let reason = refusal(of: number) { throw .failed("\(path): \(reason)") }
        var content = Secret(count: Self.longest + 2)
        var used = 0
        while used < content.count {
            var bytes = content.mutableBytes
            let count = unsafe bytes.withUnsafeMutableBytes { all in
                unsafe read(number, all.baseAddress?.advanced(by: used), all.count - used)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed("\(path): \(Phrase(errno: errno))") }
            if count == 0 { break }
            used += count
        }
        guard used < content.count else { throw .failed("\(path): it is too long") }
        let secret = Self.withoutLineEnd(content.extracting(0..<used))
        guard !secret.isEmpty else { throw .failed("\(path): it is empty") }
        return secret
    }

    private func refusal(of number: Int32) -> Phrase? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { return Phrase(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return "it is not a regular file" }
        guard status.st_nlink <= 1 else { return "it has several names" }
        guard status.st_uid == 0 || status.st_uid == geteuid() else { return "it belongs to another user" }
        guard status.st_mode & forbidden == 0 else { return "group or others have access" }
        return nil
    }

    /// The same without one end of a line at its end.
    static func withoutLineEnd(_ secret: consuming Secret) -> Secret {
        var count = secret.count
        guard count > 0, secret.bytes[count - 1] == 0x0A else { return secret }
        count -= 1
        if count > 0, secret.bytes[count - 1] == 0x0D { count -= 1 }
        return secret.extracting(0..<count)
    }
}
