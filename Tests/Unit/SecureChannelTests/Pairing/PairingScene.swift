import APDU
import SecureChannel
import TestSupport
import Testing

/// A host that is not paired, and the card that it pairs with.
struct PairingScene {
    let host: Host
    let card = ScriptedCard()

    init(_ profile: Profile, set: String = "A") throws { host = try Host(set: set, profile: profile) }

    /// Expects the whole pairing, with another answer to PAIR-1 or PAIR-2 where given.
    func expectPairing(first: String? = nil, second: String? = nil) throws {
        let pairing = host.vectors.pairing
        host.expectSlot(card)
        card.expect(try host.text(pairing.pair1_command), reply: try first ?? host.text(pairing.pair1_response))
        if first != nil { return }
        card.expect(try host.text(pairing.pair2_command), reply: try second ?? host.text(pairing.pair2_response))
    }

    func activate(password: String? = nil) throws -> SecureChannel {
        try host.activate(
            over: card, password: password, random: FixedRandom(host.pairingRandom, host.openingRandom))
    }

    func expectFailure(_ error: ChannelError, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(throws: error, sourceLocation: sourceLocation) { try activate() }
        #expect(card.isFinished, sourceLocation: sourceLocation)
        #expect(host.tokenFiles.isEmpty, "nothing is stored", sourceLocation: sourceLocation)
    }
}
