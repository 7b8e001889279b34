// SPDX-License-Identifier: Apache-2.0
package import GOST
package import Secrets

/// A message's content key, encrypted for one of its recipients (RecipientInfo, RFC 5652, 6.2).
package struct RecipientKey: Sendable {
    /// The public key that a recipient agrees with.
    enum Peer: Sendable {
        /// A SubjectPublicKeyInfo.
        case gost(SubjectPublicKeyInfo)
        /// A bare point, on the recipient's curve.
        case point([UInt8])
        /// The key of a certificate.
        case certificate(SignerIdentifier)
    }

    enum Way: Sendable {
        case rsa([UInt8], RSAEncryptionScheme)
        /// UKM ‖ CEK_ENC ‖ CEK_MAC (RFC 4490, 4).
        case gost28147([UInt8], SBox, GOST28147KeyWrap, Peer)
        /// R 1323565.1.025-2019.
        case kexp15([UInt8], isMagma: Bool, ukm: [UInt8], Peer)
        /// RFC 5753, 3.1.
        case ecdh([UInt8], AESWrapping, Peer)
        case unknown
    }

    /// The name of the recipient's certificate; nil for a recipient without one, such as a password's owner.
    package let recipient: SignerIdentifier?
    let way: Way

    /// Whether this library has a way to the key.
    package var isKnown: Bool {
        if case .unknown = way { return false }
        return true
    }

    /// The name of the sender's certificate, if its key is needed, and is not in the message.
    package var sender: SignerIdentifier? {
        switch way {
        case .gost28147(_, _, _, .certificate(let name)), .kexp15(_, _, _, .certificate(let name)),
            .ecdh(_, _, .certificate(let name)):
            name
        default: nil
        }
    }
}

/// The operation that a recipient's private key has to do.
package enum RecipientDemand: Sendable {
    case decryption([UInt8], RSAEncryptionScheme)
    /// - Parameters:
    ///   - ukm: For VKO, little-endian.
    ///   - hash: VKO's; nil for ECDH.
    case agreement(PublicKeyInfo, ukm: [UInt8], HashAlgorithm?)
}

extension RecipientKey {
    /// The operation that the private key has to do.
    ///
    /// - Parameters:
    ///   - own: The recipient's public key.
    ///   - sender: The public key of ``sender``.
    /// - Throws: ``HostCryptoError/invalidParameter`` if the key is of another kind, or the way is unknown;
    ///   ``HostCryptoError/invalidPoint``; ``HostCryptoError/libraryFailure``.
    package func demand(of own: PublicKeyInfo, sender: PublicKeyInfo? = nil) throws(HostCryptoError) -> RecipientDemand
    {
        switch (way, own) {
        case (.rsa(let ciphertext, let scheme), .rsa): return .decryption(ciphertext, scheme)
        case (.gost28147(let wrapped, _, _, let peer), .gost(let info)):
            let hash: HashAlgorithm = info.algorithm.algorithm == .gostR34102001 ? .gostR341194 : .streebog256
            return .agreement(try peer.key(for: own, sender: sender), ukm: Array(wrapped.prefix(8)), hash)
        case (.kexp15(_, _, let ukm, let peer), .gost(let info)):
            guard info.algorithm.algorithm != .gostR34102001 else { throw .invalidParameter }
            let hash: HashAlgorithm = info.key.curve.coordinateSize == 64 ? .streebog512 : .streebog256
            return .agreement(try peer.key(for: own, sender: sender), ukm: ukm.prefix(16).reversed(), hash)
        case (.ecdh(_, _, let peer), .ec):
            return .agreement(try peer.key(for: own, sender: sender), ukm: [], nil)
        default: throw .invalidParameter
        }
    }

    /// The content key.
    ///
    /// - Parameter secret: The result of ``demand(of:sender:)``.
    /// - Throws: ``HostCryptoError/decryptionFailed`` for a wrong secret, or a key of another length than the cipher's;
    ///   ``HostCryptoError/libraryFailure``.
    package func contentKey(
        from secret: borrowing Secret, for cipher: ContentCipher
    ) throws(HostCryptoError) -> Secret {
        let key = try unwrapped(secret)
        guard key.count == cipher.keySize else { throw .decryptionFailed }
        return key
    }

    private func unwrapped(_ secret: borrowing Secret) throws(HostCryptoError) -> Secret {
        do throws(GOSTError) {
            switch way {
            case .rsa: return secret.copy()
            case .gost28147(let wrapped, let sBox, let wrap, _):
                return try wrap.unwrap(wrapped.span, kek: secret.bytes, sBox: sBox)
            case .kexp15(let wrapped, let isMagma, let ukm, _):
                return try KExport.unwrap(wrapped, isMagma: isMagma, secret, ukm: ukm)
            case .ecdh, .unknown: break
            }
        } catch {
            // Of the message, as its sender has written it.
            throw error == .invalidLength ? .decryptionFailed : HostCryptoError(error)
        }
        guard case .ecdh(let wrapped, let wrapping, _) = way else { throw .invalidParameter }
        return try AESKeyWrap.unwrap(wrapped, with: wrapping.kek(from: secret))
    }
}

extension RecipientKey.Peer {
    func key(for own: PublicKeyInfo, sender: PublicKeyInfo?) throws(HostCryptoError) -> PublicKeyInfo {
        switch (self, own) {
        case (.gost(let info), .gost): return .gost(info)
        case (.point(let point), .ec(let key)): return .ec(try ECPublicKey(curve: key.curve, anyForm: point))
        case (.certificate, _):
            guard let sender else { throw .invalidParameter }
            return sender
        default: throw .invalidParameter
        }
    }
}
