// SPDX-License-Identifier: Apache-2.0

package import Translation

/// The rights of the far side of a share to use the token.
package struct SharePermissions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading public objects, and the token's information.
    package static let read = SharePermissions(rawValue: 1)
    /// Logging in as User, and using keys.
    package static let sign = SharePermissions(rawValue: 2)
    /// Logging in as User, and making, changing and deleting files and keys.
    package static let write = SharePermissions(rawValue: 4)
    /// Logging in as the administrator, changing PINs, formatting, and all unknown actions.
    package static let administer = SharePermissions(rawValue: 8)

    package static let all: SharePermissions = [.read, .sign, .write, .administer]

    /// The permissions by their names, in the order of output.
    package static let names: [(SharePermissions, String)] = [
        (.read, "read"), (.sign, "sign"), (.write, "write"), (.administer, "admin"),
    ]

    package init?(name: String) {
        guard let permission = Self.names.first(where: { $0.1 == name })?.0 else { return nil }
        self = permission
    }
}

/// The actions that the user of this machine must confirm.
package enum ShareConfirmation: String, Sendable, CaseIterable {
    case never
    /// Each login.
    case login
    /// Each login, and each use of a private key.
    case signature

    /// The question to ask before an action; nil for none.
    func question(for action: SharedAction) -> ShareQuestion.Subject? {
        switch action {
        case .login, .localLogin: self == .never ? nil : .login
        case .administratorLogin: self == .never ? nil : .administratorLogin
        case .keyUse: self == .signature ? .keyUse : nil
        default: nil
        }
    }
}

/// A question to the user of this machine.
package struct ShareQuestion: Sendable, Equatable {
    package enum Subject: Sendable {
        case login
        case administratorLogin
        case keyUse

        package var words: Phrase {
            switch self {
            case .login: "login"
            case .administratorLogin: "login as administrator"
            case .keyUse: "use of a private key"
            }
        }
    }

    package let subject: Subject
    /// The host's name for itself.
    package let host: String
    /// The token's serial number in hexadecimal digits.
    package let serial: String
}

/// The token, the hosts, and the duration of a share.
package struct ShareSettings: Sendable {
    /// The far reader: vpcd's address and port.
    package var host = "127.0.0.1"
    package var port: UInt16 = 35963
    /// A command that leads to the far reader by its standard input and output; nil for a connection by TCP.
    package var tunnel: String?
    /// The token's serial number, label, or a part of its reader's name; nil for the only one.
    package var token: String?
    /// The directory of all shares of this user.
    package var directory: String
    package var permissions = SharePermissions.all
    package var confirmation = ShareConfirmation.never
    /// Whether a new activation password takes the place of the one in slot 1.
    package var makesPassword = false
    /// Whether the share ends when a host has logged in and all sessions are over.
    package var isOnce = false
    /// The duration of the share; nil for no end.
    package var duration: Duration?
    /// For how long the far reader is tried before the share gives up; nil for no end.
    package var patience: Duration?

    /// How the far reader is reached, for people.
    var remoteReader: String { tunnel ?? "\(host):\(port)" }

    /// Whether something was asked for that only the token's end of the channel can do.
    var needsEnd: Bool { permissions != .all || confirmation != .never }

    package init(directory: String) { self.directory = directory }
}
