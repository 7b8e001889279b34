// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// The commands of one host's session, limited by the share's policy.
final class SharedContext: CardContext {
    private let card: SharedCard
    private let host: String
    private(set) var isInChain = false
    private(set) var isAdministrator = false

    init(_ card: SharedCard, host: String) {
        self.card = card
        self.host = host
    }

    deinit { card.policy.report(.closed(host: host)) }

    func execute(_ command: borrowing Command) -> Response {
        guard card.isHeld(by: self) else { return Response(.conditionsNotSatisfied) }
        guard isAllowed(command) else {
            abortChain()
            return Response(.securityStatusNotSatisfied)
        }
        guard let response = card.transmit(command) else { return Response(.memoryUnchanged) }
        follow(command, response.status)
        return response
    }

    private func isAllowed(_ command: borrowing Command) -> Bool {
        let policy = card.policy
        guard !SharePermissions(for: command).isDisjoint(with: policy.permissions) else {
            policy.report(.refused([command.cla, command.ins, command.p1, command.p2], host: host))
            return false
        }
        guard let subject = policy.confirmation.question(for: command) else { return true }
        guard policy.ask(ShareQuestion(subject: subject, host: host, serial: card.serial.shownSerial)) else {
            policy.report(.declined(subject, host: host))
            return false
        }
        return true
    }

    /// Keeps what the end of the channel has to know of the token's state.
    private func follow(_ command: borrowing Command, _ status: StatusWord) {
        isInChain = command.cla & 0x10 != 0 && status == .success
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

    /// The token forgets the links when any other command comes: one that changes nothing.
    func abortChain() {
        guard isInChain else { return }
        isInChain = false
        guard card.isHeld(by: self) else { return }
        _ = card.transmit(Command(0x00, 0xCA, 0x01, 0x81, ne: 256))
    }

    func clear() {
        isInChain = false
        isAdministrator = false
    }
}
