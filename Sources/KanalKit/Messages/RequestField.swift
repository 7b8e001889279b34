// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostCrypto
import Secrets
import Token
import Tokens

/// A field of a certification request.
public struct RequestField: Sendable, Equatable {
    /// An object identifier in digits and dots, OpenSSL's name of one, or `INNLE` or `OGRNIP`.
    public let type: String
    /// The text; of an extension, in OpenSSL's spelling. The type of a field decides how a text is encoded, unless the
    /// text begins with `UTF8String:`, `PrintableString:`, `NumericString:`, `IA5String:` or `BMPString:`. Empty for a
    /// value in DER.
    public let value: String
    private let der: [UInt8]?

    /// A field; see its properties.
    public init(_ type: String, _ value: String) {
        self.type = type
        self.value = value
        der = nil
    }

    /// A field with a value that is encoded already: of a name a string of any type, with its tag and length.
    public init(_ type: String, der: [UInt8]) {
        self.type = type
        value = ""
        self.der = der
    }

    /// A text that is taken as it is, whatever it begins with.
    package init(_ type: String, literal text: String) {
        typealias StringType = CertificationRequest.Field.StringType
        self.init(type, (StringType(namedBy: text) == nil ? "" : StringType.utf8.rawValue + ":") + text)
    }

    /// The text, unless it names its encoding; nil for a value in DER.
    package var plainText: String? {
        der == nil && CertificationRequest.Field.StringType(namedBy: value) == nil ? value : nil
    }

    /// Whether a request can have the field. True, too, if the host cannot judge.
    package var isAccepted: Bool { (try? CertificationRequest.accepts(field)) ?? true }

    /// Whether the type is known. True, too, if the host cannot judge.
    package var hasKnownType: Bool { RequestField(type, der: Self.anyText).isAccepted }

    /// A UTF8String, which each type accepts in DER.
    private static let anyText: [UInt8] = [0x0C, 0x01, 0x41]

    var field: CertificationRequest.Field {
        der.map { CertificationRequest.Field(type: type, der: $0) }
            ?? CertificationRequest.Field(type: type, value: value)
    }
}
