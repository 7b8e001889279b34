// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The parts of a message that no signature covers: versions, and the names of algorithms. In a message in order they
/// are as RFC 5652 requires, and match the signed parts.
struct MessageOrder {
    /// An AlgorithmIdentifier without parameters, or with NULL as parameters.
    ///
    /// - Returns: The object identifier in DER; nil for an identifier with other parameters.
    static func oid(of identifier: [UInt8]) throws(GOSTError) -> [UInt8]? {
        var reader = DERReader(identifier.span, .ber)
        var fields = try reader.nested(.sequence)
        let oid = try fields.objectIdentifier()
        guard !fields.isAtEnd else { return oid }
        guard fields.isAt(.null) else { return nil }
        guard try fields.contents(.null).isEmpty, fields.isAtEnd else { return nil }
        return oid
    }

    /// CertificateChoices that are no certificates: PKCS #6, attribute certificates of version 1 and 2, and others.
    static let otherCertificates: [DERTag] = [.context0, .context1, .context2, .context3]

    /// The least version of a SignedData with these CertificateChoices and RevocationInfoChoices (RFC 5652, 5.1).
    static func version(otherCertificates: Set<DERTag>, revocationInfo: [[UInt8]]) -> UInt8 {
        // OtherRevocationInfoFormat.
        let hasOtherInfo = revocationInfo.contains { $0.first == DERTag.context1.rawValue }
        if hasOtherInfo || otherCertificates.contains(.context3) { return 5 }
        if otherCertificates.contains(.context2) { return 4 }
        return otherCertificates.contains(.context1) ? 3 : 1
    }

    /// Whether a SignedData's version fits its content, and it announces each hash function of its signers, and no
    /// other except its countersigners' (RFC 5652, 5.1), which programs announce or not.
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - least: The least version by what else the message has.
    ///   - announced: The AlgorithmIdentifiers, in DER.
    static func holds(
        version: [UInt8], least: UInt8, contentType: [UInt8], announced: [[UInt8]], _ signers: [SignedData.Signer]
    ) throws(GOSTError) -> Bool {
        let isOfVersion3 = contentType != CMS.data || signers.contains { $0.identifier.version == 3 }
        guard version == [max(least, isOfVersion3 ? 3 : 1)], signers.allSatisfy(\.isInOrder) else { return false }
        var names: [[UInt8]] = []
        for identifier in announced {
            guard let name = try oid(of: identifier) else { return false }
            names.append(name)
        }
        let own = Set(signers.map(\.digest.oid))
        let others = try signers.map { signer throws(GOSTError) in try signer.countersigners().map(\.digest.oid) }
        return own.isSubset(of: names) && own.union(others.joined()).isSuperset(of: names)
    }

    /// Whether a SignerInfo's version goes with the name of its signer, and its signature is by an algorithm that fits the
    /// hash function (RFC 5652, 5.3).
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - hash: The AlgorithmIdentifier in DER.
    static func holds(
        version: [UInt8], _ signer: SignerIdentifier, hash: [UInt8], _ algorithm: SignerAlgorithm,
        _ digest: DigestAlgorithm
    ) throws(GOSTError) -> Bool {
        guard version == [signer.version], try oid(of: hash) == digest.oid else { return false }
        return algorithm.isUsed(with: digest)
    }
}
