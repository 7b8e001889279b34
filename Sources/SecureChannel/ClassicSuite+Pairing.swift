import APDU
import GOST
import Secrets

extension ClassicSuite {
    /// How often the HMAC runs over a password. Part of the version, never taken from the token (GSC/1, 5).
    private static let iterations = 10_000

    static func exchange(
        _ data: [UInt8], between parties: PairingParties, password: borrowing ActivationPassword,
        over link: any CardConnection, random: any RandomSource
    ) throws(ChannelError) -> [UInt8] {
        let transcript = try exchangeNumbers(between: parties, over: link, random: random)
        let passwordKey = PBKDF2<GOSTR341194>.derive(
            password: password.canonical.bytes, salt: parties.salt.span, iterations: iterations, count: 32)
        let keys = try expand(passwordKey.bytes, label: "GSC1 pair", seed: hash(transcript), count: 128)
        return try exchangeData(data, transcript: transcript, keys: keys, over: link)
    }

    /// PAIR-1: both sides draw a number.
    ///
    /// - Returns: TP.
    private static func exchangeNumbers(
        between parties: PairingParties, over link: any CardConnection, random: any RandomSource
    ) throws(ChannelError) -> [UInt8] {
        let own = try drawing { () throws(RandomUnavailable) in try random.bytes(16) }
        var content: [UInt8] = []
        content.appendObject(0x80, [parties.slot])
        content.appendObject(0x81, parties.hostID)
        content.appendObject(0x82, own)
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0x86, 0x01, profile.rawValue, bytes: .object(0x7C, content), ne: 256))
        }
        guard response.status == .success else { throw ChannelError(response.status) }
        let other = try parsing { () throws(MalformedBytes) in
            var outer = ByteCursor(response.data)
            var inner = ByteCursor(try outer.object(0x7C))
            let number = try inner.object(0x82, length: 16)
            try inner.finish()
            try outer.finish()
            return number
        }
        guard other != own else { throw .reflection }
        return Capabilities.protocolName + [profile.rawValue, parties.slot] + parties.hostID + parties.tokenID
            + parties.salt + own + other
    }

    /// PAIR-2: both sides send their data, enciphered and authenticated under keys that only the password gives.
    ///
    /// - Parameter keys: KeA ‖ KmA ‖ KeB ‖ KmB.
    private static func exchangeData(
        _ data: [UInt8], transcript: [UInt8], keys: borrowing Secret, over link: any CardConnection
    ) throws(ChannelError) -> [UInt8] {
        let bytes = keys.bytes
        let own = try applyGamma(to: data, key: bytes.extracting(0..<32))
        let ownCode = authenticate(([0x01] + transcript + own).span, key: bytes.extracting(32..<64))
        let content: [UInt8] = .object(0x86, own) + .object(0x85, [UInt8](copying: ownCode.bytes))
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0x86, 0x02, profile.rawValue, bytes: .object(0x7C, content), ne: 256))
        }
        guard response.status != .conditionsNotSatisfied else { throw .downgradeSuspected }
        guard response.status == .success else { throw ChannelError(response.status) }
        let (other, otherCode) = try parsing { () throws(MalformedBytes) in
            var outer = ByteCursor(response.data)
            var inner = ByteCursor(try outer.object(0x7C))
            let sealed = (try inner.object(0x86), try inner.object(0x85, length: 32))
            try inner.finish()
            try outer.finish()
            return sealed
        }
        let expected = authenticate(([0x02] + transcript + own + other).span, key: bytes.extracting(96..<128))
        guard constantTimeEqual(expected.bytes, otherCode.span) else { throw .authenticationFailed }
        return try applyGamma(to: other, key: bytes.extracting(64..<96))
    }

    /// Enciphers or deciphers data that are no secret afterwards.
    private static func applyGamma(to data: [UInt8], key: Span<UInt8>) throws(ChannelError) -> [UInt8] {
        let result = try gamma(data.span, iv: [UInt8](repeating: 0, count: 8), key: key)
        return [UInt8](copying: result.bytes)
    }
}
