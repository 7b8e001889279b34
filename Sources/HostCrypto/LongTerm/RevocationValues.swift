// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The lists and responses that ``RevocationReferences`` name: revocation-values (RFC 5126, 6.3.4).
package struct RevocationValues: Sendable, Equatable {
    /// CertificateList and BasicOCSPResponse, in DER.
    package let lists, responses: [[UInt8]]

    /// The greatest number of each that is read.
    private static let limit = 64

    /// The statements about the certificates of all paths.
    package init(_ paths: [PathEvidence]) {
        var (lists, responses): ([[UInt8]], [[UInt8]]) = ([], [])
        for link in paths.flatMap(\.links) {
            switch link.state {
            case .list(let der, asOf: _)?: lists.append(der)
            case .response(let der, signer: _, asOf: _)?: responses.append(der)
            case nil: continue
            }
        }
        (self.lists, self.responses) = (lists.eachOnce, responses.eachOnce)
    }

    /// - Parameter der: The value of the attribute. Values of other kinds are passed over.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for more than 64 lists or responses.
    package init(der: [UInt8]) throws(GOSTError) {
        var outer = DERReader(der.span, .ber)
        var fields = try outer.nested(.sequence)
        lists = try Self.members(&fields, .context0)
        responses = try Self.members(&fields, .context1)
        if fields.isAt(.context2) { _ = try fields.contents(.context2) }
        try fields.end()
    }

    private static func members(_ fields: inout DERReader, _ tag: DERTag) throws(GOSTError) -> [[UInt8]] {
        guard fields.isAt(tag) else { return [] }
        var explicit = try fields.nested(tag)
        var list = try explicit.nested(.sequence)
        try explicit.end()
        var members: [[UInt8]] = []
        while !list.isAtEnd {
            guard members.count < limit else { throw .invalidParameter }
            members.append([UInt8](copying: try list.element(.sequence)))
        }
        return members
    }

    /// The value of the attribute in DER.
    package var der: [UInt8] {
        func list(_ tag: DERTag, _ members: [[UInt8]]) -> [UInt8] {
            members.isEmpty ? [] : tag.element(DERTag.sequence.element(members.flatMap(\.self)))
        }
        return DERTag.sequence.element(list(.context0, lists) + list(.context1, responses))
    }
}
