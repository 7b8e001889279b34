// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The certificate of a recipient of encrypted messages.
package struct RecipientCertificate: Sendable {
    package let key: PublicKeyInfo
    /// Whether the uses that it names for its key include the encryption of other keys, or the agreement on them
    /// (RFC 5280, 4.2.1.3). A certificate without them allows all.
    package let allowsEncryption: Bool
    /// The names by which encrypted messages call it.
    package let names: [SignerIdentifier]
    private let issuerAndNumber: [UInt8]

    /// - Throws: ``HostCryptoError/invalidEncoding`` for a certificate that cannot be read; for its key as `PublicKeyInfo`
    ///   does.
    package init(der: Span<UInt8>) throws(HostCryptoError) {
        let certificate = try Certificate(der: der)
        let info = certificate.subjectPublicKeyInfo
        key = try PublicKeyInfo(der: info.span)
        issuerAndNumber = DERTag.sequence.element(certificate.issuer + certificate.serialNumber)
        names = Self.names(of: certificate)
        let uses: UInt8?
        do throws(GOSTError) { uses = try certificate.keyUsage } catch { throw HostCryptoError(error) }
        let (encipherment, agreement): (UInt8, UInt8) = (0x20, 0x08)
        let wanted: UInt8 =
            switch key {
            case .rsa: encipherment
            case .ec: agreement
            case .gost: encipherment | agreement
            }
        allowsEncryption = uses.map { $0 & wanted != 0 } ?? true
    }

    /// Whether the key is of GOST R 34.10, and of which one.
    package var isGOST: Bool {
        if case .gost = key { return true }
        return false
    }

    package var isOf2001: Bool {
        guard case .gost(let info) = key else { return false }
        return info.algorithm.algorithm == .gostR34102001
    }

    /// The names by which encrypted messages call a certificate; empty if it cannot be read.
    package static func names(of der: [UInt8]) -> [SignerIdentifier] {
        (try? Certificate(der: der.span)).map(names) ?? []
    }

    private static func names(of certificate: Certificate) -> [SignerIdentifier] {
        [.issuer(certificate.issuer, serialNumber: certificate.serialNumber)]
            + (certificate.subjectKeyIdentifier.map { [.keyIdentifier($0)] } ?? [])
    }

    /// A content key, encrypted for this recipient: a RecipientInfo in DER (RFC 5652, 6.2).
    func recipientInfo(
        _ contentKey: borrowing Secret, _ cipher: ContentCipher, _ padding: RSAEncryptionScheme,
        random: any RandomSource
    ) throws(HostCryptoError) -> [UInt8] {
        switch key {
        case .rsa(let key):
            let encrypted = try quietly { () throws(HostCryptoError) in
                try key.encrypt(contentKey.bytes, padding)
            }
            guard case .oaep(let hash, _, _) = padding else {
                return transport(
                    DERTag.sequence.element(PublicKeyInfo.rsaEncryption + DERTag.null.element([])), encrypted)
            }
            return transport(OAEPParameters.identifier(hash), encrypted)
        case .ec(let key): return try agreement(contentKey, with: key, random: random)
        case .gost(let info):
            do throws(GOSTError) {
                switch cipher {
                case .kuznyechik: return try export(contentKey, to: info, isMagma: false, random: random)
                case .magma: return try export(contentKey, to: info, isMagma: true, random: random)
                default: return try wrap(contentKey, for: info, cipher, random: random)
                }
            } catch {
                throw HostCryptoError(error)
            }
        }
    }

    /// KeyTransRecipientInfo.
    private func transport(_ algorithm: [UInt8], _ encrypted: [UInt8]) -> [UInt8] {
        DERTag.sequence.element(
            DERTag.integer.element([0]) + issuerAndNumber + algorithm + DERTag.octetString.element(encrypted))
    }

    /// The transport of RFC 4490, 4.2.
    private func wrap(
        _ contentKey: borrowing Secret, for info: SubjectPublicKeyInfo, _ cipher: ContentCipher,
        random: any RandomSource
    ) throws(GOSTError) -> [UInt8] {
        let isOf2001 = info.algorithm.algorithm == .gostR34102001
        let sBox: SBox = isOf2001 ? .cryptoProA : .tc26Z
        let ukm = try random.ukm(8)
        let own = try PrivateKey.generate(on: info.key.curve, random: random)
        let kek = try own.vko(with: info.key, ukm: ukm.span, hash: isOf2001 ? .gostR341194 : .streebog256)
        let wrapped = try GOST28147KeyWrap.cryptoPro.wrap(contentKey.bytes, kek: kek.bytes, ukm: ukm.span, sBox: sBox)
        let ephemeral = try info.ephemeral(own)
        let transported = try KeyTransport(wrapped: [UInt8](copying: wrapped), sBox: sBox, ephemeralKey: ephemeral)
        return transport(ephemeral.algorithm.der, transported.der)
    }

    /// The transport of R 1323565.1.025-2019.
    private func export(
        _ contentKey: borrowing Secret, to info: SubjectPublicKeyInfo, isMagma: Bool, random: any RandomSource
    ) throws(GOSTError) -> [UInt8] {
        guard info.algorithm.algorithm != .gostR34102001 else { throw .invalidParameter }
        let curve = info.key.curve
        let ukm = try random.ukm(KExport.ukmSize)
        let own = try PrivateKey.generate(on: curve, random: random)
        let keys = try own.keg(with: info.key, h: ukm.span)
        let wrapped = try KExport.wrap(contentKey, isMagma: isMagma, keys, ukm: ukm)
        let (exported, ephemeral) = (DERTag.octetString.element(wrapped), try info.ephemeral(own).der)
        let algorithm = DERTag.sequence.element(
            KExportNames.oid(isMagma: isMagma) + DERTag.sequence.element(KExportNames.agreement(curve)))
        return transport(
            algorithm, DERTag.sequence.element(exported + ephemeral + DERTag.octetString.element(ukm)))
    }

    /// KeyAgreeRecipientInfo of ECDH with an ephemeral key (RFC 5753, 3.1.1).
    private func agreement(
        _ contentKey: borrowing Secret, with key: ECPublicKey, random: any RandomSource
    ) throws(HostCryptoError) -> [UInt8] {
        let own = try ECPrivateKey.generate(on: key.curve, random: random)
        let secret = try own.sharedSecret(with: key)
        let wrapping = AESWrapping(
            hash: .sha256, keySize: 32, identifier: DERTag.sequence.element(ContentCipher.aes(32, 5)), ukm: nil)
        let kek = try wrapping.kek(from: secret)
        let wrapped = try AESKeyWrap.wrap(contentKey, with: kek)
        let originator = DERTag.context1.element(
            DERTag.sequence.element(PublicKeyInfo.ecPublicKey)
                + DERTag.bitString.element([0] + own.publicKey.point))
        let keys = DERTag.sequence.element(
            DERTag.sequence.element(issuerAndNumber + DERTag.octetString.element(wrapped)))
        let algorithm = DERTag.sequence.element(AESWrapping.stdDHSHA256 + wrapping.identifier)
        return DERTag.context1.element(
            DERTag.integer.element([3]) + DERTag.context0.element(originator) + algorithm + keys)
    }
}

extension SubjectPublicKeyInfo {
    /// A key that was made for one message, named as OpenSSL's gost engine names it.
    fileprivate func ephemeral(_ key: borrowing PrivateKey) throws(GOSTError) -> SubjectPublicKeyInfo {
        try SubjectPublicKeyInfo(algorithm: algorithm.algorithm, key: key.publicKey()).namingDigest
    }
}

extension RandomSource {
    fileprivate func ukm(_ count: Int) throws(GOSTError) -> [UInt8] {
        do { return try bytes(count) } catch { throw .randomUnavailable }
    }
}

extension Certificate {
    /// The first byte of the uses that it names for its key (RFC 5280, 4.2.1.3); nil if it names none.
    fileprivate var keyUsage: UInt8? {
        get throws(GOSTError) {
            guard let (_, value) = try extensionValue([0x06, 3, 0x55, 0x1D, 0x0F]) else { return nil }
            var reader = DERReader(value.span)
            let bits = try reader.contents(.bitString)
            return bits.count > 1 ? bits[1] : 0
        }
    }
}
