// SPDX-License-Identifier: Apache-2.0

package import APDU
import GOST
package import Locking
package import Secrets

extension SecureChannel {
    /// Opens a session with a token that this host is paired with (GSC/1, 10), in two round trips.
    ///
    /// The E1 of the record is used. If the token does not confirm it, E1 is read again and tried once; where it
    /// differs and is confirmed, the record is updated. The profile stays the record's: what the token answers
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
        let session: HostSession
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

    /// Renews the session's keys (10). The token keeps login, current file and security environment; commands are
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
    ) throws(ChannelError) -> HostSession {
        // Both steps have to find room.
        guard let exporter = session?.exporter.copy(), let number = session?.number, number <= HostSession.maximum - 2
        else {
            throw .link(.reset)
        }
        let opening = try Opening(renewing: exporter, record, hostKey, capabilities: capabilities)
        return try opening.run(hostKey, over: self, random: random)
    }
}

/// Limits repeated openings of channels that fail (GSC/1, 12): after more than 3 in a row within 10 s, none is opened
/// for 5 s.
///
/// An opening also counts as failed if the channel closes before its first verified reply.
package struct OpenFailures: Sendable {
    /// The times of the failed openings of the last 10 s.
    private var times: [Duration] = []
    private var end: Duration?

    private static let limit = 3
    private static let period = Duration.seconds(10)
    private static let pause = Duration.seconds(5)

    package init() {}

    /// Whether no channel may be opened now.
    ///
    /// - Parameter now: The time of the same `Uptime` in all calls.
    package func isFault(at now: Duration) -> Bool {
        guard let end else { return false }
        return now < end
    }

    /// Counts an opening that failed.
    package mutating func countFailure(at now: Duration) {
        times.removeAll { now - $0 > OpenFailures.period }
        times.append(now)
        guard times.count > OpenFailures.limit else { return }
        end = now + OpenFailures.pause
        times = []
    }

    /// Counts an opening that led to a verified reply: those before it do not count any more.
    package mutating func countSuccess() {
        times = []
        end = nil
    }
}
