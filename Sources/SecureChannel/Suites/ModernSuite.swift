// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The modern profile: GOST R 34.11-2012, SESPAKE, VKO GOST R 34.10-2012, Kuznyechik in MGM (GSC/1, 3).
enum ModernSuite: Suite {
    static let profile = Profile.modern
    static let curve = Curve.tc26256B
    /// The limit of a command's length field.
    static let maximumMessage = 65_535
    static let messageKeySize = 32
    static let contributionSize = 64

    static func hash(_ message: Span<UInt8>) -> [UInt8] { Streebog256.hash(message) }

    static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> Secret {
        HMAC<Streebog256>.authenticate(message, key: key)
    }

    static func expand(
        _ key: Span<UInt8>, label: String, seed: [UInt8], count: Int
    ) throws(ChannelError) -> Secret {
        let label = Array(label.utf8)
        do { return try KDFTree<Streebog256>.derive(key: key, label: label.span, seed: seed.span, count: count) } catch
        {
            throw ChannelError(error)
        }
    }

    /// An ephemeral key pair.
    static func contribute(_ random: any RandomSource) throws(ChannelError) -> Contribution {
        do {
            let key = try PrivateKey.generate(on: curve, random: random)
            let publicKey = try key.publicKey()
            return Contribution(bytes: publicKey.bytes, secret: key.scalar.copy())
        } catch {
            throw ChannelError(error)
        }
    }

    /// ee ‖ es ‖ se, VKO with UKM = TH[0..15] of the ephemeral keys of both, of the host's with the token's long-term
    /// key, and of the host's long-term key with the token's ephemeral one.
    static func agree(
        _ hostKey: borrowing PrivateKey, _ tokenKey: PublicKey, own: borrowing Contribution, peer: [UInt8],
        transcript: [UInt8]
    ) throws(ChannelError) -> Secret {
        let ukm = Array(transcript.prefix(16))
        do throws(GOSTError) {
            let peerKey = try PublicKey(curve: curve, bytes: peer)
            let ephemeral = try PrivateKey(curve: curve, scalar: own.secret.copy())
            let ee = try ephemeral.vko2012256(with: peerKey, ukm: ukm.span)
            let es = try ephemeral.vko2012256(with: tokenKey, ukm: ukm.span)
            let se = try hostKey.vko2012256(with: peerKey, ukm: ukm.span)
            return ee.appending(es.bytes).appending(se.bytes)
        } catch {
            throw error == .invalidPoint ? .malformedResponse : ChannelError(error)
        }
    }

    static func messageKey(_ key: Span<UInt8>) throws(ChannelError) -> any MessageKey {
        do { return try ModernMessageKey(key) } catch { throw ChannelError(error) }
    }
}

/// Kuznyechik in MGM with the key schedule made.
final class ModernMessageKey: MessageKey {
    private let mode: MGM

    init(_ key: Span<UInt8>) throws(GOSTError) { mode = try MGM(.kuznyechik, key: key, tagLength: 8) }

    func seal(
        _ plaintext: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret {
        let nonce = ModernMessageKey.nonce(number)
        do { return try mode.seal(plaintext, nonce: nonce.span, authenticating: associated) } catch {
            throw ChannelError(error)
        }
    }

    func open(
        _ sealed: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret? {
        let nonce = ModernMessageKey.nonce(number)
        do { return try mode.open(sealed, nonce: nonce.span, authenticating: associated) } catch {
            guard error == .authenticationFailed else { throw ChannelError(error) }
            return nil
        }
    }

    /// ICN = 0^12 ‖ number.
    private static func nonce(_ number: UInt32) -> InlineArray<16, UInt8> {
        var nonce = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<4 { nonce[15 - index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index)) }
        return nonce
    }
}

extension ModernSuite {
    /// SESPAKE (RFC 8133): A is the host, B the token. The key is used only for the MACs over the data. So the only way
    /// to test a guess of the password is an attempt that the token counts.
    static func exchange(
        _ data: [UInt8], between parties: PairingParties, password: borrowing ActivationPassword,
        over link: PairingLink, random: any RandomSource
    ) throws(ChannelError) -> [UInt8] {
        let exchange = try begin(password, salt: parties.salt, random)
        let u1 = exchange.share
        let u2 = try link.exchangeValues(u1, of: parties)
        let key = try agree(exchange, with: u2)
        let transcript = SESPAKE.Transcript(
            identifierA: parties.hostID, identifierB: parties.tokenID, salt: parties.salt, u1: u1, u2: u2,
            algorithm: curve.oid)

        let ownCode = key.code(for: transcript.messageA(data: data))
        let (other, code) = try link.exchangeData(data, code: [UInt8](copying: ownCode.bytes), tag: 0x84)
        guard key.isValid(code.span, for: transcript.messageB(dataA: data, dataB: other)) else {
            throw .authenticationFailed
        }
        return other
    }

    /// Q_PW of the password, and u_1.
    private static func begin(
        _ password: borrowing ActivationPassword, salt: [UInt8], _ random: any RandomSource
    ) throws(ChannelError) -> SESPAKE.Exchange {
        do {
            let factor = try SESPAKE.f(password: password.canonical.bytes, salt: salt.span, curve: curve)
            let verifier = try SESPAKE.Verifier(curve: curve, f: factor.bytes)
            return try SESPAKE.Exchange(as: .a, verifier: verifier, random: random)
        } catch {
            throw ChannelError(error)
        }
    }

    private static func agree(
        _ exchange: consuming SESPAKE.Exchange, with u2: [UInt8]
    ) throws(ChannelError) -> SESPAKE.Key {
        do { return try exchange.key(with: u2) } catch {
            throw error == .invalidPoint ? .malformedResponse : ChannelError(error)
        }
    }
}
