// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// The opening of a session (GSC/1, 10): a new one in plain, or a session that replaces the session in which both
/// steps travel.
struct Opening: ~Copyable {
    let suite: any Suite.Type
    private let record: PairingRecord
    private let capabilities: Capabilities
    private let tokenKey: PublicKey
    private let hostPublicKey: PublicKey
    /// INST, empty if the token has one session only and in a renewal.
    private let instance: [UInt8]
    /// BIND.
    private let binding: Secret

    /// Prepares the opening of a new session with `capabilities`, or with the E1 of the record.
    ///
    /// - Throws: ``ChannelError/unknownRecord`` if the record does not fit the host's key.
    init(
        _ record: PairingRecord, _ hostKey: borrowing PrivateKey, _ instance: Instance,
        capabilities: Capabilities? = nil
    ) throws(ChannelError) {
        let capabilities = capabilities ?? record.capabilities
        let instance = capabilities.sessions > 1 ? instance.bytes : []
        let binding = Secret(copying: instance + [UInt8](repeating: 0, count: 32 - instance.count))
        try self.init(record, hostKey, capabilities, instance: instance, binding: binding)
    }

    /// Prepares the renewal of a session.
    ///
    /// - Parameter exporter: K_exp of the running session.
    init(
        renewing exporter: borrowing Secret, _ record: PairingRecord, _ hostKey: borrowing PrivateKey,
        capabilities: Capabilities
    ) throws(ChannelError) {
        try self.init(record, hostKey, capabilities, instance: [], binding: exporter.copy())
    }

    private init(
        _ record: PairingRecord, _ hostKey: borrowing PrivateKey, _ capabilities: Capabilities, instance: [UInt8],
        binding: consuming Secret
    ) throws(ChannelError) {
        let suite = record.profile.suite
        let hostPublicKey: PublicKey
        let tokenKey: PublicKey
        do { hostPublicKey = try hostKey.publicKey() } catch { throw ChannelError(error) }
        do { tokenKey = try PublicKey(curve: suite.curve, bytes: record.tokenKey) } catch {
            throw error == .invalidPoint ? .unknownRecord : ChannelError(error)
        }
        guard record.hostID.elementsEqual(suite.hash(hostPublicKey.bytes).prefix(8)) else { throw .unknownRecord }
        self.suite = suite
        self.record = record
        self.capabilities = capabilities
        self.hostPublicKey = hostPublicKey
        self.tokenKey = tokenKey
        self.instance = instance
        self.binding = binding
    }

    /// Opens a session. MAC_T, and with it the token and E1, is verified before the host proves itself.
    ///
    /// - Throws: ``ChannelError/profileRaised`` if the E1 so verified is the first to have a higher profile.
    func run(
        _ hostKey: borrowing PrivateKey, over link: any CardConnection, random: any RandomSource
    ) throws(ChannelError) -> HostSession {
        let own = try suite.contribute(random)
        let (peer, code) = try first(own.bytes, over: link)
        guard peer != own.bytes else { throw .reflection }
        let transcript = transcript(own.bytes, peer)
        let secret = try suite.agree(hostKey, tokenKey, own: own, peer: peer, transcript: transcript)
        let key = suite.authenticate(secret.bytes, key: transcript.span)
        let keys = try suite.expand(key.bytes, label: "GSC1 keys", seed: transcript, count: 96)
        let expected = confirmation(0x02, transcript, keys.bytes)
        guard constantTimeEqual(expected.bytes, code.span) else { throw .authenticationFailed }
        guard !isProfileRaised else { throw .profileRaised }
        let proof = confirmation(0x01, transcript, keys.bytes)
        let channel = try second([UInt8](copying: proof), over: link)
        return HostSession(
            suite: suite, channel: channel, seed: keys.extracting(32..<64), exporter: keys.extracting(64..<96))
    }

    /// OPEN-1: the contributions, and the token's proof.
    private func first(
        _ contribution: [UInt8], over link: any CardConnection
    ) throws(ChannelError) -> (contribution: [UInt8], code: [UInt8]) {
        var content: [UInt8] = []
        content.appendObject(0x81, record.hostID)
        content.appendObject(0x82, contribution)
        if !instance.isEmpty { content.appendObject(0x83, instance) }
        let profile = suite.profile.rawValue
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0x86, 0x03, profile, bytes: .object(0x7C, content), ne: 256))
        }
        return try Opening.readFirst(response, count: suite.contributionSize)
    }

    /// Reads the reply to OPEN-1, with a contribution of `count` bytes.
    static func readFirst(
        _ response: Response, count: Int
    ) throws(ChannelError) -> (contribution: [UInt8], code: [UInt8]) {
        guard response.status == .success else { throw ChannelError(response.status) }
        return try response.template { (cursor) throws(MalformedBytes) in
            (try cursor.object(0x82, length: count), try cursor.object(0x85, length: 16))
        }
    }

    /// OPEN-2: the host's proof. A token with one session answers without data, others with the channel.
    ///
    /// - Returns: The channel, below N.
    private func second(_ code: [UInt8], over link: any CardConnection) throws(ChannelError) -> UInt8 {
        let sessions = UInt8(truncatingIfNeeded: capabilities.sessions)
        let response = try linking { () throws(LinkError) in
            let content: [UInt8] = .object(0x7C, .object(0x85, code))
            return try link.exchange(Command(0x80, 0x86, 0x04, 0x00, bytes: content, ne: sessions > 1 ? 256 : nil))
        }
        return try Opening.readSecond(response, sessions: sessions)
    }

    /// Reads the reply to OPEN-2 of a token with so many sessions.
    static func readSecond(_ response: Response, sessions: UInt8) throws(ChannelError) -> UInt8 {
        guard response.status == .success else { throw ChannelError(response.status) }
        guard sessions > 1 else {
            guard response.data.isEmpty else { throw .malformedResponse }
            return 0
        }
        return try response.template { (cursor) throws(MalformedBytes) in try cursor.number(0x88, in: 0...sessions - 1)
        }
    }

    /// Whether E1 has a higher profile than the pairing's, which the E1 of the pairing had not (4).
    private var isProfileRaised: Bool {
        capabilities.profiles.subtracting(record.capabilities.profiles).contains { $0 > record.profile }
    }

    /// TH.
    private func transcript(_ own: [UInt8], _ peer: [UInt8]) -> [UInt8] {
        let head: [UInt8] = Array("GSC1 open".utf8) + [suite.profile.rawValue] + suite.hash(capabilities.bytes)
        let identities: [UInt8] = capabilities.serial + record.hostID + tokenKey.bytes + hostPublicKey.bytes
        let message = Secret(copying: head + identities + own + peer).appending(binding.bytes)
        return suite.hash(message.bytes)
    }

    /// MAC_T (02) or MAC_H (01), by the first 32 bytes of the session's keys.
    private func confirmation(_ side: UInt8, _ transcript: [UInt8], _ keys: Span<UInt8>) -> Secret {
        suite.authenticate(([side] + transcript).span, key: keys.extracting(0..<32)).extracting(0..<16)
    }
}
