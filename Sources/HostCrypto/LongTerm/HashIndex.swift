// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The index of an archive time stamp: the hashes of all that the stamp covers beside the signature. It is an unsigned attribute
/// of the stamp, ats-hash-index-v3 (EN 319 122-1, 5.5.2) or the former ats-hash-index (TS 101 733, 6.4.2).
struct HashIndex: Sendable {
    /// The value of the attribute, as the stamp has it.
    let bytes: [UInt8]
    let digest: DigestAlgorithm
    let certificates, lists, attributes: Set<[UInt8]>
    /// Whether each value of an attribute has a hash, with the type before it, or else each attribute.
    let isOfValues: Bool

    /// The greatest number of hashes of a kind.
    private static let limit = 4096

    /// - Throws: ``TimeStampFault/malformed`` for a stamp with more than one index, without one, or whose index cannot
    ///   be read; ``TimeStampFault/weakAlgorithm`` for a hash function that is not known here.
    init(of token: TimeStampToken) throws(TimeStampFault) {
        let values: [[UInt8]], former: [[UInt8]]
        do throws(GOSTError) {
            values = try token.unsignedValues(of: ETSI.hashIndexV3)
            former = try token.unsignedValues(of: ETSI.hashIndex)
        } catch { throw .malformed }
        guard let value = (values + former).first, values.count + former.count == 1 else { throw .malformed }
        let fields: Fields
        do throws(GOSTError) { fields = try Fields(value) } catch { throw .malformed }
        guard let digest = fields.algorithm.map(DigestAlgorithm.init(oid:)) ?? .sha256 else { throw .weakAlgorithm }
        (bytes, self.digest, isOfValues) = (value, digest, former.isEmpty)
        (certificates, lists, attributes) = (fields.certificates, fields.lists, fields.attributes)
    }

    private struct Fields {
        /// The object identifier in DER; nil for the default, SHA-256.
        let algorithm: [UInt8]?
        let certificates, lists, attributes: Set<[UInt8]>

        init(_ value: [UInt8]) throws(GOSTError) {
            var reader = DERReader(value.span, .ber)
            var fields = try reader.nested(.sequence)
            try reader.end()
            var rest = fields
            var first = try rest.nested(.sequence)
            if first.isAt(.objectIdentifier) {
                algorithm = try first.objectIdentifier()
                fields = rest
            } else {
                algorithm = nil
            }
            certificates = try Self.hashes(&fields)
            lists = try Self.hashes(&fields)
            attributes = try Self.hashes(&fields)
            try fields.end()
        }

        private static func hashes(_ fields: inout DERReader) throws(GOSTError) -> Set<[UInt8]> {
            var list = try fields.nested(.sequence)
            var hashes: Set<[UInt8]> = []
            var count = 0
            while !list.isAtEnd {
                guard count < limit else { throw .invalidParameter }
                hashes.insert(try list.bytes())
                count += 1
            }
            return hashes
        }
    }
}

/// Object identifiers of ETSI in DER, tag and length included.
enum ETSI {
    /// 0.4.0.1733.2.4
    static let archiveTimeStamp = DERTag.objectIdentifier.element([0x04, 0x00, 0x8D, 0x45, 0x02, 0x04])
    /// 0.4.0.1733.2.5
    static let hashIndex = DERTag.objectIdentifier.element([0x04, 0x00, 0x8D, 0x45, 0x02, 0x05])
    /// 0.4.0.19122.1.5
    static let hashIndexV3 = DERTag.objectIdentifier.element([0x04, 0x00, 0x81, 0x95, 0x32, 0x01, 0x05])
}
