// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Translation

/// The URI of an object (RFC 7512), by which it is found on this token alone. The token's label may change.
package struct ObjectURI {
    package enum Kind: String {
        case privateKey = "private"
        case publicKey = "public"
        case secretKey = "secret-key"
        case certificate = "cert"
        case data
    }

    package let text: String

    /// - Parameters:
    ///   - serial: The token's serial number in hexadecimal digits.
    ///   - id: Empty for an object without one.
    ///   - label: Likewise. It is left out if its bytes are not UTF-8, and the id names the object without it.
    package init(_ kind: Kind, id: [UInt8], label: String, serial: String) {
        var attributes = [("serial", serial)]
        if !id.isEmpty { attributes.append(("id", id.map { "%" + $0.hexadecimal(digits: 2).uppercased() }.joined())) }
        if !label.isEmpty, id.isEmpty || !label.contains("\u{FFFD}") {
            attributes.append(("object", PercentEncoding.encoded(label.utf8)))
        }
        text = TokenURI.text(attributes + [("type", kind.rawValue)])
    }

    /// A file that stands for the object: SEQUENCE { VisibleString "PKCS#11 Provider URI v1.0", UTF8String }.
    package var file: [UInt8] {
        DERTag.sequence.element(
            DERTag.visibleString.element(Array("PKCS#11 Provider URI v1.0".utf8))
                + DERTag.utf8String.element(Array(text.utf8)))
    }
}
