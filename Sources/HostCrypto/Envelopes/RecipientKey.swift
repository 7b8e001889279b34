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
        /// That of a certificate.
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

/// What a recipient's private key has to do.
package enum RecipientDemand: Sendable {
    case decryption([UInt8], RSAEncryptionScheme)
    /// - Parameters:
    ///   - ukm: For VKO, little-endian.
    ///   - hash: VKO's; nil for ECDH.
    case agreement(PublicKeyInfo, ukm: [UInt8], HashAlgorithm?)
}

extension RecipientKey {
    /// What the private key has to do.
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
            throw HostCryptoError(error)
        }
        guard case .ecdh(let wrapped, let wrapping, _) = way else { throw .invalidParameter }
        return try AESKeyWrap.unwrap(wrapped, with: wrapping.kek(from: secret))
    }
}

extension RecipientKey.Peer {
    fileprivate func key(for own: PublicKeyInfo, sender: PublicKeyInfo?) throws(HostCryptoError) -> PublicKeyInfo {
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

/// The export of a content key by KExp15 under the keys of KEG (R 1323565.1.025-2019; RFC 9189, 8.2.1 and 8.3.1).
enum KExport {
    static let ukmSize = 32

    /// - Parameter secret: Of VKO; with 512 bits it is that of KEG.
    static func wrap(
        _ key: borrowing Secret, isMagma: Bool, _ secret: borrowing Secret, ukm: [UInt8]
    ) throws(GOSTError) -> [UInt8] {
        let keys = try keys(from: secret, ukm)
        let code = keys.extracting(0..<32)
        let cipher = keys.extracting(32..<64)
        let iv = iv(ukm, isMagma: isMagma)
        let wrapped =
            isMagma
            ? try KExp15<Magma>.wrap(
                key.bytes, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
            : try KExp15<Kuznyechik>.wrap(
                key.bytes, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
        return [UInt8](copying: wrapped)
    }

    static func unwrap(
        _ wrapped: [UInt8], isMagma: Bool, _ secret: borrowing Secret, ukm: [UInt8]
    ) throws(GOSTError) -> Secret {
        let keys = try keys(from: secret, ukm)
        let code = keys.extracting(0..<32)
        let cipher = keys.extracting(32..<64)
        let iv = iv(ukm, isMagma: isMagma)
        return isMagma
            ? try KExp15<Magma>.unwrap(
                wrapped.span, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
            : try KExp15<Kuznyechik>.unwrap(
                wrapped.span, authenticationKey: code.bytes, encryptionKey: cipher.bytes, iv: iv.span)
    }

    private static func iv(_ ukm: [UInt8], isMagma: Bool) -> [UInt8] {
        Array(ukm.dropFirst(24).prefix(isMagma ? 4 : 8))
    }

    /// The key of the code, and that of the cipher.
    private static func keys(from secret: borrowing Secret, _ ukm: [UInt8]) throws(GOSTError) -> Secret {
        if secret.count == 32 {
            let seed = Array(ukm.dropFirst(16).prefix(8))
            return try PrivateKey.kegKeys(from: secret, seed: seed.span)
        }
        guard secret.count == 64 else { throw .invalidKeyLength }
        return secret.copy()
    }
}

/// The wrapping of a content key by AES under a key of ECDH (RFC 5753, 7.1 and 7.2).
struct AESWrapping: Sendable {
    let hash: DigestAlgorithm
    let keySize: Int
    /// The AlgorithmIdentifier of the wrapping, as the message has it.
    let identifier: [UInt8]
    let ukm: [UInt8]?

    /// The key that wraps (SEC 1, 3.6.1, with ECC-CMS-SharedInfo).
    func kek(from secret: borrowing Secret) throws(HostCryptoError) -> Secret {
        let bits = DERTag.octetString.element([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (8 * keySize) >> $0) })
        let ukm = ukm.map { DERTag.context0.element(DERTag.octetString.element($0)) } ?? []
        let info = DERTag.sequence.element(identifier + ukm + DERTag.context2.element(bits))
        return try X963KDF.derive(from: secret, info: info, count: keySize, hash)
    }

    /// The names of agreements, the hash functions being in the order of the arcs: dhSinglePass-stdDH and, which is the same on
    /// curves with cofactor 1, dhSinglePass-cofactorDH (SEC 1, C.1).
    static func hash(of oid: [UInt8]) -> DigestAlgorithm? {
        if [2, 3].contains(where: { oid == [0x06, 0x09, 0x2B, 0x81, 0x05, 0x10, 0x86, 0x48, 0x3F, 0, $0] }) {
            return .sha1
        }
        let hashes: [DigestAlgorithm] = [.sha224, .sha256, .sha384, .sha512]
        return hashes.first { hash in [11, 14].contains { oid == Self.oid($0, hashes.firstIndex(of: hash) ?? 0) } }
    }

    /// dhSinglePass-stdDH-sha256kdf-scheme.
    static let stdDHSHA256 = oid(11, 1)

    private static func oid(_ scheme: UInt8, _ hash: Int) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2B, 0x81, 0x04, 0x01, scheme, UInt8(truncatingIfNeeded: hash)])
    }

    static func keySize(of oid: [UInt8]) -> Int? { [16, 24, 32].first { oid == ContentCipher.aes($0, 5) } }
}
