// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The http and https addresses at which a certificate's authority publishes more (RFC 5280, 4.2.1.13 and 4.2.2.1): the
/// first of each kind. Others, and extensions that cannot be read, are passed over.
package struct CertificateAddresses: Sendable, Equatable {
    /// Of responders about its revocation (OCSP).
    package private(set) var responders: [String] = []
    /// Of lists of revoked certificates.
    package private(set) var lists: [String] = []
    /// Of certificates of its issuer.
    package private(set) var issuers: [String] = []

    /// The number of addresses of each kind, and the number of an address's bytes, that are read.
    private static let (limit, length) = (4, 2048)

    package init(_ certificate: Certificate) {
        try? takeAccess(certificate)
        try? takeDistributionPoints(certificate)
    }

    /// Whether one of them has its state.
    package var haveStates: Bool { !responders.isEmpty || !lists.isEmpty }

    /// AuthorityInfoAccessSyntax.
    private mutating func takeAccess(_ certificate: Certificate) throws(GOSTError) {
        guard let value = try certificate.extensionValue(Self.pkix([0x01, 0x01]))?.value else { return }
        var reader = DERReader(value.span)
        var list = try reader.nested(.sequence)
        while !list.isAtEnd {
            var description = try list.nested(.sequence)
            let method = try description.objectIdentifier()
            guard description.isAt(.contextPrimitive6) else { continue }
            let address = Self.address([UInt8](copying: try description.contents(.contextPrimitive6)))
            switch method {
            case Self.pkix([0x30, 0x01]): Self.add(address, to: &responders)
            case Self.pkix([0x30, 0x02]): Self.add(address, to: &issuers)
            default: continue
            }
        }
    }

    /// CRLDistributionPoints: those with full names whose lists are the issuer's own, and for all reasons.
    private mutating func takeDistributionPoints(_ certificate: Certificate) throws(GOSTError) {
        guard let value = try certificate.extensionValue([0x06, 3, 0x55, 0x1D, 0x1F])?.value else { return }
        var reader = DERReader(value.span)
        var list = try reader.nested(.sequence)
        while !list.isAtEnd {
            var point = try list.nested(.sequence)
            guard point.isAt(.context0) else { continue }
            var name = try point.nested(.context0)
            guard point.isAtEnd, name.isAt(.context0) else { continue }
            var names = try name.nested(.context0)
            // Only the names before one of another kind.
            while names.isAt(.contextPrimitive6) {
                Self.add(Self.address([UInt8](copying: try names.contents(.contextPrimitive6))), to: &lists)
            }
        }
    }

    private static func add(_ address: String?, to list: inout [String]) {
        guard let address, list.count < limit, !list.contains(address) else { return }
        list.append(address)
    }

    /// - Returns: nil for anything but an address of a host, without a user's name, in ASCII.
    private static func address(_ bytes: [UInt8]) -> String? {
        guard bytes.count <= length, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix) else { return nil }
        let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        let isHost = !host.isEmpty && host.allSatisfy { $0.isLetter || $0.isNumber || "-._:[]".contains($0) }
        return isHost ? text : nil
    }

    /// 1.3.6.1.5.5.7 and further arcs, in DER.
    private static func pkix(_ arcs: [UInt8]) -> [UInt8] { [0x06, 8, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07] + arcs }
}
