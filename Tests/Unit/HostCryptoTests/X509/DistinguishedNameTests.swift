// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import TestSupport
import Testing

@Suite("Names in certificates")
struct DistinguishedNameTests {
    @Test("The program's short names of types are ours, and so are texts in every encoding that it writes")
    func types() throws {
        let openssl = try OpenSSL()
        let types = [
            "C=RU", "ST=77", "L=City", "street=Street", "O=Own", "OU=Part", "title=Head", "CN=Имя", "SN=Last",
            "GN=First",
            "initials=A", "serialNumber=1", "emailAddress=a@b", "DC=org", "UID=u", "INN=123456789012",
            "SNILS=12345678901",
            "OGRN=1234567890123", "OGRNIP=123456789012345", "pseudonym=P", "description=D", "postalCode=101000",
        ]
        for mask in ["utf8only", "default", "pkix"] {
            try openssl.write(
                Array("[req]\ndistinguished_name = names\nstring_mask = \(mask)\n[names]\n".utf8), "request.cnf")
            try openssl.run(
                "req -config request.cnf -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -outform DER -out own -utf8 -subj /"
                    + types.joined(separator: "/"))
            let der = try openssl.read("own")
            let name = try DistinguishedName(der: Certificate(der: der.span).subject)
            #expect(name.fields.map { "\($0.type)=\($0.value)" } == types, "\(mask)")
        }
    }

    @Test("Every kind of string is read; what is none is shown in digits, and what is cut short is refused")
    func strings() throws {
        func name(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            let value = [tag, UInt8(bytes.count)] + bytes
            let field = [0x06, 0x03, 0x55, 0x04, 0x03] + value
            return [0x30, UInt8(field.count + 4), 0x31, UInt8(field.count + 2), 0x30, UInt8(field.count)] + field
        }
        func text(_ tag: UInt8, _ bytes: [UInt8]) throws -> String? {
            try DistinguishedName(der: name(tag, bytes)).fields.first?.value
        }
        #expect(try text(0x0C, Array("Ё".utf8)) == "Ё")
        for tag: UInt8 in [0x12, 0x13, 0x16, 0x1A] { #expect(try text(tag, Array("12".utf8)) == "12") }
        #expect(try text(0x14, [0x41, 0xE9]) == "Aé")
        #expect(try text(0x1E, [0x04, 0x01, 0xD8, 0x3D, 0xDE, 0x00]) == "Ё😀")
        #expect(try text(0x1E, [0x04, 0x01, 0xD8, 0x3D]) == "Ё\u{FFFD}")
        #expect(try text(0x1C, [0x00, 0x01, 0xF6, 0x00, 0x00, 0x11, 0x00, 0x00]) == "😀\u{FFFD}")
        #expect(try text(0x0C, [0xFF]) == "\u{FFFD}")
        #expect(try text(0x03, [0x00, 0xAB]) == "#030200AB")
        #expect(try DistinguishedName(der: [0x30, 0x00]).fields.isEmpty)
        let whole = name(0x0C, [0x41])
        for count in whole.indices {
            #expect(throws: HostCryptoError.invalidEncoding) { try DistinguishedName(der: Array(whole.prefix(count))) }
        }
        #expect(throws: HostCryptoError.invalidEncoding) { try DistinguishedName(der: whole + [0]) }
    }
}
