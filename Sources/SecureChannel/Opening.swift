import APDU
import GOST
import Secrets

/// The opening of a new session in plain (GSC/1, 10).
struct Opening {
    private let suite: any Suite.Type
    private let record: PairingRecord
    private let capabilities: Capabilities
    private let tokenKey: PublicKey
    private let hostPublicKey: PublicKey
    /// INST, empty if the token has one session only.
    private let instance: [UInt8]

    /// Prepares an opening with `capabilities`, or with the E1 of the record.
    ///
    /// - Throws: ``ChannelError/unknownRecord`` if the record does not fit the host's key.
    init(
        _ record: PairingRecord, _ hostKey: borrowing PrivateKey, _ instance: Instance,
        capabilities: Capabilities? = nil
    ) throws(ChannelError) {
        guard let suite = record.profile.suite else { throw .profileUnsupported }
        self.suite = suite
        self.record = record
        self.capabilities = capabilities ?? record.capabilities
        self.instance = self.capabilities.sessions > 1 ? instance.octets : []
        do { hostPublicKey = try hostKey.publicKey() } catch { throw ChannelError(error) }
        do { tokenKey = try PublicKey(curve: suite.curve, bytes: record.tokenKey) } catch {
            throw error == .invalidPoint ? .unknownRecord : ChannelError(error)
        }
        guard record.hostID.elementsEqual(suite.hash(hostPublicKey.bytes).prefix(8)) else { throw .unknownRecord }
    }

    /// Opens a session. MAC_T, and with it the token, is verified before the host proves itself.
    func run(
        _ hostKey: borrowing PrivateKey, over link: any CardConnection, random: any RandomSource
    ) throws(ChannelError) -> SecureChannel {
        let own = try suite.contribute(random)
        let (peer, code) = try first(own.octets, over: link)
        guard peer != own.octets else { throw .reflection }
        let transcript = transcript(own.octets, peer)
        let secret = try suite.agree(hostKey, tokenKey, own: own, peer: peer, transcript: transcript)
        let key = suite.authenticate(secret.bytes, key: transcript.span)
        let keys = try suite.expand(key.bytes, label: "GSC1 keys", seed: transcript, count: 96)
        let expected = confirmation(0x02, transcript, keys)
        guard constantTimeEqual(expected.bytes, code.span) else { throw .authenticationFailed }
        let channel = try second([UInt8](copying: confirmation(0x01, transcript, keys).bytes), over: link)
        let session = Session(suite: suite, channel: channel, seed: keys.extracting(32..<64))
        return SecureChannel(session, over: link, capabilities: capabilities)
    }

    /// OPEN-1: the contributions, and the token's proof.
    private func first(
        _ contribution: [UInt8], over link: any CardConnection
    ) throws(ChannelError) -> (contribution: [UInt8], code: [UInt8]) {
        var content: [UInt8] = []
        content.appendObject(0x81, record.hostID)
        content.appendObject(0x82, contribution)
        if !instance.isEmpty { content.appendObject(0x83, instance) }
        let response = try linking { () throws(LinkError) in
            let profile = suite.profile.rawValue
            return try link.exchange(Command(0x80, 0x86, 0x03, profile, bytes: .object(0x7C, content), ne: 256))
        }
        guard response.status == .success else { throw ChannelError(response.status) }
        return try parsing { () throws(MalformedBytes) in
            var outer = ByteCursor(response.data)
            var inner = ByteCursor(try outer.object(0x7C))
            let fields = (try inner.object(0x82, length: suite.contributionSize), try inner.object(0x85, length: 16))
            try inner.finish()
            try outer.finish()
            return fields
        }
    }

    /// OPEN-2: the host's proof. A token with one session answers without data, others with the channel.
    ///
    /// - Returns: The channel, below N.
    private func second(_ code: [UInt8], over link: any CardConnection) throws(ChannelError) -> UInt8 {
        let sessions = capabilities.sessions
        let response = try linking { () throws(LinkError) in
            let content: [UInt8] = .object(0x7C, .object(0x85, code))
            return try link.exchange(Command(0x80, 0x86, 0x04, 0x00, bytes: content, ne: sessions > 1 ? 256 : nil))
        }
        guard response.status == .success else { throw ChannelError(response.status) }
        return try parsing { () throws(MalformedBytes) in
            var outer = ByteCursor(response.data)
            guard sessions > 1 else {
                try outer.finish()
                return 0
            }
            var inner = ByteCursor(try outer.object(0x7C))
            let channel = try inner.number(0x88, in: 0...UInt8(truncatingIfNeeded: sessions - 1))
            try inner.finish()
            try outer.finish()
            return channel
        }
    }

    /// TH.
    private func transcript(_ own: [UInt8], _ peer: [UInt8]) -> [UInt8] {
        let binding = instance + [UInt8](repeating: 0, count: 32 - instance.count)
        let head: [UInt8] = Array("GSC1 open".utf8) + [suite.profile.rawValue] + suite.hash(capabilities.octets)
        let identities: [UInt8] = capabilities.serial + record.hostID + tokenKey.bytes + hostPublicKey.bytes
        return suite.hash(head + identities + own + peer + binding)
    }

    /// MAC_T (02) or MAC_H (01), by the first 32 octets of the session's keys.
    private func confirmation(_ side: UInt8, _ transcript: [UInt8], _ keys: borrowing Secret) -> Secret {
        suite.authenticate(([side] + transcript).span, key: keys.bytes.extracting(0..<32)).extracting(0..<16)
    }
}
