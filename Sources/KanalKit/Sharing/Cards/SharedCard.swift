// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets
package import TokenEnd
import Translation

/// A token without a channel behind the share's end of one: it receives the decrypted commands, and nothing else.
///
/// The token has one security state. So one context at a time holds it, the last opened session's, and
/// the token is reset before the next one begins, and after the last.
package final class SharedCard: ChannelCard {
    package let serial: [UInt8]
    package let label: [UInt8]
    package let pause: @Sendable (Int) -> Void
    let policy: SharePolicy

    private let link: any OwnedCard
    private let records: ShareRecords
    private var savedChannel: ChannelState
    package var channel: ChannelState
    /// The context that holds the token.
    private weak var holder: SharedContext?
    private(set) var condition = Condition()

    /// The condition that the last commands have left behind.
    struct Condition {
        /// Whether a command reached the token since it was reset. The share itself has read its identity.
        var isUsed = true
        /// Whether the token was erased since this was last asked.
        var wasErased = false
        /// Why the token cannot be reached any more.
        var loss: LinkError?
    }

    package init(
        _ token: LocalToken, _ channel: ChannelState, records: ShareRecords, policy: SharePolicy,
        pause: @escaping @Sendable (Int) -> Void
    ) {
        link = token.card
        serial = token.serial
        label = token.label
        savedChannel = channel
        self.channel = channel
        self.records = records
        self.policy = policy
        self.pause = pause
    }

    package var random: any RandomSource { SystemRandom() }

    package var reveal: (@Sendable ([[UInt8]]) -> Void)? { nil }

    package func commit() throws(Refusal) {
        do {
            try records.save(channel)
            savedChannel = channel
        } catch {
            channel = savedChannel
            throw Refusal(.memoryUnchanged)
        }
    }

    package func makeContext(for host: PairingRecord?) -> any CardContext {
        guard let host else { return NoContext() }
        reset()
        let context = SharedContext(self, host: host.shownLabel)
        holder = context
        return context
    }

    package func takeErasure() -> Bool {
        defer { condition.wasErased = false }
        return condition.wasErased
    }

    package func note(_ event: ChannelEvent) {
        switch event {
        case .paired(let host): policy.report(.paired(host: host.shownLabel))
        case .wrongPassword(let slot, let tries): policy.report(.wrongPassword(slot: slot, triesLeft: tries))
        case .opened(let host): policy.report(.opened(host: host.shownLabel))
        case .refusedPlain(let header): policy.report(.refusedPlain(header))
        }
    }

    /// Whether the context holds the token.
    func isHeld(by context: SharedContext) -> Bool { holder === context && condition.loss == nil }

    /// Drops the token's rights if no session holds it any more.
    package func settle() {
        if holder == nil { reset() }
    }

    private func reset() {
        guard condition.isUsed, condition.loss == nil else { return }
        do throws(LinkError) {
            try link.reset()
            condition.isUsed = false
        } catch {
            condition.loss = error
        }
    }

    /// The token's whole answer; nil if none came. A command whose answer was lost is not sent again.
    func transmit(_ command: borrowing Command) -> Response? {
        guard condition.loss == nil else { return nil }
        condition.isUsed = true
        do throws(LinkError) {
            var response = try sendLinks(of: command)
            while let count = response.status.bytesAvailable, response.data.count < Self.longestAnswer {
                let more = try link.transmit(Command(command.cla & 0x03, 0xC0, 0, 0, ne: count))
                response.data += more.data
                response.status = more.status
                if more.data.isEmpty { break }
            }
            return response
        } catch {
            condition.loss = error
            return nil
        }
    }

    /// Sends a command, in a chain if its data are longer than a short APDU's.
    private func sendLinks(of command: borrowing Command) throws(LinkError) -> Response {
        var start = 0
        while command.data.count - start > Self.longestLink {
            let data = command.data.extracting(start..<start + Self.longestLink)
            let response = try link.transmit(
                Command(command.cla | 0x10, command.ins, command.p1, command.p2, data: data))
            guard response.status == .success else {
                // The token forgets the links before when any other command comes: this one changes nothing.
                _ = try link.transmit(Command(0x00, 0xCA, 0x01, 0x81, ne: 256))
                return response
            }
            start += Self.longestLink
        }
        let rest = command.data.extracting(start..<command.data.count)
        return try link.transmit(
            Command(command.cla, command.ins, command.p1, command.p2, data: rest, ne: command.ne.map { min($0, 256) }))
    }

    func noteErasure() { condition.wasErased = true }

    private static let longestAnswer = 65_536
    private static let longestLink = 255
}

/// The limits of a share's hosts, and the receiver of their events.
package struct SharePolicy: Sendable {
    let permissions: Share.Permissions
    let confirmation: Share.Confirmation
    /// Whether unknown commands are refused under any permissions: one of them may log in, or use a key.
    let refusesUnknown: Bool
    let ask: @Sendable (ShareQuestion) -> Bool
    let report: @Sendable (Share.Event) -> Void

    package init(
        permissions: Share.Permissions = .all, confirmation: Share.Confirmation = .never, isOnce: Bool = false,
        ask: @escaping @Sendable (ShareQuestion) -> Bool = { _ in false },
        report: @escaping @Sendable (Share.Event) -> Void
    ) {
        self.permissions = permissions
        self.confirmation = confirmation
        refusesUnknown = confirmation != .never || isOnce
        self.ask = ask
        self.report = report
    }
}

extension PairingRecord {
    /// The host's name for itself, in printable ASCII and truncated; its identity if it has none.
    var shownLabel: String {
        let text = String(decoding: label.prefix(32).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        return text.isEmpty ? hostIdentity.hexadecimal : text
    }
}

/// For plain commands, which the share's end refuses before they come here.
private final class NoContext: CardContext {
    var isInChain: Bool { false }
    var isAdministrator: Bool { false }

    func execute(_ command: borrowing Command) -> Response { Response(.securityStatusNotSatisfied) }
    func abortChain() {}
    func clear() {}
}
