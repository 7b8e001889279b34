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

    static func hash(_ message: [UInt8]) -> [UInt8] { GOSTR341194.hash(message) }

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
        let octets = try drawing { () throws(RandomUnavailable) in try random.bytes(contributionSize) }
        return Contribution(octets: octets, secret: Secret(count: 0))
    }

    /// VKO(h, T_pub) with UKM = TH[0..7]; the contributions enter through the transcript.
    static func agree(
        _ hostKey: borrowing PrivateKey, _ tokenKey: PublicKey, own: borrowing Contribution, peer: [UInt8],
        transcript: [UInt8]
    ) throws(ChannelError) -> Secret {
        let ukm = Array(transcript.prefix(8))
        do { return try hostKey.vko2001(with: tokenKey, ukm: ukm.span) } catch { throw ChannelError(error) }
    }

    static func seal(
        _ plaintext: Span<UInt8>, number: UInt32, associated: [UInt8], key: Span<UInt8>
    ) throws(ChannelError) -> SealedMessage {
        let enciphered = try cipher(plaintext, number: number, key: key)
        let ciphertext = [UInt8](copying: enciphered.bytes)
        return SealedMessage(ciphertext: ciphertext, tag: tag(associated, ciphertext, key: key))
    }

    static func open(
        _ message: SealedMessage, number: UInt32, associated: [UInt8], key: Span<UInt8>
    ) throws(ChannelError) -> Secret? {
        guard constantTimeEqual(tag(associated, message.ciphertext, key: key).span, message.tag.span) else {
            return nil
        }
        return try cipher(message.ciphertext.span, number: number, key: key)
    }

    /// CNT(key[0..31], IV = 0^4 ‖ number, text).
    private static func cipher(
        _ text: Span<UInt8>, number: UInt32, key: Span<UInt8>
    ) throws(ChannelError) -> Secret {
        var iv: [UInt8] = [0, 0, 0, 0]
        iv.appendUInt32(number)
        return try gamma(text, iv: iv, key: key.extracting(first: 32))
    }

    /// CNT(key, iv, text).
    static func gamma(_ text: Span<UInt8>, iv: [UInt8], key: Span<UInt8>) throws(ChannelError) -> Secret {
        do {
            var cipher = try GOST28147CNT(key: key, iv: iv.span, sBox: .cryptoProA, meshing: false)
            return cipher.apply(text)
        } catch {
            throw ChannelError(error)
        }
    }

    /// HM(key[32..63], u8(|associated|) ‖ associated ‖ ciphertext)[0..7].
    private static func tag(_ associated: [UInt8], _ ciphertext: [UInt8], key: Span<UInt8>) -> [UInt8] {
        let message = [UInt8(truncatingIfNeeded: associated.count)] + associated + ciphertext
        let code = authenticate(message.span, key: key.extracting(last: 32))
        return [UInt8](copying: code.bytes.extracting(first: 8))
    }
}
