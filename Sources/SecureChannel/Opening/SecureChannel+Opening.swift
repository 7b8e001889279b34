// SPDX-License-Identifier: Apache-2.0
package import APDU
import GOST
package import Locking
package import Secrets

extension SecureChannel {
    /// Opens a session with a token that this host is paired with (GSC/1, 10), in two round trips.
    ///
    /// The E1 of the record is used. If the token does not confirm it, E1 is read again and tried once; where it
    /// differs and is confirmed, the record is updated. The profile stays that of the record: what the token answers
    /// never lowers it. No failure deletes a record.
    ///
    /// - Parameters:
    ///   - instance: The process's name in sessions.
    ///   - minimum: The lowest profile that the host accepts; with a record of a lower one nothing is sent.
    /// - Returns: A provisional channel.
    package static func open(
        over link: any CardConnection, record: PairingRecord, store: PairingStore, instance: Instance,
        minimum: Profile = .classic, random: any RandomSource, uptime: Uptime = .system
    ) throws(ChannelError) -> SecureChannel {
        guard record.profile >= minimum else { throw .profileUnsupported }
        guard try !store.isPinned(serial: record.capabilities.serial, above: record.profile) else {
            throw .downgradeSuspected
        }
        guard let hostKey = try store.hostKey(for: record) else { throw .unknownRecord }
        var record = record
        let session: Session
        do throws(ChannelError) {
            let opening = try Opening(record, hostKey, instance)
            session = try opening.run(hostKey, over: link, random: random)
        } catch  where error == .authenticationFailed || error == .refused(.incorrectData) {
            guard case .present(let current, _) = try Discovery.run(over: link),
                current.serial == record.capabilities.serial
            else { throw error }
            let opening = try Opening(record, hostKey, instance, capabilities: current)
            session = try opening.run(hostKey, over: link, random: random)
            update(&record, with: current, in: store)
        }
        return SecureChannel(session, over: link, record: record, uptime: uptime)
    }

    /// Stores a new E1. If that fails the session is as good, and the next opening reads E1 again.
    private static func update(
        _ record: inout PairingRecord, with capabilities: Capabilities, in store: PairingStore
    ) {
        guard capabilities != record.capabilities else { return }
        record.capabilities = capabilities
        try? store.keep(record)
    }
}

extension SecureChannel {
    /// Whether the session has come to an age at which it should be renewed (12): 61 440 commands or 60 minutes.
    package var needsRenewal: Bool {
        guard let number = session?.number else { return false }
        return number >= SecureChannel.renewalNumber || uptime.now - begin >= SecureChannel.renewalAge
    }

    private static var renewalNumber: UInt32 { 61_440 }
    private static var renewalAge: Duration { .seconds(3600) }

    /// Gives the session fresh keys (10). The token keeps login, current file and security environment; commands are
    /// counted from the beginning.
    ///
    /// - Throws: ``ChannelError/refused(_:)`` if the token does not renew it now, in the middle of a command chain for
    ///   example: the channel then goes on as it was. Any other error leaves it closed.
    package func renew(store: PairingStore, random: any RandomSource) throws(ChannelError) {
        do throws(ChannelError) {
            guard let hostKey = try store.hostKey(for: record) else { throw .unknownRecord }
            let session = try openRenewed(hostKey, random)
            guard session.channel == self.session?.channel else { throw .malformedResponse }
            replaceSession(session)
        } catch {
            if case .refused = error, session != nil { throw error }
            discard()
            throw error
        }
    }

    private func openRenewed(
        _ hostKey: borrowing PrivateKey, _ random: any RandomSource
    ) throws(ChannelError) -> Session {
        // Both steps have to find room.
        guard let exporter = session?.exporter.copy(), let number = session?.number, number <= Session.maximum - 2
        else {
            throw .link(.reset)
        }
        let opening = try Opening(renewing: exporter, record, hostKey, capabilities: capabilities)
        return try opening.run(hostKey, over: self, random: random)
    }
}

/// INST: names one process among several that share a host key (GSC/1, 10).
///
/// Drawn once per process and token, never stored, and drawn again in a forked child. When the process opens a new
/// session with it, the token forgets the process's older one.
package struct Instance: Sendable {
    /// 8 bytes.
    let octets: [UInt8]

    package init(random: any RandomSource) throws(ChannelError) {
        octets = try drawing { () throws(RandomUnavailable) in try random.bytes(8) }
    }
}
