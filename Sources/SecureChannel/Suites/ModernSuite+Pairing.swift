// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

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
