// SPDX-License-Identifier: Apache-2.0

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
    var farReader: String { tunnel ?? "\(host):\(port)" }

    /// Whether something was asked for that only the token's end of the channel can do.
    var needsEnd: Bool { permissions != .all || confirmation != .never || isOnce }

    package init(directory: String) { self.directory = directory }
}
