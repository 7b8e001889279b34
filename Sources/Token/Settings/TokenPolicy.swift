// SPDX-License-Identifier: Apache-2.0
package import SecureChannel

/// What users and administrators decide about tokens, whichever they are.
package struct TokenPolicy: Sendable, Equatable {
    /// The least profile to pair and to open a channel in (GSC/1, 4).
    package var minimumProfile = Profile.classic
    /// Whether nothing is done without a channel, on wired readers either (GSC/1, 4).
    package var requireSM = false
    /// Whether a token with a Bluetooth radio may be spoken to in plain by a wire (GSC/1, 4).
    package var plainBluetooth = false
    /// How long a PIN is kept to be presented again (GSC/1, 15.3).
    package var pinRetention = PINRetention.session
    /// How many seconds the sessions of a token that left a wireless reader are kept (GSC/1, 15.3).
    package var reconnectWindow = 20
    /// The same for wired readers; 0 ends them at once.
    package var reconnectWindowWired = 0
    /// Readers that count as wireless whatever their names say (GSC/1, 4).
    package var wirelessReaders: [ReaderPattern] = []
    /// What becomes of a login on a token without channel when a call ends.
    package var plainLogin = PlainLogin.reset
    /// Whether searches pass over GOST key pairs, for programs that give up at a key of a type they do not know.
    package var hidesGOSTKeys = false
    /// Whether what everybody may read on tokens is kept on the disk.
    package var cachesObjects = false

    /// What counts where nothing is decided.
    package init() {}

    /// Whether a reader counts as wireless by its name (GSC/1, 4).
    package func isWireless(_ reader: String) -> Bool {
        WirelessReaders.areNamed(by: reader) || wirelessReaders.contains { $0.matches(reader) }
    }

    /// How long a token may be absent that is reached over the air, or by a wire.
    package func window(isWireless: Bool) -> Duration {
        .seconds(isWireless ? reconnectWindow : reconnectWindowWired)
    }
}

/// How long a PIN is kept after a login, to be presented again in a channel that had to be opened anew (GSC/1, 15.3).
package enum PINRetention: String, Sendable, CaseIterable {
    /// Until the login ends.
    case session
    /// Not at all.
    case none
}

/// What becomes of a login on a token without channel when a call ends.
package enum PlainLogin: String, Sendable, CaseIterable {
    /// The token forgets it, so that no other process inherits it; the next call logs in again.
    case reset
    /// The token keeps it until logout.
    case sticky
}
