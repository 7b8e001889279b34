// SPDX-License-Identifier: Apache-2.0

import GOST

/// A Kerberos principal, such as `ann@EXAMPLE.ORG`.
package struct KerberosPrincipal: Sendable {
    private let components: [String]
    private let realm: String

    /// - Parameter argument: Components with slashes between, an at sign, and the realm (RFC 1964, 2.1.1): printable
    ///   characters of ASCII (RFC 4120, 5.2.1), without the escapes of other ones.
    package init?(argument: String) {
        let halves = argument.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
            return nil
        }
        components = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        realm = String(halves[1])
        guard !realm.isEmpty, !components.contains(""), argument.utf8.count <= 512 else { return nil }
    }

    /// The names of the certificate's subject in DER (GeneralNames): the principal for Kerberos (RFC 4556, 3.2.2), and as
    /// a user principal name, which Active Directory and SSSD map.
    package var alternativeName: [UInt8] {
        let text = Array((components.joined(separator: "/") + "@" + realm).utf8)
        return DERTag.sequence.element(
            Self.otherName([0x2B, 0x06, 0x01, 0x05, 0x02, 0x02], kerberosName)
                + Self.otherName(
                    [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x14, 0x02, 0x03], DERTag.utf8String.element(text)))
    }

    /// KRB5PrincipalName.
    private var kerberosName: [UInt8] {
        // NT-PRINCIPAL, or NT-SRV-INST for a service.
        let type = DERTag.integer.element([components.count == 1 ? 1 : 2])
        let strings = components.flatMap(Self.generalString)
        let name =
            DERTag.context0.element(type) + DERTag.context1.element(DERTag.sequence.element(strings))
        return DERTag.sequence.element(
            DERTag.context0.element(Self.generalString(realm))
                + DERTag.context1.element(DERTag.sequence.element(name)))
    }

    private static func generalString(_ text: String) -> [UInt8] { DERTag.generalString.element(Array(text.utf8)) }

    private static func otherName(_ type: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DERTag.context0.element(DERTag.objectIdentifier.element(type) + DERTag.context0.element(value))
    }
}
