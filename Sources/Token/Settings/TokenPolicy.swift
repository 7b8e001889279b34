// SPDX-License-Identifier: Apache-2.0
package import SecureChannel

/// The decisions of users and administrators for all tokens.
package struct TokenPolicy: Sendable, Equatable {
    /// The least profile to pair and to open a channel in (GSC/1, 4).
    package var minimumProfile = Profile.classic
    /// Whether nothing is done without a channel, on wired readers either (GSC/1, 4).
    package var requireSM = false
    /// Whether a token with a Bluetooth radio may be spoken to in plain by a wire (GSC/1, 4).
    package var plainBluetooth = false
    /// The time for which a PIN is kept to be presented again (GSC/1, 15.3).
    package var pinRetention = PINRetention.session
    /// The seconds for which the sessions of a token that left a wireless reader are kept (GSC/1, 15.3).
    package var reconnectWindow = 20
    /// The same for wired readers; 0 ends them at once.
    package var reconnectWindowWired = 0
    /// Readers that count as wireless whatever their names say (GSC/1, 4).
    package var wirelessReaders: [ReaderPattern] = []
    /// The treatment of a login on a token without channel when a call ends.
    package var plainLogin = PlainLogin.reset
    /// Whether searches pass over GOST key pairs, for programs that give up at a key of a type they do not know.
    package var hidesGOSTKeys = false
    /// Whether the public content of tokens is cached on the disk.
    package var cachesObjects = false

    /// The defaults.
    package init() {}

    /// Whether a reader counts as wireless by its name (GSC/1, 4).
    package func isWireless(_ reader: String) -> Bool {
        WirelessReaders.areNamed(by: reader) || wirelessReaders.contains { $0.matches(reader) }
    }

    /// The permitted absence of a token that is reached over the air, or by a wire.
    package func window(isWireless: Bool) -> Duration {
        .seconds(isWireless ? reconnectWindow : reconnectWindowWired)
    }
}

/// The time for which a PIN is kept after a login, to be presented in a channel that had to be opened again (GSC/1,
/// 15.3).
package enum PINRetention: String, Sendable, CaseIterable {
    /// Until the login ends.
    case session
    /// Not at all.
    case none
}

/// The treatment of a login on a token without channel when a call ends.
package enum PlainLogin: String, Sendable, CaseIterable {
    /// The token forgets it, so that no other process inherits it; the next call logs in again.
    case reset
    /// The token keeps it until logout.
    case sticky
}
