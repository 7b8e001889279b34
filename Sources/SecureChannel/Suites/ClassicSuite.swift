// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// The classic profile: GOST R 34.11-94, VKO GOST R 34.10-2001, GOST 28147-89 (GSC/1, 3).
enum ClassicSuite: Suite {
    static let profile = Profile.classic
    static let curve = Curve.cryptoProA
    /// Beyond this the cipher would mesh its key.
    static let maximumMessage = 1024
    /// Ke ‖ Km.
    static let messageKeySize = 64
    static let contributionSize = 16

    static func hash(_ message: Span<UInt8>) -> [UInt8] { GOSTR341194.hash(message) }

    static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> Secret {
        HMAC<GOSTR341194>.authenticate(message, key: key)
    }

    static func expand(
        _ key: Span<UInt8>, label: String, seed: [UInt8], count: Int
    ) throws(ChannelError) -> Secret {
        let label = Array(label.utf8)
        do { return try KDFTree<GOSTR341194>.derive(key: key, label: label.span, seed: seed.span, count: count) } catch
        {
            throw ChannelError(error)
        }
    }

    static func contribute(_ random: any RandomSource) throws(ChannelError) -> Contribution {
        let bytes = try drawing { () throws(RandomUnavailable) in try random.bytes(contributionSize) }
        return Contribution(bytes: bytes, secret: Secret(count: 0))
    }

    /// VKO(h, T_pub) with UKM = TH[0..7]; the contributions enter through the transcript.
    static func agree(
        _ hostKey: borrowing PrivateKey, _ tokenKey: PublicKey, own: borrowing Contribution, peer: [UInt8],
        transcript: [UInt8]
    ) throws(ChannelError) -> Secret {
        let ukm = Array(transcript.prefix(8))
        do { return try hostKey.vko2001(with: tokenKey, ukm: ukm.span) } catch { throw ChannelError(error) }
    }

    static func messageKey(_ key: Span<UInt8>) throws(ChannelError) -> any MessageKey { ClassicMessageKey(key) }

    /// CNT(key, iv, text).
    static func gamma(_ text: Span<UInt8>, iv: [UInt8], key: borrowing Secret) throws(ChannelError) -> Secret {
        do {
            return try CipherMessage.encrypt(text, .gost28147(.cryptoProA), .cnt, key: key.bytes, iv: iv.span)
        } catch {
            throw ChannelError(error)
        }
    }
}

/// Ke, and HMAC begun under Km.
final class ClassicMessageKey: MessageKey {
    private let cipherKey: Secret
    private let code: HMAC<GOSTR341194>

    /// - Parameter key: Ke ‖ Km.
    init(_ key: Span<UInt8>) {
        cipherKey = Secret(copying: key.extracting(first: 32))
        code = HMAC(key: key.extracting(last: 32))
    }

    func seal(
        _ plaintext: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret {
        let ciphertext = try gamma(plaintext, number)
        let tag = tag(of: ciphertext.bytes, associated)
        return ciphertext.appending(tag.bytes)
    }

    func open(
        _ sealed: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret? {
        let ciphertext = sealed.extracting(droppingLast: 8)
        let expected = tag(of: ciphertext, associated)
        guard constantTimeEqual(expected.bytes, sealed.extracting(last: 8)) else { return nil }
        return try gamma(ciphertext, number)
    }

    /// CNT(Ke, IV = 0^4 ‖ number, text).
    private func gamma(_ text: Span<UInt8>, _ number: UInt32) throws(ChannelError) -> Secret {
        var iv: [UInt8] = [0, 0, 0, 0]
        iv.appendUInt32(number)
        return try ClassicSuite.gamma(text, iv: iv, key: cipherKey)
    }

    /// HM(Km, u8(|associated|) ‖ associated ‖ ciphertext)[0..7].
    private func tag(of ciphertext: Span<UInt8>, _ associated: Span<UInt8>) -> Secret {
        var code = code.copy()
        let count = [UInt8(truncatingIfNeeded: associated.count)]
        code.update(count.span)
        code.update(associated)
        code.update(ciphertext)
        let whole = code.finalize()
        return whole.extracting(0..<8)
    }
}

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
