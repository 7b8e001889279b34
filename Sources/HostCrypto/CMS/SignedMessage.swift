// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A message with one signer (CMS SignedData, RFC 5652, 5; CAdES-BES, RFC 5126, 4.3.1), to be signed by the holder of
/// the private key: of GOST, RSA or ECDSA, on a token or not.
package struct SignedMessage: Sendable {
    /// The signed attributes, a SET OF in DER: the input of the signature (RFC 5652, 5.4).
    package let signedAttributes: [UInt8]
    private let algorithm: SignatureAlgorithm
    private let signer: [UInt8]
    private let certificates: [[UInt8]]

    /// Puts the signed attributes together: the content's type and digest, the time, the signer's certificate, and the
    /// ciphers that a signer with GOST supports.
    ///
    /// - Parameters:
    ///   - contentDigest: The digest of the content by the algorithm's hash function.
    ///   - certificate: The signer's, in DER. Bytes behind a certificate are ignored and do not go with the message.
    ///   - others: Further certificates to go with it, in DER.
    ///   - signingTime: In seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidLength`` for the digest; ``HostCryptoError/invalidEncoding`` for a
    ///   certificate; ``HostCryptoError/invalidParameter`` for a time before 1950 or after 9999;
    ///   ``HostCryptoError/libraryFailure``.
    package init(
        contentDigest: [UInt8], certificate: [UInt8], others: [[UInt8]], algorithm: SignatureAlgorithm,
        signingTime: Int
    ) throws(HostCryptoError) {
        guard contentDigest.count == algorithm.digest.size else { throw .invalidLength }
        let fields = try Certificate(der: certificate.span)
        var certificates = [fields.der]
        for other in others {
            let further = try Certificate(der: other.span).der
            if !certificates.contains(further) { certificates.append(further) }
        }
        var attributes = [
            Self.attribute(CMS.contentType, CMS.data),
            Self.attribute(CMS.messageDigest, DERTag.octetString.element(contentDigest)),
            Self.attribute(CMS.signingTime, try CalendarTime(secondsSince1970: signingTime).der),
            Self.attribute(CMS.signingCertificateV2, try SigningCertificate.value(for: fields, algorithm)),
        ]
        if case .gost = algorithm {
            attributes.append(Self.attribute(CMS.capabilities, DERTag.sequence.element(CMS.gostCapabilities)))
        }
        // The members of a SET OF are sorted by their bytes (X.690, 11.6).
        let sorted = attributes.sorted { $0.lexicographicallyPrecedes($1) }
        signedAttributes = DERTag.set.element(Array(sorted.joined()))
        signer = DERTag.sequence.element(fields.issuer + fields.serialNumber)
        self.algorithm = algorithm
        self.certificates = certificates
    }

    private static func attribute(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DERTag.sequence.element(type + DERTag.set.element(value))
    }

    /// The whole message in DER.
    ///
    /// - Parameters:
    ///   - signature: Of ``signedAttributes``, as PKCS #11 has it.
    ///   - content: nil if the content is detached.
    /// - Throws: ``HostCryptoError/invalidParameter`` for an algorithm that has no identifier here.
    package func der(signature: [UInt8], content: [UInt8]?) throws(HostCryptoError) -> [UInt8] {
        let (head, tail) = try ends(signature: signature, contentCount: content?.count)
        return head + (content ?? []) + tail
    }

    /// The parts of the message before and after the content, for content that is too long to be kept. The part before
    /// it depends on lengths alone.
    ///
    /// - Parameters:
    ///   - signature: Of ``signedAttributes``, as PKCS #11 has it.
    ///   - contentCount: The bytes of the content; nil if it is detached.
    /// - Throws: ``HostCryptoError/invalidLength`` for a content of 4 GiB or more, whose length has more bytes than
    ///   readers take; ``HostCryptoError/invalidParameter`` as ``der(signature:content:)`` does.
    package func ends(
        signature: [UInt8], contentCount: Int?
    ) throws(HostCryptoError) -> (head: [UInt8], tail: [UInt8]) {
        let count = contentCount ?? 0
        guard (0..<1 << 32).contains(count) else { throw .invalidLength }
        let tail = try tail(signature)
        let bytes =
            contentCount == nil ? [] : DERTag.context0.beginning(DERTag.octetString.header(count: count), rest: count)
        let content = DERTag.sequence.beginning(CMS.data + bytes, rest: count)
        let rest = count + tail.count
        let signedData = DERTag.sequence.beginning(beginning + content, rest: rest)
        let explicit = DERTag.context0.beginning(signedData, rest: rest)
        return (DERTag.sequence.beginning(CMS.signedData + explicit, rest: rest), tail)
    }

    /// The parts of the message before and after the content, for content whose length is unknown before its end: BER
    /// of indefinite length (X.690, 8.1.3.6), which programs for CMS read, too. Each piece of the content has
    /// ``pieceHeader(count:)`` before it. The part before the content depends on the algorithm alone.
    ///
    /// - Parameter signature: Of ``signedAttributes``, as PKCS #11 has it.
    /// - Throws: As ``der(signature:content:)`` does.
    package func endsOfPieces(signature: [UInt8]) throws(HostCryptoError) -> (head: [UInt8], tail: [UInt8]) {
        let (sequence, explicit, end): ([UInt8], [UInt8], [UInt8]) = ([0x30, 0x80], [0xA0, 0x80], [0, 0])
        let content = sequence + CMS.data + explicit + [0x24, 0x80]
        let head = sequence + CMS.signedData + explicit + sequence + beginning + content
        return (head, end + end + end + (try tail(signature)) + end + end + end)
    }

    /// The header of a piece of content in pieces.
    package static func pieceHeader(count: Int) -> [UInt8] { DERTag.octetString.header(count: count) }

    /// The beginning of the SignedData: the version and the hash function.
    private var beginning: [UInt8] {
        DERTag.integer.element([1]) + DERTag.set.element(algorithm.digest.identifier)
    }

    /// The part after the content: certificates and the SignerInfo.
    private func tail(_ signature: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        let version = DERTag.integer.element([1])
        let attributes = [DERTag.context0.rawValue] + signedAttributes.dropFirst()
        let signerInfo = DERTag.sequence.element(
            version + signer + algorithm.digest.identifier + attributes + (try algorithm.signerInfoIdentifier())
                + DERTag.octetString.element(algorithm.encoded(signature)))
        let sorted = certificates.sorted { $0.lexicographicallyPrecedes($1) }
        return DERTag.context0.element(Array(sorted.joined())) + DERTag.set.element(signerInfo)
    }
}

extension DERTag {
    /// The beginning of an element whose contents are these bytes and as many more.
    fileprivate func beginning(_ bytes: [UInt8], rest: Int) -> [UInt8] {
        header(count: bytes.count + rest) + bytes
    }
}

/// The object identifiers of CMS in DER, tag and length included (RFC 5652, 11; RFC 8551, 2.5.2; RFC 5035, 3, 5).
enum CMS {
    static let data = pkcs([7, 1])
    static let signedData = pkcs([7, 2])
    static let contentType = pkcs([9, 3])
    static let messageDigest = pkcs([9, 4])
    static let signingTime = pkcs([9, 5])
    static let capabilities = pkcs([9, 15])
    static let signingCertificate = pkcs([9, 16, 2, 12])
    static let signingCertificateV2 = pkcs([9, 16, 2, 47])

    /// The ciphers that readers of GOST signatures support: GOST 28147-89.
    static let gostCapabilities = DERTag.sequence.element(
        DERTag.objectIdentifier.element([0x2A, 0x85, 0x03, 0x02, 0x02, 0x15]))

    /// 1.2.840.113549.1 and these arcs.
    private static func pkcs(_ arcs: [UInt8]) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs)
    }
}

extension SignatureAlgorithm {
    /// The algorithm identifier of a signature in CMS: the key's algorithm, and for ECDSA the signature's (RFC 4490, 3;
    /// RFC 3370, 3.2; RFC 5753, 2.1.1).
    func signerInfoIdentifier() throws(HostCryptoError) -> [UInt8] {
        switch self {
        case .gost(let algorithm): DERTag.sequence.element(algorithm.oid + DERTag.null.element([]))
        case .rsa: DERTag.sequence.element(PublicKeyInfo.rsaEncryption + DERTag.null.element([]))
        case .ecdsa: try der()
        }
    }
}
