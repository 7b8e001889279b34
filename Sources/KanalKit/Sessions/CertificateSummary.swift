// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
import Secrets
import Token
import Tokens
package import Translation

/// The contents of a certificate (RFC 5280, 4.1). Nothing of it is verified.
public struct CertificateSummary: Sendable, Equatable {
    /// Whose key it is.
    public let subject: Name
    /// The issuer's name.
    public let issuer: Name
    /// The issuer's number for it, most significant byte first, as encoded.
    public let serialNumber: [UInt8]
    /// When it begins to be valid, in seconds since 1970; nil for a time that RFC 5280 has no form for.
    public let notBefore: Int64?
    /// When it ends to be valid, likewise.
    public let notAfter: Int64?
    /// The kind of its key: algorithm and size.
    public let key: KeyKind
    /// Whether it is an authority's: its key may sign certificates (RFC 5280, 4.2.1.9).
    public let isAuthority: Bool

    /// Reads a certificate.
    ///
    /// - Parameter der: The certificate in DER.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for bytes that are not a certificate.
    public init(of der: [UInt8]) throws(KanalError) {
        do throws(HostCryptoError) {
            let certificate = try HostCrypto.Certificate(der: der.span)
            let names = try (
                HostCrypto.DistinguishedName(der: certificate.subject),
                HostCrypto.DistinguishedName(der: certificate.issuer)
            )
            subject = Name(names.0)
            issuer = Name(names.1)
            serialNumber = Array(certificate.serialNumber.dropFirst(Self.headerSize(certificate.serialNumber)))
            let validity = try? certificate.validity
            notBefore = validity.map { Int64($0.notBefore) }
            notAfter = validity.map { Int64($0.notAfter) }
            isAuthority = certificate.isAuthority
            let info = certificate.subjectPublicKeyInfo
            key = (try? PublicKeyInfo(der: info.span)).map(KeyKind.init) ?? .other
        } catch {
            throw .invalidArgument("the certificate cannot be read")
        }
    }

    /// The bytes of tag and length.
    private static func headerSize(_ der: [UInt8]) -> Int {
        let length = der.dropFirst().first ?? 0
        return length < 0x80 ? 2 : 2 + Int(length & 0x7F)
    }
}

extension CertificateSummary {
    /// The name of a person or an authority: fields in the order in which the certificate has them.
    public struct Name: Sendable, Equatable, CustomStringConvertible {
        /// A field of a name.
        public struct Field: Sendable, Equatable {
            /// OpenSSL's short name of the type, for instance `CN` or `OGRN`; the object identifier in digits and dots
            /// if that is unknown.
            public let type: String
            /// The text; a value that is not text is `#` and its DER in hexadecimal digits. It may contain any
            /// characters.
            public let value: String
        }

        /// The fields.
        public let fields: [Field]

        /// The first value of a type of field.
        public subscript(type: String) -> String? { fields.first { $0.type == type }?.value }

        /// One line of all fields, with the escapes of RFC 4514, 2.4, but in the certificate's order. Control characters
        /// are escaped too; others that change a line's direction are not.
        public var description: String { fields.map { "\($0.type)=\($0.escapedValue)" }.joined(separator: ", ") }

        /// The name as RFC 4514 writes it, the last field first. Types that it does not name keep the name of
        /// ``Field/type``.
        package var standardText: String {
            fields.reversed().map { "\($0.type)=\($0.escapedValue)" }.joined(separator: ",")
        }

        /// The same for people, with names of Russian law in their language. A name of more fields than a phrase has
        /// arguments stays as it is.
        package var phrase: Phrase {
            guard fields.count < 100 else { return Phrase(verbatim: description) }
            return Phrase(
                listing: fields.map { field -> Phrase in "\(Self.phrase(ofType: field.type))=\(field.escapedValue)" })
        }

        /// The name of a type in the language of people.
        package static func phrase(ofType type: String) -> Phrase { words[type] ?? Phrase(verbatim: type) }

        private static let words: [String: Phrase] = [
            "INN": "INN", "SNILS": "SNILS", "OGRN": "OGRN", "OGRNIP": "OGRNIP", "INNLE": "INNLE",
        ]

        init(_ name: HostCrypto.DistinguishedName) {
            fields = name.fields.map { Field(type: $0.type, value: $0.value) }
        }
    }
}

extension CertificateSummary.Name.Field {
    fileprivate var escapedValue: String {
        let scalars = Array(value.unicodeScalars)
        return scalars.enumerated().map { index, scalar in
            switch scalar {
            case "\u{0}"..."\u{1F}", "\u{7F}":
                "\\" + scalar.value.hexadecimal(digits: 2).uppercased()
            case ",", "+", "\"", "\\", "<", ">", ";": "\\\(scalar)"
            case " " where index == 0 || index == scalars.count - 1: "\\ "
            default: String(scalar)
            }
        }.joined()
    }
}
