// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets

/// A card behind the token's end of a channel: it executes plain commands, and stores the end's state.
///
/// It serves one thread at a time.
package protocol ChannelCard: AnyObject {
    /// The serial number, ID_T: eight bytes, big-endian.
    var serial: [UInt8] { get }
    /// The label of the token in UTF-8; empty if it has none.
    var label: [UInt8] { get }
    /// The lasting state of the end. A change is kept once ``commit()`` returns.
    var channel: ChannelState { get set }
    /// The source of keys, nonces and challenges.
    var random: any RandomSource { get }
    /// Waits so many milliseconds, after a host has failed to prove itself.
    var pause: @Sendable (Int) -> Void { get }
    /// Receives the keys of each new session.
    var reveal: (@Sendable ([[UInt8]]) -> Void)? { get }

    /// Stores the changes. If this throws, the state is the one before.
    func commit() throws(Refusal)

    /// A context for the commands of a session with this host, or for plain ones. It lives as long as the session.
    func makeContext(for host: PairingRecord?) -> any CardContext

    /// Whether a command since the last question erased the card, so that all contexts are void.
    func takeErasure() -> Bool

    /// Receives events on the channel.
    func note(_ event: ChannelEvent)
}

extension ChannelCard {
    package func note(_ event: ChannelEvent) {}
}

/// Events on a channel.
package enum ChannelEvent: Sendable {
    /// A host has proved the password of a slot, and its record was written.
    case paired(PairingRecord)
    /// A host did not know the password of a slot. `triesLeft` are those in a row.
    case wrongPassword(slot: Int, triesLeft: Int)
    /// A host has opened a session.
    case opened(PairingRecord)
    /// A plain command was refused, because the channel is required: class, instruction, P1 and P2.
    case refusedPlain([UInt8])
}

extension Command {
    /// GET RESPONSE without secure messaging, on any channel.
    var isGetResponse: Bool { cla & ~0x03 == 0 && ins == 0xC0 }
}
