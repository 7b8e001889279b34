// SPDX-License-Identifier: Apache-2.0
import Token
import Translation

/// A token's `pkcs11:` URI (RFC 7512), as far as it names a token.
struct TokenURI {
    private static let scheme = "pkcs11:"
    /// The attributes that say which token is meant.
    private static let known: Set<String> = ["token", "serial", "model", "manufacturer", "slot-description"]
    /// Attributes that name an object on the token, and do not identify the token.
    private static let objects: Set<String> = ["object", "id", "type"]

    private var attributes: [String: [UInt8]] = [:]

    /// Whether a name is meant as a URI.
    static func isURI(_ text: String) -> Bool { text.lowercased().hasPrefix(scheme) }

    /// - Throws: ``KanalError/invalidArgument(_:)`` for a URI that is malformed, or names what no token has here.
    init(_ text: String) throws(KanalError) {
        // The part after the question mark is for the login, and does not identify the token.
        let path = text.dropFirst(Self.scheme.count).prefix { $0 != "?" }
        for part in path.split(separator: ";") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let value = PercentEncoding.decoded(halves[1]) else {
                throw .invalidArgument("this part of the pkcs11 URI is malformed: \(part)")
            }
            let name = String(halves[0])
            if Self.objects.contains(name) { continue }
            // A vendor's attribute, too, may distinguish tokens (RFC 7512, 2.5).
            guard Self.known.contains(name) else {
                throw .invalidArgument("this attribute of a pkcs11 URI does not describe a token: \(name)")
            }
            guard attributes.updateValue(value, forKey: name) == nil else {
                throw .invalidArgument("the pkcs11 URI has this attribute twice: \(name)")
            }
        }
    }

    func isOf(_ information: TokenInformation) -> Bool {
        attributes.allSatisfy { name, value in Self.value(of: name, information) == value.withoutBlanksAtEnd }
    }

    /// The URI by which other programs find the token.
    static func text(of information: TokenInformation) -> String {
        text(
            ["model", "manufacturer", "serial", "token"].compactMap { name -> (name: String, value: String)? in
                let value = value(of: name, information)
                return value.isEmpty ? nil : (name, PercentEncoding.encoded(value))
            })
    }

    /// The URI of attributes with encoded values.
    static func text(_ attributes: [(name: String, value: String)]) -> String {
        scheme + attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
    }

    /// As `C_GetTokenInfo` and `C_GetSlotInfo` return it.
    private static func value(of name: String, _ information: TokenInformation) -> [UInt8] {
        switch name {
        case "token": information.fields.label
        case "serial": information.fields.serial
        case "model": information.fields.model
        case "manufacturer": information.fields.manufacturer
        default:
            Array(information.reader.utf8).wholeCharacters(fitting: TokenFields.slotDescriptionSize).withoutBlanksAtEnd
        }
    }
}

extension TokenInformation {
    /// The token's `pkcs11:` URI (RFC 7512), by which other programs find it.
    public var uri: String { TokenURI.text(of: self) }
}
