// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension RecipientKey {
    /// The greatest number of recipients.
    static let limit = 1024

    /// Reads a SET OF RecipientInfo.
    ///
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for more than ``limit``.
    static func all(in set: [UInt8]) throws(GOSTError) -> [RecipientKey] {
        var reader = DERReader(set.span, .ber)
        var members = try reader.nested(.set)
        var keys: [RecipientKey] = []
        while !members.isAtEnd {
            if members.isAt(.sequence) {
                var info = try members.nested(.sequence)
                keys.append(try RecipientKey(transport: &info))
            } else if members.isAt(.context1) {
                var info = try members.nested(.context1)
                keys += try agreements(&info)
            } else {
                // A key that is known to both sides, a password, or something else (RFC 5652, 6.2.3 to 6.2.5).
                try members.skip()
                keys.append(RecipientKey(recipient: nil, way: .unknown))
            }
            guard keys.count <= limit else { throw .invalidParameter }
        }
        guard !keys.isEmpty else { throw .invalidEncoding }
        return keys
    }

    /// Reads a KeyTransRecipientInfo (RFC 5652, 6.2.1).
    private init(transport info: inout DERReader) throws(GOSTError) {
        _ = try info.contents(.integer)
        recipient = try SignerIdentifier(&info)
        var algorithm = try info.nested(.sequence)
        let oid = try algorithm.objectIdentifier()
        let encrypted = try info.bytes()
        try info.end()
        if oid == PublicKeyInfo.rsaEncryption {
            way = .rsa(encrypted, .pkcs1)
        } else if oid == OAEPParameters.oid {
            way = (try? OAEPParameters.scheme(&algorithm))?.map { .rsa(encrypted, $0) } ?? .unknown
        } else if let isMagma = KExportNames.isMagma(oid) {
            way = (try? Self.kexp15(encrypted, isMagma: isMagma)) ?? .unknown
        } else if PublicKeyAlgorithm(privateKey: oid) != nil {
            way = (try? Self.gost28147(encrypted)) ?? .unknown
        } else {
            way = .unknown
        }
    }

    /// GostR3410-KeyTransport (RFC 4490, 4.2).
    private static func gost28147(_ der: [UInt8]) throws(GOSTError) -> Way {
        let transport = try KeyTransport(der: der.span)
        guard let peer = transport.ephemeralKey else { throw .invalidParameter }
        return .gost28147(transport.wrapped, transport.sBox, .cryptoPro, .gost(peer))
    }

    /// The key of KExp15, the ephemeral public key, and UKM.
    private static func kexp15(_ der: [UInt8], isMagma: Bool) throws(GOSTError) -> Way {
        var reader = DERReader(der.span, .ber)
        var transport = try reader.nested(.sequence)
        try reader.end()
        let wrapped = try transport.bytes()
        let info = [UInt8](copying: try transport.element(.sequence))
        let ukm = try transport.bytes()
        try transport.end()
        guard ukm.count == KExport.ukmSize else { throw .invalidLength }
        return .kexp15(wrapped, isMagma: isMagma, ukm: ukm, .gost(try SubjectPublicKeyInfo(der: info.span)))
    }

    /// Reads a KeyAgreeRecipientInfo (RFC 5652, 6.2.2), which has a key for each of several recipients.
    private static func agreements(_ info: inout DERReader) throws(GOSTError) -> [RecipientKey] {
        _ = try info.contents(.integer)
        var originator = try info.nested(.context0)
        let peer = try Peer(originator: &originator)
        var ukm: [UInt8]?
        if info.isAt(.context1) {
            var explicit = try info.nested(.context1)
            ukm = try explicit.bytes()
            try explicit.end()
        }
        let algorithm = [UInt8](copying: try info.element(.sequence))
        var list = try info.nested(.sequence)
        try info.end()
        var keys: [RecipientKey] = []
        while !list.isAtEnd, keys.count <= limit {
            var key = try list.nested(.sequence)
            let recipient = try SignerIdentifier(agreeing: &key)
            let encrypted = try key.bytes()
            try key.end()
            let way = peer.flatMap { try? Self.way(encrypted, algorithm, ukm: ukm, $0) } ?? .unknown
            keys.append(RecipientKey(recipient: recipient, way: way))
        }
        return keys
    }

    private static func way(
        _ encrypted: [UInt8], _ identifier: [UInt8], ukm: [UInt8]?, _ peer: Peer
    ) throws(GOSTError) -> Way {
        var reader = DERReader(identifier.span, .ber)
        var algorithm = try reader.nested(.sequence)
        let oid = try algorithm.objectIdentifier()
        if let isMagma = KExportNames.isMagma(oid) {
            guard let ukm, ukm.count == KExport.ukmSize else { throw .invalidLength }
            return .kexp15(encrypted, isMagma: isMagma, ukm: ukm, peer)
        }
        let wrapping = [UInt8](copying: try algorithm.element(.sequence))
        try algorithm.end()
        if let hash = AESWrapping.hash(of: oid) {
            var fields = DERReader(wrapping.span)
            var wrap = try fields.nested(.sequence)
            guard let size = AESWrapping.keySize(of: try wrap.objectIdentifier()) else { throw .invalidParameter }
            return .ecdh(encrypted, AESWrapping(hash: hash, keySize: size, identifier: wrapping, ukm: ukm), peer)
        }
        guard PublicKeyAlgorithm(privateKey: oid) != nil || oid == KeyWrapNames.agreement2001, let ukm else {
            throw .invalidParameter
        }
        return try gost28147(encrypted, wrapping, ukm: ukm, peer)
    }

    /// Gost28147-89-EncryptedKey under a Gost28147-89-KeyWrapParameters (RFC 4490, 4.1; RFC 4357, 9.1).
    private static func gost28147(
        _ encrypted: [UInt8], _ wrapping: [UInt8], ukm: [UInt8], _ peer: Peer
    ) throws(GOSTError) -> Way {
        var reader = DERReader(wrapping.span, .ber)
        var fields = try reader.nested(.sequence)
        guard let wrap = KeyWrapNames.wrap(try fields.objectIdentifier()) else { throw .invalidParameter }
        var parameters = try fields.nested(.sequence)
        let set = try parameters.objectIdentifier()
        guard let sBox = SBox.all.first(where: { $0.oid == set }) else { throw .invalidParameter }
        var keyReader = DERReader(encrypted.span, .ber)
        var key = try keyReader.nested(.sequence)
        let (bytes, code) = (try key.bytes(), try key.bytes())
        try key.end()
        guard ukm.count == 8, bytes.count == 32, code.count == 4 else { throw .invalidLength }
        return .gost28147(ukm + bytes + code, sBox, wrap, peer)
    }
}

extension RecipientKey.Peer {
    /// Reads an OriginatorIdentifierOrKey.
    ///
    /// - Returns: nil for a key that cannot be read.
    fileprivate init?(originator reader: inout DERReader) throws(GOSTError) {
        guard reader.isAt(.context1) else {
            self = .certificate(try SignerIdentifier(&reader))
            return
        }
        // The tag replaces the SEQUENCE's.
        let info = DERTag.sequence.element([UInt8](copying: try reader.contents(.context1)))
        if let key = try? SubjectPublicKeyInfo(der: info.span) {
            self = .gost(key)
            return
        }
        // RFC 5753, 3.1.1: the curve is the recipient's, whether it is named or not.
        var infoReader = DERReader(info.span, .ber)
        var fields = try infoReader.nested(.sequence)
        var algorithm = try fields.nested(.sequence)
        let bits = try fields.bytes(.bitString)
        guard try algorithm.objectIdentifier() == PublicKeyInfo.ecPublicKey, bits.first == 0 else { return nil }
        self = .point(Array(bits.dropFirst()))
    }
}

extension SignerIdentifier {
    /// Reads a KeyAgreeRecipientIdentifier.
    fileprivate init(agreeing reader: inout DERReader) throws(GOSTError) {
        guard reader.isAt(.context0) else {
            try self.init(&reader)
            return
        }
        var identifier = try reader.nested(.context0)
        self = .keyIdentifier(try identifier.bytes())
    }
}

/// id-gostr3412-2015-magma-wrap-kexp15 and its like of Kuznyechik, and the agreements that go with them
/// (R 1323565.1.025-2019).
enum KExportNames {
    static func oid(isMagma: Bool) -> [UInt8] { ContentCipher.tc26([7, isMagma ? 1 : 2, 1]) }

    static func isMagma(_ oid: [UInt8]) -> Bool? { [true, false].first { oid == self.oid(isMagma: $0) } }

    /// id-tc26-agreement-gost-3410-12-256 and -512.
    static func agreement(_ curve: Curve) -> [UInt8] { ContentCipher.tc26([6, curve.coordinateSize == 64 ? 2 : 1]) }
}

/// How keys are wrapped with GOST 28147-89 (RFC 4357, 9.1 and 6).
private enum KeyWrapNames {
    /// id-GostR3410-2001-CryptoPro-ESDH (RFC 4490, 4.1.1).
    static let agreement2001: [UInt8] = [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x60]

    /// id-Gost28147-89-None-KeyWrap and -CryptoPro-KeyWrap.
    static func wrap(_ oid: [UInt8]) -> GOST28147KeyWrap? {
        switch oid {
        case [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x0D, 0x00]: .gost
        case [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x0D, 0x01]: .cryptoPro
        default: nil
        }
    }
}

/// RSAES-OAEP-params (RFC 4055, 4.1).
enum OAEPParameters {
    /// id-RSAES-OAEP.
    static let oid: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x07]
    /// id-pSpecified.
    private static let specified: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x09]

    /// - Returns: nil for a hash function, or another function, that is not known here.
    static func scheme(_ fields: inout DERReader) throws(GOSTError) -> RSAEncryptionScheme? {
        var parameters = try fields.nested(.sequence)
        try fields.end()
        guard let (hash, mask) = try? MaskedHash.read(&parameters) else { return nil }
        var label: [UInt8] = []
        if parameters.isAt(.context2) {
            var explicit = try parameters.nested(.context2)
            var source = try explicit.nested(.sequence)
            guard try source.objectIdentifier() == specified else { return nil }
            label = try source.bytes()
        }
        try parameters.end()
        return .oaep(hash: hash, mask: mask, label: label)
    }

    /// The AlgorithmIdentifier with a hash function, by which the mask is too.
    static func identifier(_ hash: DigestAlgorithm) -> [UInt8] {
        let function = DERTag.sequence.element(MaskedHash.mgf1 + hash.identifier)
        return DERTag.sequence.element(
            oid
                + DERTag.sequence.element(
                    DERTag.context0.element(hash.identifier) + DERTag.context1.element(function)))
    }
}
