// SPDX-License-Identifier: Apache-2.0
import Translation

/// The URI of an object (RFC 7512), by which it is found on this token alone. The token's label may change.
struct ObjectURI {
    enum Kind: String {
        case privateKey = "private"
        case publicKey = "public"
        case secretKey = "secret-key"
        case certificate = "cert"
        case data
    }

    let text: String

    /// - Parameters:
    ///   - serial: The token's serial number in hexadecimal digits.
    ///   - id: Empty for an object without one.
    ///   - label: Likewise. It is left out if its bytes are not UTF-8, and the id names the object without it.
    init(_ kind: Kind, id: [UInt8], label: String, serial: String) {
        var parts = ["serial=" + serial]
        if !id.isEmpty { parts.append("id=" + id.map { "%" + [$0].hexadecimal.uppercased() }.joined()) }
        if !label.isEmpty, id.isEmpty || !label.contains("\u{FFFD}") {
            parts.append("object=" + PercentEncoding.encoded(label.utf8))
        }
        text = "pkcs11:" + parts.joined(separator: ";") + ";type=" + kind.rawValue
    }
}
