// SPDX-License-Identifier: Apache-2.0

package import APDU
import CPCSC

/// The card in a reader, which this process has for itself. If the process ends, the service resets the card.
final class PCSCOwnedCard: OwnedCard {
    private let card: PCSCCard
    /// Whether the card was once found to be gone. The service forgets that with the next connection to its reader.
    private var hasLeft = false

    init(reader: String, lease: PCSCContexts.Lease) throws(LinkError) {
        card = try PCSCCard(reader: reader, lease: lease, mode: DWORD(SCARD_SHARE_EXCLUSIVE), patience: .zero)
        try card.reset()
    }

    deinit { giveBack() }

    var atr: [UInt8] { card.atr }

    var maximumLength: Int { card.maximumLength }

    var isThere: Bool {
        if !hasLeft { hasLeft = !card.isThere }
        return !hasLeft
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { try card.transmit(command) }

    func reset() throws(LinkError) {
        guard !hasLeft else { throw .removed(sent: false) }
        do throws(LinkError) {
            try card.reset()
        } catch {
            hasLeft = true
            throw error
        }
    }

    func giveBack() { card.disconnect(DWORD(SCARD_RESET_CARD)) }
}

extension PCSCReaders: OwnedCardService {
    package func own(_ reader: String) throws(LinkError) -> any OwnedCard {
        try connect { lease throws(LinkError) in
            // SCardConnect would first wait for another process's transaction, and then be refused.
            guard try !lease.context.state(of: reader).isShared else { throw .sharingViolation }
            return try PCSCOwnedCard(reader: reader, lease: lease)
        }
    }
}
