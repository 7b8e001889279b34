// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets

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

    /// Gives a slot whose tries are used up (C1) new ones. A slot that is exhausted for ever needs a new password.
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
