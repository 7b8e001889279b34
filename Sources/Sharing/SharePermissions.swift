// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// What the far side of a share may do with the token.
package struct SharePermissions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading public objects, and what the token says of itself.
    package static let read = SharePermissions(rawValue: 1)
    /// Logging in as User, and using keys.
    package static let sign = SharePermissions(rawValue: 2)
    /// Logging in as User, and making, changing and deleting files and keys.
    package static let write = SharePermissions(rawValue: 4)
    /// Logging in as the administrator, changing PINs, formatting, and whatever is not known here.
    package static let administer = SharePermissions(rawValue: 8)

    package static let all: SharePermissions = [.read, .sign, .write, .administer]

    /// The permissions by their names, in the order in which they are told.
    package static let names: [(SharePermissions, String)] = [
        (.read, "read"), (.sign, "sign"), (.write, "write"), (.administer, "admin"),
    ]

    package init?(name: String) {
        guard let permission = Self.names.first(where: { $0.1 == name })?.0 else { return nil }
        self = permission
    }

    /// Those of which one is enough for a command. The links of a chain have the command's own instruction.
    package init(for command: borrowing Command) {
        switch (command.cla & 0xEF, command.ins) {
        case (0x00, 0x20):
            // Without data it tells the tries that are left.
            self = command.data.isEmpty ? .all : command.p2 == 0x01 ? .administer : [.sign, .write]
        case (0x00, 0xA4), (0x00, 0xB0), (0x00, 0xCA), (0x00, 0x84), (0x00, 0xC0): self = .all
        case (0x80, 0x40), (0x80, 0x71), (0x80, 0x7E): self = .all
        case (0x00, 0x22), (0x00, 0x2A), (0x00, 0x86): self = .sign
        case (0x00, 0x24): self = command.p2 == 0x00 ? [.write] : .administer
        case (0x00, 0xD6), (0x00, 0xDA), (0x00, 0xE0), (0x00, 0xE4), (0x00, 0x46): self = .write
        default: self = .administer
        }
    }
}

/// What the user of this machine is asked for before it happens.
package enum ShareConfirmation: String, Sendable, CaseIterable {
    case never
    /// Each login.
    case login
    /// Each login, and each use of a private key.
    case signature

    /// What is asked for a command; nil for nothing.
    func question(for command: borrowing Command) -> ShareQuestion.Subject? {
        guard self != .never, command.cla & 0x10 == 0 else { return nil }
        switch (command.cla, command.ins) {
        case (0x00, 0x20) where !command.data.isEmpty: return command.p2 == 0x01 ? .administratorLogin : .login
        case (0x00, 0x2A) where self == .signature && command.p1 != 0x90: return .keyUse
        case (0x00, 0x86) where self == .signature: return .keyUse
        default: return nil
        }
    }
}

/// A question to the user of this machine.
package struct ShareQuestion: Sendable, Equatable {
    package enum Subject: String, Sendable {
        case login
        case administratorLogin = "login as administrator"
        case keyUse = "use of a private key"
    }

    package let subject: Subject
    /// The host's name for itself.
    package let host: String
    /// The token's serial number in hexadecimal digits.
    package let serial: String
}
