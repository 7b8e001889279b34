// SPDX-License-Identifier: Apache-2.0
import GOST

/// The parts of a message that no signature covers: versions, and the names of algorithms. In a message in order they
/// are as RFC 5652 requires, and match the signed parts.
struct MessageOrder {
    /// An AlgorithmIdentifier in DER without parameters, or with NULL as parameters.
    ///
    /// - Returns: The object identifier; nil for one that has others.
    static func oid(of identifier: [UInt8]) throws(GOSTError) -> [UInt8]? {
        var reader = DERReader(identifier.span)
        var fields = DERReader(try reader.contents(.sequence))
        let oid = try fields.objectIdentifier()
        guard !fields.isAtEnd else { return oid }
        guard fields.isAt(.null) else { return nil }
        guard try fields.contents(.null).isEmpty, fields.isAtEnd else { return nil }
        return oid
    }

    /// Whether a SignedData's version is that of its content, and it announces each hash function of its signers, and no
    /// other (RFC 5652, 5.1).
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - announced: The AlgorithmIdentifiers, in DER.
    static func holds(
        version: [UInt8], contentType: [UInt8], announced: [[UInt8]], _ signers: [SignedData.Signer]
    ) throws(GOSTError) -> Bool {
        guard version == [contentType == CMS.data ? 1 : 3], signers.allSatisfy(\.isInOrder) else { return false }
        var names: [[UInt8]] = []
        for identifier in announced {
            guard let name = try oid(of: identifier) else { return false }
            names.append(name)
        }
        return Set(names) == Set(signers.map(\.digest.oid))
    }

    /// Whether a SignerInfo's version is that of a signer who is named by issuer and number, and its signature is by an
    /// algorithm that fits the hash function (RFC 5652, 5.3).
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - hash, signature: The AlgorithmIdentifiers, in DER.
    static func holds(
        version: [UInt8], hash: [UInt8], signature: [UInt8], _ digest: DigestAlgorithm
    ) throws(GOSTError) -> Bool {
        guard version == [1], try oid(of: hash) == digest.oid, let name = try oid(of: signature) else { return false }
        if let algorithm = SignatureAlgorithm(oid: name) { return algorithm.digest == digest }
        // The key's algorithm alone is allowed as well, without the hash function (RFC 3370, 3.2; RFC 4490, 3.2).
        if name == PublicKeyInfo.rsaEncryption { return true }
        return PublicKeyAlgorithm.allCases.contains { $0.oid == name && SignatureAlgorithm.gost($0).digest == digest }
    }
}
