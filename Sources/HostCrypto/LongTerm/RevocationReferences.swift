// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The names of the lists and responses by which a signer's certificate and the certificates of
/// ``CertificateReferences`` were found not revoked: complete-revocation-references (RFC 5126, 6.2.2).
package struct RevocationReferences: Sendable, Equatable {
    /// CrlOcspRef: the names for one certificate, of which the last one, which is trusted, needs none.
    private struct Entry: Sendable, Equatable {
        /// CrlValidatedID and OcspResponsesID, each in DER.
        var lists: [[UInt8]] = []
        var responses: [[UInt8]] = []

        var der: [UInt8] {
            func list(_ tag: DERTag, _ members: [[UInt8]]) -> [UInt8] {
                guard !members.isEmpty else { return [] }
                return tag.element(DERTag.sequence.element(DERTag.sequence.element(members.flatMap(\.self))))
            }
            return DERTag.sequence.element(list(.context0, lists) + list(.context1, responses))
        }
    }

    private let entries: [Entry]
    private let lists: [ReferenceHash]
    private let responses: [ReferenceHash]

    /// - Parameter states: Of the signer's certificate, then of each in ``CertificateReferences``, in their order; nil
    ///   for a certificate without a statement.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a list or a response; ``HostCryptoError/libraryFailure``.
    package init(_ states: [PathEvidence.State?], by algorithm: DigestAlgorithm) throws(HostCryptoError) {
        var (lists, responses): ([ReferenceHash], [ReferenceHash]) = ([], [])
        entries = try states.map { state throws(HostCryptoError) in
            switch state {
            case .list(let der, asOf: _)?:
                let hash = try ReferenceHash(of: der, by: algorithm)
                lists.append(hash)
                let name = try RevocationList(der: der).identifier
                return Entry(lists: [DERTag.sequence.element(hash.der + name)])
            case .response(let der, signer: _, asOf: _)?:
                let hash = try ReferenceHash(of: der, by: algorithm)
                responses.append(hash)
                guard let response = try? OCSPResponse(der: der) else { throw .invalidEncoding }
                return Entry(responses: [DERTag.sequence.element(response.identifier + hash.der)])
            case nil: return Entry()
            }
        }
        (self.lists, self.responses) = (lists, responses)
    }

    /// - Parameter der: The value of the attribute.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for more than 64 references of a kind.
    package init(der: [UInt8]) throws(GOSTError) {
        var outer = DERReader(der.span, .ber)
        var list = try outer.nested(.sequence)
        var (entries, lists, responses): ([Entry], [ReferenceHash], [ReferenceHash]) = ([], [], [])
        while !list.isAtEnd {
            guard entries.count <= CertificateReferences.limit else { throw .invalidParameter }
            var fields = try list.nested(.sequence)
            var entry = Entry()
            if fields.isAt(.context0) {
                entry.lists = try Self.members(&fields, .context0) { member throws(GOSTError) in
                    lists.append(try ReferenceHash(&member))
                }
            }
            if fields.isAt(.context1) {
                entry.responses = try Self.members(&fields, .context1) { member throws(GOSTError) in
                    _ = try member.contents(.sequence)
                    if !member.isAtEnd { responses.append(try ReferenceHash(&member)) }
                }
            }
            // References of other kinds name nothing here.
            if fields.isAt(.context2) { _ = try fields.contents(.context2) }
            try fields.end()
            entries.append(entry)
        }
        (self.entries, self.lists, self.responses) = (entries, lists, responses)
    }

    /// The members of CRLListID or OcspListID.
    private static func members(
        _ fields: inout DERReader, _ tag: DERTag, _ read: (inout DERReader) throws(GOSTError) -> Void
    ) throws(GOSTError) -> [[UInt8]] {
        var explicit = try fields.nested(tag)
        var identifiers = try explicit.nested(.sequence)
        try explicit.end()
        var list = try identifiers.nested(.sequence)
        try identifiers.end()
        var members: [[UInt8]] = []
        while !list.isAtEnd {
            guard members.count < CertificateReferences.limit else { throw .invalidParameter }
            let member = [UInt8](copying: try list.element(.sequence))
            var reader = DERReader(member.span, .ber)
            var content = try reader.nested(.sequence)
            try read(&content)
            members.append(member)
        }
        return members
    }

    /// The value of the attribute in DER.
    package var der: [UInt8] { DERTag.sequence.element(entries.flatMap(\.der)) }

    /// Whether a statement is named.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func names(_ state: PathEvidence.State) throws(HostCryptoError) -> Bool {
        switch state {
        case .list(let der, asOf: _):
            for hash in lists where try hash.names(der) { return true }
        case .response(let der, signer: _, asOf: _):
            // Some programs hash the OCSPResponse around the BasicOCSPResponse.
            let whole = OCSPResponse.reply(around: der)
            for hash in responses {
                if try hash.names(der) { return true }
                if try hash.names(whole) { return true }
            }
        }
        return false
    }
}
