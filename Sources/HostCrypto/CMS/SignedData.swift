// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A signed message as received (CMS SignedData, RFC 5652, 5), in DER.
package struct SignedData: Sendable {
    /// A signer, and the signed attributes.
    package struct Signer: Sendable {
        /// The issuer's Name and the INTEGER of the signer's certificate, in DER.
        package let issuer, serialNumber: [UInt8]
        /// The hash function of the content.
        package let digest: DigestAlgorithm
        /// The content's, an object identifier in DER.
        let contentType: [UInt8]
        /// The attributes that are signed in the content's place, a SET OF in DER; nil if the content itself is.
        let signedAttributes: [UInt8]?
        let signature: [UInt8]
        /// The object identifier of the signature's algorithm, in DER; empty for one that cannot be read.
        let algorithm: [UInt8]
        /// See ``MessageOrder``.
        let isInOrder: Bool
    }

    /// nil if the content is detached.
    package let content: [UInt8]?
    /// The certificates that came with the message, in DER.
    package let certificates: [[UInt8]]
    package let signers: [Signer]
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
    /// - Parameter der: The whole of the message, and nothing behind it.
    /// - Throws: ``HostCryptoError/invalidEncoding``, for BER that is not DER too; ``HostCryptoError/invalidParameter``
    ///   for something that is not SignedData, a hash function that is not known here, a signer that is named by the
    ///   identifier of a key, and more than ``signerLimit`` signers or ``certificateLimit`` certificates.
    package init(der: Span<UInt8>) throws(HostCryptoError) {
        do throws(GOSTError) { try self.init(reading: der) } catch { throw HostCryptoError(error) }
    }

    private init(reading der: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(der)
        var contentInfo = DERReader(try reader.contents(.sequence))
        try reader.end()
        guard try contentInfo.objectIdentifier() == CMS.signedData else { throw .invalidParameter }
        var explicit = DERReader(try contentInfo.contents(.context0))
        try contentInfo.end()
        var signedData = DERReader(try explicit.contents(.sequence))
        try explicit.end()

        let version = [UInt8](copying: try signedData.contents(.integer))
        var algorithms = DERReader(try signedData.contents(.set))
        let contentType: [UInt8]
        (contentType, content) = try Self.content(&signedData)
        certificates = try Self.certificates(&signedData)
        if signedData.isAt(.context1) { _ = try signedData.contents(.context1) }
        var set = DERReader(try signedData.contents(.set))
        try signedData.end()
        var signers: [Signer] = []
        while !set.isAtEnd {
            guard signers.count < Self.signerLimit else { throw .invalidParameter }
            signers.append(try Signer(&set, of: contentType))
        }
        self.signers = signers
        var announced: [[UInt8]] = []
        while let identifier = try? algorithms.element(.sequence) { announced.append([UInt8](copying: identifier)) }
        let isComplete = algorithms.isAtEnd
        let holds = try? MessageOrder.holds(
            version: version, contentType: contentType, announced: announced, signers)
        isInOrder = isComplete && holds == true
    }

    private static func content(
        _ reader: inout DERReader
    ) throws(GOSTError) -> (type: [UInt8], bytes: [UInt8]?) {
        var content = DERReader(try reader.contents(.sequence))
        let type = try content.objectIdentifier()
        guard !content.isAtEnd else { return (type, nil) }
        var explicit = DERReader(try content.contents(.context0))
        try content.end()
        let bytes = [UInt8](copying: try explicit.contents(.octetString))
        try explicit.end()
        return (type, bytes)
    }

    private static func certificates(_ reader: inout DERReader) throws(GOSTError) -> [[UInt8]] {
        guard reader.isAt(.context0) else { return [] }
        var set = DERReader(try reader.contents(.context0))
        var certificates: [[UInt8]] = []
        while !set.isAtEnd {
            guard certificates.count < certificateLimit else { throw .invalidParameter }
            certificates.append([UInt8](copying: try set.element(.sequence)))
        }
        return certificates
    }
}

extension SignedData.Signer {
    /// Reads a SignerInfo.
    fileprivate init(_ reader: inout DERReader, of contentType: [UInt8]) throws(GOSTError) {
        self.contentType = contentType
        var info = DERReader(try reader.contents(.sequence))
        let version = [UInt8](copying: try info.contents(.integer))
        guard info.isAt(.sequence) else { throw .invalidParameter }
        var identifier = DERReader(try info.contents(.sequence))
        issuer = [UInt8](copying: try identifier.element(.sequence))
        serialNumber = [UInt8](copying: try identifier.element(.integer))
        try identifier.end()

        let hash = [UInt8](copying: try info.element(.sequence))
        var hashReader = DERReader(hash.span)
        var algorithm = DERReader(try hashReader.contents(.sequence))
        let oid = try algorithm.objectIdentifier()
        guard let digest = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else { throw .invalidParameter }
        self.digest = digest
        signedAttributes =
            info.isAt(.context0) ? DERTag.set.element([UInt8](copying: try info.contents(.context0))) : nil
        let signatureAlgorithm = [UInt8](copying: try info.element(.sequence))
        self.algorithm = ((try? MessageOrder.oid(of: signatureAlgorithm)) ?? nil) ?? []
        isInOrder =
            (try? MessageOrder.holds(version: version, hash: hash, signature: signatureAlgorithm, digest)) == true
        signature = [UInt8](copying: try info.contents(.octetString))
        if info.isAt(.context1) { _ = try info.contents(.context1) }
        try info.end()
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
    func names(_ key: PublicKeyInfo) -> Bool {
        if let algorithm = SignatureAlgorithm(oid: algorithm) { return algorithm.isUsed(with: key) }
        return switch key {
        case .rsa: algorithm == PublicKeyInfo.rsaEncryption
        case .gost(let info): algorithm == info.algorithm.algorithm.oid
        case .ec: false
        }
    }

    var hasSignedAttributes: Bool { signedAttributes != nil }

    /// When the signer says to have signed, in seconds since 1970; nil without such an attribute.
    package var signingTime: Int? { value(of: CMS.signingTime).flatMap(CalendarTime.seconds) }

    /// Whether the signed attributes are those of another content.
    func isOfOtherContent(than contentDigest: [UInt8]) -> Bool {
        guard let signed = value(of: CMS.messageDigest) else { return false }
        return signed != DERTag.octetString.element(contentDigest)
    }

    /// The digest of the signed input: the content's, or that of the attributes in its place.
    ///
    /// - Returns: nil if the attributes belong to other content, or are missing though the content is not plain data
    ///   (RFC 5652, 5.3).
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func signedDigest(contentDigest: [UInt8]) throws(HostCryptoError) -> [UInt8]? {
        guard let signedAttributes else { return contentType == CMS.data ? contentDigest : nil }
        guard value(of: CMS.messageDigest) == DERTag.octetString.element(contentDigest),
            value(of: CMS.contentType) == contentType
        else { return nil }
        return try Digest.digest(signedAttributes.span, digest)
    }

    /// Whether the signature is of ``signedDigest(contentDigest:)``, by a key.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSignature(of digest: [UInt8], with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        try key.isValidSignature(signature, of: digest, self.digest)
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
