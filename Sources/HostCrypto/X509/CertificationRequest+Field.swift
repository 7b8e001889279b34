// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST

extension CertificationRequest.Field {
    /// The string types that a text can name before itself, with a colon between.
    package enum StringType: String, CaseIterable, Sendable {
        case utf8 = "UTF8String"
        case printable = "PrintableString"
        case numeric = "NumericString"
        case ia5 = "IA5String"
        case bmp = "BMPString"

        /// The type that a text names; nil if it names none.
        package init?(namedBy text: String) {
            guard let type = Self.allCases.first(where: { text.hasPrefix($0.rawValue + ":") }) else { return nil }
            self = type
        }

        fileprivate var kind: Int32 {
            switch self {
            case .utf8: V_ASN1_UTF8STRING
            case .printable: V_ASN1_PRINTABLESTRING
            case .numeric: V_ASN1_NUMERICSTRING
            case .ia5: V_ASN1_IA5STRING
            case .bmp: V_ASN1_BMPSTRING
            }
        }

        /// A text in this type; nil if a character is not of its set (X.680, 41).
        fileprivate func bytes(_ text: Substring) -> [UInt8]? {
            switch self {
            case .utf8: Array(text.utf8)
            case .printable: Self.ascii(text) { Self.isAlphanumeric($0) || Self.marks.contains($0) }
            case .numeric: Self.ascii(text) { Self.digits.contains($0) || $0 == 0x20 }
            case .ia5: Self.ascii(text) { $0 < 0x80 }
            case .bmp:
                text.unicodeScalars.allSatisfy { $0.value <= 0xFFFF }
                    ? text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } : nil
            }
        }

        private static func ascii(_ text: Substring, _ isIn: (UInt8) -> Bool) -> [UInt8]? {
            text.utf8.allSatisfy(isIn) ? Array(text.utf8) : nil
        }

        fileprivate static let digits: ClosedRange<UInt8> = 0x30...0x39
        private static let marks = Set(" '()+,-./:=?".utf8)

        private static func isAlphanumeric(_ byte: UInt8) -> Bool {
            digits.contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }

    /// Types of Russian law that OpenSSL has no name for, or accepts any string for: at most so many digits
    /// (FSB order 795, 18 and 18.1).
    private static let numbers = ["1.2.643.100.4": 10, "1.2.643.100.5": 15]
    private static let names = ["INNLE": "1.2.643.100.4", "OGRNIP": "1.2.643.100.5"]

    /// The object identifier, or a name that OpenSSL knows.
    var identifier: String { Self.names[type] ?? type }

    /// The value, and what libcrypto is to make of it.
    ///
    /// - Throws: ``HostCryptoError/invalidParameter`` for a text that is not of its type.
    var content: (kind: Int32, bytes: [UInt8]) {
        get throws(HostCryptoError) {
            // The element comes whole, and is checked when the name is read again.
            if let der { return (V_ASN1_OTHER, der) }
            if let type = StringType(namedBy: value) {
                guard let bytes = type.bytes(value.dropFirst(type.rawValue.count + 1)) else { throw .invalidParameter }
                return (type.kind, bytes)
            }
            guard let most = Self.numbers[identifier] else { return (MBSTRING_FLAG, Array(value.utf8)) }
            guard (1...most).contains(value.utf8.count), value.utf8.allSatisfy(StringType.digits.contains) else {
                throw .invalidParameter
            }
            return (V_ASN1_NUMERICSTRING, Array(value.utf8))
        }
    }
}
