// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

extension ClassicSuite {
    /// The iterations of HMAC over a password. Part of the version, never taken from the token (GSC/1, 5).
    private static let iterations = 10_000

    /// Both sides draw a number; then they send their data, enciphered and authenticated under keys that follow from the
    /// password and the numbers.
    static func exchange(
        _ data: [UInt8], between parties: PairingParties, password: borrowing ActivationPassword,
        over link: PairingLink, random: any RandomSource
    ) throws(ChannelError) -> [UInt8] {
        let number = try drawing { () throws(RandomUnavailable) in try random.bytes(16) }
        let other = try link.exchangeValues(number, of: parties)
        let head: [UInt8] = Capabilities.protocolName + [profile.rawValue, parties.slot]
        let transcript: [UInt8] = head + parties.hostID + parties.tokenID + parties.salt + number + other

        let passwordKey = PBKDF2<GOSTR341194>.derive(
            password: password.canonical.bytes, salt: parties.salt.span, iterations: iterations, count: 32)
        // KeA ‖ KmA ‖ KeB ‖ KmB.
        let keys = try expand(passwordKey.bytes, label: "GSC1 pair", seed: hash(transcript), count: 128)
        return try exchangeData(data, transcript: transcript, keys: keys, over: link)
    }

    private static func exchangeData(
        _ data: [UInt8], transcript: [UInt8], keys: borrowing Secret, over link: PairingLink
    ) throws(ChannelError) -> [UInt8] {
        let own = try applyGamma(to: data, key: keys.extracting(0..<32))
        let ownCode = authenticate(([0x01] + transcript + own).span, key: keys.bytes.extracting(32..<64))
        let (other, code) = try link.exchangeData(own, code: [UInt8](copying: ownCode.bytes), tag: 0x86)
        let expected = authenticate(([0x02] + transcript + own + other).span, key: keys.bytes.extracting(96..<128))
        guard constantTimeEqual(expected.bytes, code.span) else { throw .authenticationFailed }
        return try applyGamma(to: other, key: keys.extracting(64..<96))
    }

    /// Enciphers or deciphers data that are not secret afterwards.
    private static func applyGamma(to data: [UInt8], key: borrowing Secret) throws(ChannelError) -> [UInt8] {
        let result = try gamma(data.span, iv: [UInt8](repeating: 0, count: 8), key: key)
        return [UInt8](copying: result.bytes)
    }
}
