// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Secrets
import Tokens

/// The key of a message's content, and the name of the key on the token that opened it.
struct OpenedKey: Sendable {
    let secret: SharedSecret
    let label: String
}

/// A key of the token that a message is encrypted for.
private struct OwnRecipient {
    let recipient: RecipientKey
    /// nil if the token has the certificate only.
    let key: KeyPair?
}

extension Session {
    /// The key of a message's content, by the first key on the token that opens it.
    ///
    /// - Parameter certificates: Further ones, in DER, of keys on the token and of the sender.
    func contentKey(of message: OpenedMessage, _ certificates: [[UInt8]]) throws(KanalError) -> OpenedKey {
        let own = try recipients(of: message, certificates)
        guard !own.isEmpty else { throw .messageNotDecrypted(.noRecipient) }
        var refusal = KanalError.messageNotDecrypted(.noKey)
        for recipient in own {
            guard let key = recipient.key else { continue }
            do throws(KanalError) {
                let sender = try sender(of: recipient.recipient, message.certificates + certificates)
                let secret = try contentKey(recipient.recipient, by: key, sender, message.encryption.cipher)
                return OpenedKey(secret: secret, label: key.label)
            } catch {
                guard case .messageNotDecrypted = error else { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    /// The recipients whose certificates are on the token, or belong to keys there.
    private func recipients(
        of message: OpenedMessage, _ certificates: [[UInt8]]
    ) throws(KanalError) -> [OwnRecipient] {
        let keys = try keyPairs()
        var owners: [SignerIdentifier: KeyPair?] = [:]
        for key in keys where !key.id.isEmpty { owners[.keyIdentifier(key.id)] = key }
        for certificate in try self.certificates() {
            let key = keys.first { $0.id == certificate.id }
            for name in RecipientCertificate.names(of: certificate.value) where owners[name]?.flatMap({ $0 }) == nil {
                owners[name] = .some(key)
            }
        }
        for certificate in certificates {
            guard let certified = try? PublicKey(of: certificate) else { continue }
            for key in keys {
                guard let info = try? publicKeyInfo(of: key), let own = try? PublicKey(info: info), own == certified
                else { continue }
                for name in RecipientCertificate.names(of: certificate) { owners[name] = key }
            }
        }
        return message.recipients.compactMap { recipient in
            guard let name = recipient.recipient, let key = owners[name] else { return nil }
            return OwnRecipient(recipient: recipient, key: key)
        }
    }

    /// The public key of a sender who has used a key of a certificate.
    ///
    /// - Returns: nil if the recipient's key is encrypted with no such key.
    private func sender(
        of recipient: RecipientKey, _ certificates: [[UInt8]]
    ) throws(KanalError) -> PublicKeyInfo? {
        guard let name = recipient.sender else { return nil }
        let known = try certificates + self.certificates().map(\.value)
        let found = known.first { RecipientCertificate.names(of: $0).contains(name) }
        guard let found, let sender = try? RecipientCertificate(der: found.span) else {
            throw .messageNotDecrypted(.noSender)
        }
        return sender.key
    }

    private func contentKey(
        _ recipient: RecipientKey, by key: KeyPair, _ sender: PublicKeyInfo?, _ cipher: ContentCipher
    ) throws(KanalError) -> SharedSecret {
        guard recipient.isKnown else { throw .messageNotDecrypted(.unsupported) }
        let info = try publicKeyInfo(of: key)
        let demand: RecipientDemand
        do throws(HostCryptoError) {
            demand = try recipient.demand(of: PublicKeyInfo(der: info.span), sender: sender)
        } catch {
            guard error != .libraryFailure else { throw KanalError(host: error) }
            throw .messageNotDecrypted(error == .invalidPoint ? .wrongKey : .unsupported)
        }
        let answer = try answer(demand, by: key)
        do throws(HostCryptoError) {
            return SharedSecret(try recipient.contentKey(from: answer.secret, for: cipher))
        } catch {
            guard error != .libraryFailure else { throw KanalError(host: error) }
            throw .messageNotDecrypted(.wrongKey)
        }
    }

    private func answer(_ demand: RecipientDemand, by key: KeyPair) throws(KanalError) -> SharedSecret {
        do throws(KanalError) {
            return try call { session throws(TokensError) in
                switch demand {
                case .decryption(let ciphertext, let scheme):
                    let plaintext = try session.decrypt(
                        ciphertext, scheme, mechanism: scheme == .pkcs1 ? CKM_RSA_PKCS : CKM_RSA_PKCS_OAEP,
                        with: key.privateKey.object)
                    return SharedSecret(plaintext)
                case .agreement(let peer, let ukm, let hash):
                    let secret = try session.agree(
                        with: peer, ukm: ukm, hash: hash, mechanism: hash.agreementMechanism,
                        using: key.privateKey.object)
                    return SharedSecret(secret)
                }
            }
        } catch {
            guard case .refused(let code, _) = error else { throw error }
            switch (demand, code) {
            case (.agreement, "CKR_KEY_FUNCTION_NOT_PERMITTED"): throw .messageNotDecrypted(.keyMayNotAgree)
            case (.agreement, "CKR_MECHANISM_INVALID"): throw .messageNotDecrypted(.tokenCannotAgree)
            case (.agreement, "CKR_MECHANISM_PARAM_INVALID"): throw .messageNotDecrypted(.wrongKey)
            case (.decryption, "CKR_ENCRYPTED_DATA_INVALID"), (.decryption, "CKR_DATA_LEN_RANGE"),
                (.decryption, "CKR_KEY_SIZE_RANGE"):
                throw .messageNotDecrypted(.wrongKey)
            default: throw error
            }
        }
    }
}

extension HashAlgorithm? {
    /// The number of the mechanism of PKCS #11 by which keys agree.
    fileprivate var agreementMechanism: CK_MECHANISM_TYPE {
        switch self {
        case .streebog256: CKM_GOSTR3410_12_DERIVE
        case .streebog512: CKM_VKO_GOSTR3410_2012_512
        case .gostR341194: CKM_GOSTR3410_DERIVE
        case nil: CKM_ECDH1_DERIVE
        }
    }
}
