// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
import Token
import Tokens
package import Translation

/// A certificate on a token.
public struct TokenCertificate: Sendable, Equatable {
    /// The certificate in DER.
    public let value: [UInt8]
    /// The name that it was given.
    public let label: String
    /// The identifier that it shares with its key pair.
    public let id: [UInt8]
    /// Whether its private key is on the token. Private keys are seen after the PIN only.
    public let hasPrivateKey: Bool
    /// Whether the security officer has marked it as trusted (`CKA_TRUSTED`).
    public let isTrusted: Bool
    let reference: ObjectReference
}

extension Session {
    /// The certificates on the token.
    public func certificates() throws(KanalError) -> [TokenCertificate] {
        TokenCertificate.all(
            in: try call { session throws(TokensError) in try session.objects(with: .certificates) })
    }

    /// Stores a certificate on the token.
    ///
    /// - Parameters:
    ///   - value: The certificate in DER.
    ///   - id: The identifier of its key pair, so that programs find both together.
    public func importCertificate(_ value: [UInt8], id: [UInt8], label: String) throws(KanalError) -> TokenCertificate {
        let (stored, keys) = try call { session throws(TokensError) in
            (
                try session.storeCertificate(value, id: id, label: Array(label.utf8)),
                try session.objects().filter { $0.key?.half == .privateKey }
            )
        }
        let hasPrivateKey = keys.contains { $0.identifier == stored.identifier }
        guard let certificate = TokenCertificate(stored, hasPrivateKey: hasPrivateKey) else { throw .objectNotFound }
        return certificate
    }

    /// Removes a certificate from the token. Its key pair stays.
    public func delete(_ certificate: TokenCertificate) throws(KanalError) { try delete(certificate.reference) }
}

extension TokenCertificate {
    /// The certificates that were read.
    static func all(in objects: [TokenObject]) -> [TokenCertificate] {
        let keys = Set(objects.filter { $0.key?.half == .privateKey }.map(\.identifier))
        return objects.compactMap { TokenCertificate($0, hasPrivateKey: keys.contains($0.identifier)) }
    }

    /// - Returns: nil unless the object is a certificate that was read.
    fileprivate init?(_ object: TokenObject, hasPrivateKey: Bool) {
        guard case .certificate(_, let value?) = object.content else { return nil }
        self.value = value
        label = object.name
        id = object.identifier
        self.hasPrivateKey = hasPrivateKey
        isTrusted = object.isTrusted
        reference = ObjectReference(object)
    }
}

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
                "\\" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
            case ",", "+", "\"", "\\", "<", ">", ";": "\\\(scalar)"
            case " " where index == 0 || index == scalars.count - 1: "\\ "
            default: String(scalar)
            }
        }.joined()
    }
}

extension KeyKind {
    init(_ info: PublicKeyInfo) {
        self =
            switch info {
            case .gost(let info):
                switch info.algorithm.algorithm {
                case .gostR34102001: .gost2001
                case .gostR34102012256: .gost256
                case .gostR34102012512: .gost512
                }
            case .rsa(let key): .rsa(bits: key.modulus.count * 8)
            case .ec(let key): key.curve == .p256 ? .p256 : .other
            }
    }
}

extension TokenCertificate {
    /// The certificate's contents.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` for bytes that are not a certificate.
    public func summary() throws(KanalError) -> CertificateSummary { try CertificateSummary(of: value) }
}
