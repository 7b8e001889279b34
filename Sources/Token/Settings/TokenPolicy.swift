// SPDX-License-Identifier: Apache-2.0

import Logging
import Secrets
package import SecureChannel
import Storage
import Translation

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
    /// The seconds for which a call waits for a token that another program keeps in a transaction.
    package var busyWindow = 60
    /// Readers that count as wireless whatever their names say (GSC/1, 4).
    package var wirelessReaders: [WildcardPattern] = []
    /// The treatment of a login on a token without channel when a call ends.
    package var plainLogin = PlainLogin.reset
    /// Whether users type PINs at readers that have a PIN pad, if the program gives none.
    package var usesPINPads = true
    /// The keys, and certificates of such keys, that searches pass over, for programs that give up at a key of a type
    /// they do not know.
    package var hiddenKeys: KeyFamilies = []
    /// Whether the public content of tokens is cached on the disk.
    package var cachesObjects = false

    /// The defaults.
    package init() {}

    /// Whether a reader counts as wireless by its name (GSC/1, 4).
    package func isWireless(_ reader: String) -> Bool {
        WirelessReaders.areNamed(by: reader) || wirelessReaders.contains { $0.matches(reader) }
    }

    /// The same by the answer to reset of the card in it, too.
    package func isWireless(_ reader: String, answer atr: [UInt8]) -> Bool {
        isWireless(reader) || WirelessReaders.answer(with: atr)
    }

    /// The permitted absence of a token that is reached over the air, or by a wire.
    package func window(isWireless: Bool) -> Duration {
        .seconds(isWireless ? reconnectWindow : reconnectWindowWired)
    }

    /// The longest wait for a token that another program keeps in a transaction.
    package var patience: Duration { .seconds(busyWindow) }
}
