// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A signed message as received (CMS SignedData, RFC 5652, 5), in DER.
package struct SignedData: Sendable {
    /// A signer, and the signed attributes.
    package struct Signer: Sendable {
        /// The name of the signer's certificate.
        package let identifier: SignerIdentifier
        /// The hash function of the content.
        package let digest: DigestAlgorithm
        /// The content's, an object identifier in DER; nil for a countersignature, whose content has none.
        let contentType: [UInt8]?
        /// The attributes that are signed in the content's place, a SET OF in DER; nil if the content itself is.
        package let signedAttributes: [UInt8]?
        package let signature: [UInt8]
        /// The attributes that are not signed, each in BER.
        let unsignedAttributes: [[UInt8]]
        /// The AlgorithmIdentifier of the signature.
        let algorithm: SignerAlgorithm
        /// See ``MessageOrder``.
        let isInOrder: Bool
        /// All fields from the version to the signature, as the message has them.
        let fields: [UInt8]
    }

    /// nil if the content is detached.
    package let content: [UInt8]?
    /// The certificates that came with the message, in DER.
    package let certificates: [[UInt8]]
    /// The lists of revoked certificates and other statements that came with the message, each a RevocationInfoChoice in BER.
    package let revocationInfo: [[UInt8]]
    package let signers: [Signer]
    /// The content's type, an object identifier in DER.
    package let contentType: [UInt8]
    /// Whether also what no signature covers, versions and names of algorithms, is as RFC 5652 wants it. Programs are
    /// known to be careless with it.
    package let isInOrder: Bool

    /// Whether each of the certificates that came with the message can be read.
    package var hasReadableCertificates: Bool {
        certificates.allSatisfy { der in
            guard let certificate = try? Certificate(der: der.span) else { return false }
            return certificate.isReadable
        }
    }

    /// The greatest numbers of signers and of certificates.
    package static let (signerLimit, certificateLimit) = (256, 4096)

    /// Reads a message.
    ///
    /// - Parameter message: The whole of the message in BER, which DER is a part of. White space may follow.
    /// - Throws: ``HostCryptoError/invalidEncoding``, also for signed attributes and certificates that are not DER;
    ///   ``HostCryptoError/invalidParameter`` for something that is not SignedData, a hash function that is not known
    ///   here, and more than ``signerLimit`` signers or ``certificateLimit`` certificates.
    package init(ber message: Span<UInt8>) throws(HostCryptoError) {
        var reader = SignedDataReader()
        let content = try reader.read([UInt8](copying: message)).flatMap { $0 }
        self = try reader.finish(content: reader.hasContent == true ? content : nil)
    }

    /// Reads what follows the content.
    init(
        version: [UInt8], announced: [[UInt8]], contentType: [UInt8], content: [UInt8]?, behind reader: inout DERReader
    ) throws(GOSTError) {
        (self.content, self.contentType) = (content, contentType)
        let otherKinds: Set<DERTag>
        (certificates, otherKinds) = try Self.certificates(&reader)
        if reader.isAt(.context1) {
            var set = try reader.nested(.context1)
            revocationInfo = try set.elements(limit: Self.certificateLimit)
        } else {
            revocationInfo = []
        }
        var set = try reader.nested(.set)
        var signers: [Signer] = []
        while !set.isAtEnd {
            guard signers.count < Self.signerLimit else { throw .invalidParameter }
            signers.append(try Signer(&set, of: contentType))
        }
        self.signers = signers
        let least = MessageOrder.version(otherCertificates: otherKinds, revocationInfo: revocationInfo)
        isInOrder =
            (try? MessageOrder.holds(
                version: version, least: least, contentType: contentType, announced: announced, signers)) == true
    }

    /// The certificates, and the kinds of other CertificateChoices (RFC 5652, 10.2.2): attribute certificates and others, which
    /// some time stamps have, and which count for nothing here.
    private static func certificates(
        _ reader: inout DERReader
    ) throws(GOSTError) -> ([[UInt8]], otherKinds: Set<DERTag>) {
        guard reader.isAt(.context0) else { return ([], []) }
        var set = try reader.nested(.context0)
        var certificates: [[UInt8]] = []
        var otherKinds: Set<DERTag> = []
        while !set.isAtEnd {
            guard certificates.count < certificateLimit else { throw .invalidParameter }
            if let other = MessageOrder.otherCertificates.first(where: { set.isAt($0) }) {
                try set.skip()
                otherKinds.insert(other)
            } else {
                certificates.append([UInt8](copying: try set.element(.sequence)))
            }
        }
        return (certificates, otherKinds)
    }
}

extension SignedData.Signer {
    /// Reads a SignerInfo.
    init(_ reader: inout DERReader, of contentType: [UInt8]?) throws(GOSTError) {
        self.contentType = contentType
        var info = try reader.nested(.sequence)
        var all = info
        let version = [UInt8](copying: try info.contents(.integer))
        identifier = try SignerIdentifier(&info)
        let hash = [UInt8](copying: try info.element(.sequence))
        var hashReader = DERReader(hash.span, .ber)
        var algorithm = try hashReader.nested(.sequence)
        let oid = try algorithm.objectIdentifier()
        guard let digest = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else { throw .invalidParameter }
        self.digest = digest
        signedAttributes = info.isAt(.context0) ? try Self.signedAttributes(&info) : nil
        let signatureAlgorithm = [UInt8](copying: try info.element(.sequence))
        self.algorithm = SignerAlgorithm(signatureAlgorithm)
        isInOrder =
            (try? MessageOrder.holds(version: version, identifier, hash: hash, self.algorithm, digest)) == true
        signature = try info.bytes()
        let rest = info.count
        fields = [UInt8](copying: all.remainder()).dropLast(rest)
        unsignedAttributes = info.isAt(.context1) ? try Self.unsignedAttributes(&info) : []
        try info.end()
    }

    private static func unsignedAttributes(_ info: inout DERReader) throws(GOSTError) -> [[UInt8]] {
        var set = try info.nested(.context1)
        var attributes: [[UInt8]] = []
        while !set.isAtEnd { attributes.append([UInt8](copying: try set.element(.sequence))) }
        return attributes
    }

    /// The values of the unsigned attributes of a type, each a SEQUENCE in BER, to a number.
    func unsignedValues(of type: [UInt8], limit: Int) throws(GOSTError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for attribute in unsignedAttributes {
            var reader = DERReader(attribute.span, .ber)
            var fields = try reader.nested(.sequence)
            guard try fields.objectIdentifier() == type else { continue }
            var values = try fields.nested(.set)
            while !values.isAtEnd, found.count < limit { found.append([UInt8](copying: try values.element(.sequence))) }
        }
        return found
    }

    /// The signed attributes as they are signed: a SET OF in DER (RFC 5652, 5.4).
    private static func signedAttributes(_ info: inout DERReader) throws(GOSTError) -> [UInt8] {
        let element = try info.element(.context0)
        var reader = DERReader(element)
        let contents = try reader.contents(.context0)
        return DERTag.set.element([UInt8](copying: contents))
    }

    /// Whether the signer has signed a content with a key; not whether the key is the signer's.
    ///
    /// - Parameter contentDigest: The content's digest by ``digest``.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func hasSigned(contentDigest: [UInt8], with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard let signed = try signedDigest(contentDigest: contentDigest) else { return false }
        return try isSignature(of: signed, with: key)
    }

    /// Whether the algorithm beside the signature is the key's.
    func names(_ key: PublicKeyInfo) -> Bool { algorithm.isUsed(with: key) }

    var hasSignedAttributes: Bool { signedAttributes != nil }

    /// The signing time that the signer claims, in seconds since 1970; nil without such an attribute.
    package var signingTime: Int? { value(of: CMS.signingTime).flatMap(CalendarTime.seconds) }

    /// Whether the signed attributes belong to different content.
    func isOfOtherContent(than contentDigest: [UInt8]) -> Bool {
        guard let signed = value(of: CMS.messageDigest) else { return false }
        return signed != DERTag.octetString.element(contentDigest)
    }

    /// The digest of the signed input: the content's, or the attributes' in its place.
    ///
    /// - Returns: nil if the attributes belong to other content, or are missing though the content is not plain data
    ///   (RFC 5652, 5.3).
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func signedDigest(contentDigest: [UInt8]) throws(HostCryptoError) -> [UInt8]? {
        guard let signedAttributes else { return [CMS.data, nil].contains(contentType) ? contentDigest : nil }
        guard value(of: CMS.messageDigest) == DERTag.octetString.element(contentDigest),
            (try? values(of: CMS.contentType)) == (contentType.map { [$0] } ?? [])
        else { return nil }
        return try Digest.digest(signedAttributes.span, digest)
    }

    /// Whether the signature is of ``signedDigest(contentDigest:)``, by a key.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSignature(of digest: [UInt8], with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        try key.isValidSignature(signature, of: digest, self.digest, pss: algorithm.pss)
    }

    /// The one value of a signed attribute in DER; nil if the attribute or the value is missing, or not the only one.
    private func value(of type: [UInt8]) -> [UInt8]? {
        guard let values = try? self.values(of: type), values.count == 1 else { return nil }
        return values.first
    }

    /// The values of each signed attribute of a type, in DER.
    ///
    /// - Throws: `GOSTError/invalidEncoding` if the attributes cannot be read.
    func values(of type: [UInt8]) throws(GOSTError) -> [[UInt8]] {
        guard let signedAttributes else { return [] }
        var reader = DERReader(signedAttributes.span)
        var set = DERReader(try reader.contents(.set))
        var found: [[UInt8]] = []
        while !set.isAtEnd {
            var attribute = DERReader(try set.contents(.sequence))
            guard try attribute.objectIdentifier() == type else { continue }
            found.append([UInt8](copying: try attribute.contents(.set)))
        }
        return found
    }
}
