// SPDX-License-Identifier: Apache-2.0

extension Share {
    /// The settings of a share: which token, with whom, and for how long.
    public struct Settings: Sendable {
        /// vpcd's address in dotted IPv4 form.
        public var host = "127.0.0.1"
        /// vpcd's port.
        public var port: UInt16 = 35963
        /// A command for `/bin/sh` that leads to vpcd by its standard input and output, in place of ``host`` and
        /// ``port``, such as `ssh -W 127.0.0.1:35963 server`. It is restarted when the connection breaks, and ended
        /// with the share.
        public var tunnel: String?
        /// The token's serial number, its label, or a part of its reader's name; nil for the only token.
        public var token: String?
        /// The directory of key pairs, verifiers of passwords and pairings of shares; nil for the user's data
        /// directory.
        public var directory: String?
        /// The rights of hosts. A token that has the channel cannot be limited: a share of it is refused.
        public var permissions: Permissions = .all
        /// The uses for which the user of this machine is asked first, by the authenticator of `kanal.conf`. Not for a
        /// token that has the channel.
        public var confirmation = Confirmation.never
        /// Whether a new activation password replaces the share's last one. Pairings stay.
        public var makesPassword = false
        /// Whether the share ends when a host has logged in, and for three seconds no session has been open: twenty, if the
        /// sessions were broken off by a reset or a lost connection.
        public var isOnce = false
        /// The duration of the share; nil for no end.
        public var duration: Duration?
        /// For how long the far reader is tried in a row; nil for no end.
        public var patience: Duration?

        /// The only token, at vpcd's own port on this machine, with all permissions and no end.
        public init() {}
    }

    /// The rights of hosts at a token for which the share is the end of the channel.
    public struct Permissions: OptionSet, Sendable {
        public let rawValue: UInt8

        /// Permissions by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Read public objects and the token's information.
        public static let read = Permissions(rawValue: 1)
        /// Log in as User and use keys.
        public static let sign = Permissions(rawValue: 2)
        /// Log in as User and make, change and delete objects.
        public static let write = Permissions(rawValue: 4)
        /// Log in as the security officer, change PINs and format.
        public static let administer = Permissions(rawValue: 8)

        /// Everything that the token itself allows.
        public static let all: Permissions = [.read, .sign, .write, .administer]
    }

    /// The uses for which the user of this machine is asked.
    public enum Confirmation: String, Sendable, CaseIterable {
        /// Nothing.
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
}

extension Share.Settings {
    /// How the far reader is reached, for people.
    var remoteReader: String { tunnel ?? "\(host):\(port)" }

    /// Whether something was asked for that only the token's end of the channel can do.
    var needsEnd: Bool { permissions != .all || confirmation != .never }

    func check() throws(KanalError) {
        guard permissions.isSubset(of: .all), !permissions.isEmpty else {
            throw .invalidArgument("choose at least one permission; unknown permissions are refused")
        }
        guard tunnel?.isEmpty != true else { throw .invalidArgument("the command of a tunnel is empty") }
    }
}
