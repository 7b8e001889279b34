// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// One signer's part of a message (CMS SignedData, RFC 5652, 5; CAdES-BES, RFC 5126, 4.3.1), to be signed by the holder of
/// the private key: of GOST, RSA or ECDSA, on a token or not.
package struct SignedMessage: Sendable {
    /// The signed attributes, a SET OF in DER: the input of the signature (RFC 5652, 5.4).
    package let signedAttributes: [UInt8]
    private let algorithm: SignatureAlgorithm
    private let signer: [UInt8]
    /// The signer's and those that go with it, in DER.
    let certificates: [[UInt8]]
    /// The time stamp of the signature, a ContentInfo, with which the message is CAdES-T (RFC 5126, 6.1.1); nil without.
    package var timeStamp: [UInt8]?

    /// The input that is signed.
    package enum Kind: Sendable {
        /// A content of this type, an object identifier in DER.
        case content([UInt8])
        /// The bytes of a PDF document, which has the time itself (PAdES: EN 319 142-1, 6.3).
        case document
        /// Another signer's signature.
        case countersignature
    }

    /// Puts the signed attributes together: the content's type and digest, the signer's certificate and, but for a document,
    /// the time and the ciphers that a signer with GOST supports.
    ///
    /// - Parameters:
    ///   - contentDigest: The digest of the content by the algorithm's hash function.
    ///   - certificate: The signer's, in DER. Bytes behind a certificate are ignored and do not go with the message.
    ///   - others: Further certificates to go with it, in DER.
    ///   - signingTime: In seconds since 1970.
    ///   - kind: The content's; a countersignature has none (RFC 5652, 11.4).
    /// - Throws: ``HostCryptoError/invalidLength`` for the digest; ``HostCryptoError/invalidEncoding`` for a
    ///   certificate; ``HostCryptoError/invalidParameter`` for a time before 1950 or after 9999;
    ///   ``HostCryptoError/libraryFailure``.
    package init(
        contentDigest: [UInt8], certificate: [UInt8], others: [[UInt8]], algorithm: SignatureAlgorithm,
        signingTime: Int, kind: Kind = .content(CMS.data)
    ) throws(HostCryptoError) {
        guard contentDigest.count == algorithm.digest.size else { throw .invalidLength }
        let fields = try Certificate(der: certificate.span)
        var certificates = [fields.der]
        for other in others {
            let further = try Certificate(der: other.span).der
            if !certificates.contains(further) { certificates.append(further) }
        }
        var attributes = [
            Self.attribute(CMS.messageDigest, DERTag.octetString.element(contentDigest)),
            Self.attribute(CMS.signingCertificateV2, try SigningCertificate.value(for: fields, algorithm)),
        ]
        switch kind {
        case .content(let type): attributes.append(Self.attribute(CMS.contentType, type))
        case .document: attributes.append(Self.attribute(CMS.contentType, CMS.data))
        case .countersignature: break
        }
        if case .document = kind {
        } else {
            let time = try CalendarTime(secondsSince1970: signingTime).der
            attributes.append(Self.attribute(CMS.signingTime, time))
            if case .gost = algorithm {
                attributes.append(Self.attribute(CMS.capabilities, DERTag.sequence.element(CMS.gostCapabilities)))
            }
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
        let (head, tail) = try SignedMessages([self]).ends(signatures: [signature], contentCount: content?.count)
        return head + (content ?? []) + tail
    }

    /// The header of a piece of content in pieces.
    package static func pieceHeader(count: Int) -> [UInt8] { DERTag.octetString.header(count: count) }

    /// The name of the hash function.
    var digestIdentifier: [UInt8] { algorithm.digest.identifier }

    /// The SignerInfo (RFC 5652, 5.3).
    ///
    /// - Parameter signature: Of ``signedAttributes``, as PKCS #11 has it.
    /// - Throws: ``HostCryptoError/invalidParameter`` for an algorithm that has no identifier here.
    package func signerInfo(_ signature: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        let version = DERTag.integer.element([1])
        let attributes = [DERTag.context0.rawValue] + signedAttributes.dropFirst()
        return DERTag.sequence.element(
            version + signer + digestIdentifier + attributes + (try algorithm.signerInfoIdentifier())
                + DERTag.octetString.element(algorithm.encoded(signature)) + unsignedAttributes)
    }

    /// The attributes that are not signed, [1]; empty without any.
    private var unsignedAttributes: [UInt8] {
        timeStamp.map { DERTag.context1.element(LongTermAttribute.signatureTimeStamp.der($0)) } ?? []
    }

    /// The signature as the message has it: the bytes that its time stamp is of.
    package func encoded(_ signature: [UInt8]) -> [UInt8] { algorithm.encoded(signature) }

    /// The hash function of the signature.
    package var digest: DigestAlgorithm {
        algorithm.digest
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
