// SPDX-License-Identifier: Apache-2.0

package import APDU
import Glibc
import GOST
package import Locking
package import Secrets

extension SecureChannel {
    /// Pairs host and token for good and opens their first session (GSC/1, 8).
    ///
    /// The record is stored before the session is opened, and deleted again if it cannot be opened: so neither side
    /// keeps what the other has not confirmed.
    ///
    /// The store waits for no lock here, so that this can be done in a transaction with the token.
    ///
    /// - Parameters:
    ///   - capabilities: E1 as it was just received.
    ///   - profile: The profile to use, from ``Capabilities/profile(minimum:pinned:)``.
    ///   - label: The host's name for the token's list of hosts; 32 bytes of UTF-8 count. The hosts that are paired
    ///     with the token read it.
    ///   - store: It is ``PairingStore/prepare(for:random:)``d for the profile.
    ///   - instance: The process's name in sessions.
    /// - Returns: An open, provisional channel.
    package static func activate(
        with password: borrowing ActivationPassword, over link: any CardConnection, capabilities: Capabilities,
        profile: Profile, label: String, store: PairingStore, instance: Instance, random: any RandomSource,
        uptime: Uptime = .system
    ) throws(ChannelError) -> SecureChannel {
        let former = try store.record(serial: capabilities.serial, profile: profile)
        // Of several pairings the youngest counts, and clocks can be set back.
        let created = max(Int64(time(nil)), former.map { min($0.created, .max - 1) + 1 } ?? 0)
        let record = try pair(
            with: password, over: link, capabilities: capabilities, profile: profile, label: label, store: store,
            created: created, random: random, uptime: uptime)
        try store.keep(record)
        do throws(ChannelError) {
            guard let hostKey = try store.hostKey(for: record) else { throw .unknownRecord }
            let opening = try Opening(record, hostKey, instance)
            let session = try opening.run(hostKey, over: link, random: random)
            return SecureChannel(session, over: link, record: record, uptime: uptime)
        } catch {
            // An earlier pairing with the same two keys was good, and so is this one.
            if former?.tokenKey != record.tokenKey || former?.hostID != record.hostID { try? store.withdraw(record) }
            throw error
        }
    }

    /// Exchanges long-term public keys with the token under the activation password. Stores nothing but the host's own
    /// key.
    ///
    /// - Throws: ``ChannelError/passwordInvalid`` and ``ChannelError/profileUnsupported`` before anything is sent.
    private static func pair(
        with password: borrowing ActivationPassword, over link: any CardConnection, capabilities: Capabilities,
        profile: Profile, label: String, store: PairingStore, created: Int64, random: any RandomSource, uptime: Uptime
    ) throws(ChannelError) -> PairingRecord {
        guard capabilities.profiles.contains(profile) else { throw .profileUnsupported }
        let suite = profile.suite
        try password.requireStrength(for: profile)
        guard password.slot <= capabilities.slots else { throw .slotUnusable }
        guard try !store.isPinned(serial: capabilities.serial, above: profile) else { throw .downgradeSuspected }

        guard let hostKey = try store.hostKey(profile) else { throw .unknownRecord }
        let hostPublicKey = try computing { () throws(GOSTError) in try hostKey.publicKey() }
        let slot = try SlotInformation.read(slot: password.slot, over: link)
        guard slot.profiles.contains(profile) else { throw .profileUnsupported }
        let parties = PairingParties(
            slot: password.slot, salt: slot.salt, hostID: Array(suite.hash(hostPublicKey.bytes).prefix(8)),
            tokenID: capabilities.serial)
        let own = data(of: hostPublicKey, capabilities: capabilities, label: label, suite: suite)
        let pairing = PairingLink(link, profile: profile, uptime: uptime)
        let other = try suite.exchange(own, between: parties, password: password, over: pairing, random: random)
        let (tokenKey, index) = try read(other, suite: suite)
        guard tokenKey != hostPublicKey else { throw .reflection }
        return PairingRecord(
            profile: profile, capabilities: capabilities, tokenKey: tokenKey.bytes, hostID: parties.hostID,
            index: index, created: created)
    }

    /// DATA_A.
    private static func data(
        of hostKey: PublicKey, capabilities: Capabilities, label: String, suite: any Suite.Type
    ) -> [UInt8] {
        var label = label
        while label.utf8.count > 32 { label.removeLast() }
        var data: [UInt8] = []
        data.appendObject(0x80, Capabilities.protocolName)
        data.appendObject(0x81, [suite.profile.rawValue])
        data.appendObject(0x82, hostKey.bytes)
        data.appendObject(0x83, suite.hash(capabilities.bytes))
        data.appendObject(0x84, Array(label.utf8))
        return data
    }

    /// Reads DATA_B: T_pub and the record's index.
    static func read(
        _ data: [UInt8], suite: any Suite.Type
    ) throws(ChannelError) -> (tokenKey: PublicKey, index: UInt8) {
        let (bytes, index) = try parsing { () throws(MalformedBytes) in
            var cursor = ByteCursor(data)
            guard try cursor.object(0x80) == Capabilities.protocolName else { throw MalformedBytes() }
            _ = try cursor.number(0x81, in: suite.profile.rawValue...suite.profile.rawValue)
            let fields = (try cursor.object(0x82, length: 64), try cursor.number(0x85, in: 1...0xFF))
            try cursor.finish()
            return fields
        }
        do { return (try PublicKey(curve: suite.curve, bytes: bytes), index) } catch {
            throw error == .invalidPoint ? .malformedResponse : ChannelError(error)
        }
    }
}

/// The commands of the channel itself (GSC/1, 6). All but LIST and the removal of the own pairing need the Security
/// Officer to be logged in within this channel.
extension SecureChannel {
    /// The symbols of a generated activation password.
    package enum Charset: UInt8, Sendable {
        case lettersAndDigits = 0
        case letters = 1
    }

    /// All hosts that the token is paired with: LIST.
    package func pairedHosts() throws(ChannelError) -> [PairedHost] {
        let response = try perform(Command(0x80, 0xCA, 0x47, 0x10, ne: 256))
        return try parsing { () throws(MalformedBytes) in try PairedHost.list(parsing: response.data) }
    }

    /// Makes the token forget a host: UNPAIR. All sessions of that host end.
    ///
    /// - Parameter index: ``PairedHost/index``, or FF for this host, whose channel is closed then.
    package func unpair(index: UInt8) throws(ChannelError) {
        _ = try perform(Command(0x80, 0xE4, 0x47, index))
        if index == 0xFF || index == record.index { discard() }
    }

    /// Renews the tries of a slot that has none left (C1). A slot that is exhausted for ever needs a new password.
    ///
    /// - Parameter slot: 1 to 6.
    package func resetSlot(_ slot: UInt8) throws(ChannelError) {
        _ = try perform(Command(0x80, 0x86, 0x10, slot))
    }

    /// Lets the token make a new activation password, which is known only from the reply.
    ///
    /// - Parameters:
    ///   - slot: 1 to 6, whose password it replaces, or 0 for the next empty one.
    ///   - isOneTime: Whether the password serves for one pairing only.
    /// - Returns: The password in its canonical form.
    package func generateActivationPassword(
        slot: UInt8, charset: Charset, isOneTime: Bool
    ) throws(ChannelError) -> Secret {
        let request: [UInt8] = .object(0x80, [charset.rawValue]) + (isOneTime ? .object(0x81, [0x01]) : [])
        let reply = try linking { () throws(LinkError) in
            try transmitSecret(Command(0x80, 0x86, 0x11, slot, bytes: request, ne: 256))
        }
        guard reply.status == .success else { throw ChannelError(reply.status) }
        return try SecureChannel.password(in: reply.data.bytes)
    }

    /// Reads 87 L PW.
    static func password(in object: Span<UInt8>) throws(ChannelError) -> Secret {
        guard object.count >= 2, object[0] == 0x87, Int(object[1]) == object.count - 2 else { throw .malformedResponse }
        let text = object.extracting(droppingFirst: 2)
        do {
            let password = try ActivationPassword(text)
            guard constantTimeEqual(password.canonical.bytes, text) else { throw ChannelError.malformedResponse }
        } catch {
            throw .malformedResponse
        }
        return Secret(copying: text)
    }

    /// Makes the token forget all hosts, this one included, and its own keys. All channels end.
    package func resetPairings() throws(ChannelError) {
        _ = try perform(Command(0x80, 0x86, 0x1F, 0x00))
        discard()
    }

    /// Sends a command; every status word but 9000 is an error.
    private func perform(_ command: borrowing Command) throws(ChannelError) -> Response {
        let response = try linking { () throws(LinkError) in try exchange(command) }
        guard response.status == .success else { throw ChannelError(response.status) }
        return response
    }
}
