// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The unsigned attributes of a signature that proves more than its signer's certificate does (RFC 5126, 6.2 and 6.3).
package enum LongTermAttribute: UInt8, CaseIterable, Sendable {
    case signatureTimeStamp = 14
    case certificateReferences = 21
    case revocationReferences = 22
    case certificateValues = 23
    case revocationValues = 24
    /// The time stamp over the signature and all references (CAdES-C-timestamp).
    case signatureAndReferencesTimeStamp = 25
    /// The time stamp over the references alone.
    case referencesTimeStamp = 26

    /// The attributes that X Long type 1 has beside the time stamp of the signature.
    package static let ofXLongType1: Set<LongTermAttribute> = [
        .certificateReferences, .revocationReferences, .certificateValues, .revocationValues,
        .signatureAndReferencesTimeStamp,
    ]

    /// The object identifier in DER.
    var oid: [UInt8] { CMS.attribute(rawValue) }

    /// The attribute in DER.
    package func der(_ value: [UInt8]) -> [UInt8] { DERTag.sequence.element(oid + DERTag.set.element(value)) }
}

extension SignedData.Signer {
    /// The attributes of this kind that the signer has.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package var longTermAttributes: Set<LongTermAttribute> {
        get throws(HostCryptoError) {
            do throws(GOSTError) {
                var found: Set<LongTermAttribute> = []
                for attribute in unsignedAttributes {
                    var reader = DERReader(attribute.span, .ber)
                    var fields = try reader.nested(.sequence)
                    let type = try fields.objectIdentifier()
                    if let known = LongTermAttribute.allCases.first(where: { $0.oid == type }) { found.insert(known) }
                }
                return found
            } catch {
                throw .invalidEncoding
            }
        }
    }

    /// The values of an unsigned attribute, each in BER, to a number.
    ///
    /// - Throws: ``GOSTError/invalidEncoding``.
    package func values(of attribute: LongTermAttribute, limit: Int) throws(GOSTError) -> [[UInt8]] {
        try unsignedValues(of: attribute.oid, limit: limit)
    }

    /// The one value of an unsigned attribute, in BER; nil without the attribute.
    ///
    /// - Throws: ``GOSTError/invalidEncoding``, also for an attribute with several values or that is there twice.
    package func value(of attribute: LongTermAttribute) throws(GOSTError) -> [UInt8]? {
        let values = try values(of: attribute, limit: 2)
        guard values.count <= 1 else { throw .invalidEncoding }
        return values.first
    }

    /// The bytes that a time stamp over references is of (RFC 5126, 6.3.5 and 6.3.6): the contents of the attributes of these
    /// types, and before them the signature, if the stamp is over that, too.
    ///
    /// - Parameters:
    ///   - attribute: ``LongTermAttribute/signatureAndReferencesTimeStamp`` or ``LongTermAttribute/referencesTimeStamp``.
    ///   - added: Attributes in DER that the signer is about to get.
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package func stampedBytes(
        by attribute: LongTermAttribute, adding added: [[UInt8]] = []
    ) throws(HostCryptoError) -> [UInt8] {
        do throws(GOSTError) { return try contents(under: attribute, added) } catch { throw .invalidEncoding }
    }

    private func contents(under attribute: LongTermAttribute, _ added: [[UInt8]]) throws(GOSTError) -> [UInt8] {
        let isOfSignature = attribute == .signatureAndReferencesTimeStamp
        let types: [LongTermAttribute] =
            (isOfSignature ? [.signatureTimeStamp] : []) + [.certificateReferences, .revocationReferences]
        var bytes = isOfSignature ? signature : []
        for type in types {
            for attribute in unsignedAttributes + added {
                var reader = DERReader(attribute.span, .ber)
                var fields = try reader.nested(.sequence)
                guard try fields.objectIdentifier() == type.oid else { continue }
                bytes += type.oid
                bytes += [UInt8](copying: try fields.element(.set))
            }
        }
        return bytes
    }
}
