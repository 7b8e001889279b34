// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// The commands of one host's session, limited by the share's policy.
///
/// The policy judges whole commands. So the links of a chain (ISO/IEC 7816-4, 5.3.3) wait here for the last one, and
/// the token receives none before: it joins exactly the command that was judged.
final class SharedContext: CardContext {
    /// More data than any command needs.
    private static let longestData = 4096

    private let card: SharedCard
    private let host: String
    /// The links so far, as one command without the bit of chaining.
    private var chain: Command?
    private(set) var isAdministrator = false

    init(_ card: SharedCard, host: String) {
        self.card = card
        self.host = host
    }

    deinit { card.policy.report(.closed(host: host)) }

    var isInChain: Bool { chain != nil }

    func execute(_ command: borrowing Command) -> Response {
        guard card.isHeld(by: self) else { return Response(.conditionsNotSatisfied) }
        guard let whole = joined(command) else { return Response(.wrongLength) }
        guard command.cla & Self.chaining == 0 else {
            chain = consume whole
            return Response(.success)
        }
        guard isAllowed(whole) else { return Response(.securityStatusNotSatisfied) }
        guard let response = card.transmit(whole) else { return Response(.memoryUnchanged) }
        follow(whole, response.status)
        return response
    }

    private static let chaining: UInt8 = 0x10

    /// The command behind the links that wait for it; nil if there is too much. Any other command drops them.
    private func joined(_ command: borrowing Command) -> Command? {
        let cla = command.cla & ~Self.chaining
        var data = Secret(count: 0)
        if let links = chain.take(),
            (links.cla, links.ins, links.p1, links.p2) == (cla, command.ins, command.p1, command.p2)
        {
            data = links.data.copy()
        }
        guard data.count + command.data.count <= Self.longestData else { return nil }
        return Command(
            cla, command.ins, command.p1, command.p2, data: data.appending(command.data.bytes), ne: command.ne)
    }

    private func isAllowed(_ command: borrowing Command) -> Bool {
        let policy = card.policy
        let action = SharedAction(command)
        guard !action.permissions.isDisjoint(with: policy.permissions), !policy.refusesUnknown || action != .unknown
        else {
            policy.report(.refused([command.cla, command.ins, command.p1, command.p2], host: host))
            return false
        }
        guard let subject = policy.confirmation.question(for: action) else { return true }
        guard policy.ask(ShareQuestion(subject: subject, host: host, serial: card.serial.shownSerial)) else {
            policy.report(.declined(Explanation(subject.words), host: host))
            return false
        }
        return true
    }

    /// Tracks the token's state for the end of the channel.
    private func follow(_ command: borrowing Command, _ status: StatusWord) {
        if command.cla == 0x00, command.ins == 0x20, !command.data.isEmpty, status == .success {
            card.policy.report(.loggedIn(host: host))
        }
        switch (command.cla, command.ins) {
        case (0x00, 0x20) where command.p2 == 0x01 && !command.data.isEmpty: isAdministrator = status == .success
        case (0x80, 0x40) where command.p2 <= 1: isAdministrator = false
        case (0x80, 0x7A), (0x80, 0x8A):
            guard status == .success else { break }
            isAdministrator = false
            card.noteErasure()
        default: break
        }
    }

    func abortChain() { chain = nil }

    func clear() {
        chain = nil
        isAdministrator = false
    }
}
