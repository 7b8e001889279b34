// SPDX-License-Identifier: Apache-2.0
import Asking
import Foundation
import Secrets
import TestSupport
import Translation

/// A folder with stand-ins for pinentry, and the records of one of them. It is removed with its owner.
final class StandIn: Sendable {
    let folder = "/tmp/kanal-asking-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The path of one that behaves so: see Tests/Programs/authenticator.sh.
    ///
    /// A link, because a file that is being written by any process cannot be run.
    func path(_ behaviour: String) throws -> String {
        let path = folder + "/pinentry-" + behaviour
        let program = Project.tests.appending(path: "Programs/authenticator.sh").path
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: program)
        }
        return path
    }

    func authenticator(_ behaviour: String, timeLimit: Int = 20) throws -> Authenticator {
        Authenticator(.pinentry(try path(behaviour)), timeLimit: timeLimit)
    }

    /// Lines that were recorded.
    func lines(_ name: String) throws -> [String] {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Makes a file.
    @discardableResult
    func file(_ name: String, _ content: [UInt8], mode: Int = 0o600) throws -> String {
        let path = folder + "/" + name
        // A file that its owner may not write is replaced by him nevertheless.
        try Data(content).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}

extension Question {
    static let pin = Question(title: "Kanal", text: "PIN of the token", prompt: "PIN:")
}

extension Authenticator {
    /// The bytes of an answer, or the error in its place.
    func answer(_ question: Question = .pin) -> Result<[UInt8], AskingError> {
        do throws(AskingError) {
            let secret = try secret(for: question)
            return .success([UInt8](copying: secret))
        } catch {
            return .failure(error)
        }
    }

    /// How a confirmation ended; nil for a yes.
    func refusal() -> AskingError? {
        do throws(AskingError) {
            try confirm(.pin)
            return nil
        } catch {
            return error
        }
    }
}

extension Result where Failure == AskingError {
    /// The text of a failure, or of an authenticator that is not there.
    var reason: String? {
        guard case .failure(let error) = self else { return nil }
        return error.reason
    }
}

extension AskingError {
    var reason: String? {
        switch self {
        case .failed(let text): text.description
        default: nil
        }
    }

    var missing: String? {
        switch self {
        case .notInstalled(let text): text.description
        default: nil
        }
    }
}
