// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// A token's record of a paired host.
package struct TokenPairing: Sendable {
    let isModern: Bool
    /// E1 as the token has it.
    package var capabilities: [UInt8]
    let serial: [UInt8]
    let sessions: Int
    let hostID: [UInt8]
    /// H_pub.
    let hostKey: [UInt8]
    /// t.
    let scalar: [UInt8]

    /// - Parameter profile: PID.
    package init(
        profile: Int, capabilities: [UInt8], serial: [UInt8], sessions: Int, hostID: [UInt8], hostKey: [UInt8],
        scalar: [UInt8]
    ) {
        isModern = profile == 2
        self.capabilities = capabilities
        self.serial = serial
        self.sessions = sessions
        self.hostID = hostID
        self.hostKey = hostKey
        self.scalar = scalar
    }

    var curve: Curve { isModern ? .tc26256B : .cryptoProA }

    func hash(_ message: [UInt8]) -> [UInt8] { isModern ? Streebog256.hash(message) : GOSTR341194.hash(message) }
}

/// The steps of an opening (GSC/1, 10), in plain or within a session.
extension TokenSide {
    /// Answers OPEN-1 (03) or OPEN-2 (04).
    ///
    /// - Parameter binding: K_exp of the session in which the steps travel.
    func shake(_ step: UInt8, _ data: [UInt8], binding: [UInt8]?) -> Reply {
        guard let pairing else { return Reply(status: [0x69, 0x85]) }
        do {
            var cursor = ByteCursor(data)
            var inner = ByteCursor(try cursor.object(0x7C))
            if step == 0x04 {
                guard let handshake, try inner.object(0x85) == handshake.proof else {
                    return Reply(status: [0x63, 0x00])
                }
                return Reply(data: pairing.sessions > 1 ? [0x7C, 0x03, 0x88, 0x01, 0x00] : [])
            }
            guard try inner.object(0x81) == pairing.hostID else { return Reply(status: [0x6A, 0x88]) }
            let peer = try inner.object(0x82)
            let instance = inner.isAtEnd ? [] : try inner.object(0x83)
            let zeros = [UInt8](repeating: 0, count: 32 - instance.count)
            return Reply(data: try begin(pairing, peer, binding ?? instance + zeros))
        } catch {
            return Reply(status: [0x6A, 0x80])
        }
    }

    private func begin(_ pairing: TokenPairing, _ peer: [UInt8], _ binding: [UInt8]) throws -> [UInt8] {
        let key = try PrivateKey(curve: pairing.curve, scalar: Secret(copying: pairing.scalar))
        let ephemeral = try PrivateKey.generate(on: pairing.curve, random: SystemRandom())
        let own = isModern ? try ephemeral.publicKey().bytes : Array(try ephemeral.publicKey().bytes.prefix(16))
        let head: [UInt8] = Array("GSC1 open".utf8) + [isModern ? 2 : 1] + pairing.hash(pairing.capabilities)
        let keys: [UInt8] = try key.publicKey().bytes + pairing.hostKey
        let transcript = pairing.hash(head + pairing.serial + pairing.hostID + keys + peer + own + binding)
        let secret = try agree(pairing, key, ephemeral, peer, transcript)
        let extracted = authenticate(isModern, secret, key: transcript)
        let derived = expand(isModern, extracted, "GSC1 keys", transcript, 96)
        let confirmation = Array(derived[..<32])
        handshake = (
            Array(authenticate(isModern, [1] + transcript, key: confirmation).prefix(16)),
            SessionKeys(isModern: isModern, seed: Array(derived[32..<64]), exporter: Array(derived[64...]))
        )
        let proof = Array(authenticate(isModern, [2] + transcript, key: confirmation).prefix(16))
        return .object(0x7C, .object(0x82, own) + .object(0x85, proof))
    }

    /// Z.
    private func agree(
        _ pairing: TokenPairing, _ key: borrowing PrivateKey, _ ephemeral: borrowing PrivateKey, _ peer: [UInt8],
        _ transcript: [UInt8]
    ) throws -> [UInt8] {
        let hostKey = try PublicKey(curve: pairing.curve, bytes: pairing.hostKey)
        let ukm = Array(transcript.prefix(isModern ? 16 : 8))
        guard isModern else { return bytes(try key.vko2001(with: hostKey, ukm: ukm.span)) }
        let peerKey = try PublicKey(curve: pairing.curve, bytes: peer)
        let ee = try ephemeral.vko2012256(with: peerKey, ukm: ukm.span)
        let es = try key.vko2012256(with: peerKey, ukm: ukm.span)
        let se = try ephemeral.vko2012256(with: hostKey, ukm: ukm.span)
        return bytes(ee) + bytes(es) + bytes(se)
    }
}
