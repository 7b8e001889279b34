// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Certification requests")
struct CertificationRequestTests {
    private typealias Field = CertificationRequest.Field

    @Test("The program verifies a request of every GOST algorithm", .usesGOSTEngine)
    func gost() throws {
        for algorithm in PublicKeyAlgorithm.allCases {
            let random = Seeded("request \(algorithm)")
            let curve = algorithm == .gostR34102012512 ? Curve.tc26512A : .cryptoProA
            let key = try PrivateKey.generate(on: curve, random: random)
            let publicKey = try SubjectPublicKeyInfo(algorithm: algorithm, key: key.publicKey())
            let request = try CertificationRequest(
                subject: [Field(type: "CN", value: "UTF8String:Иванов Иван"), Field(type: "2.5.4.6", value: "RU")],
                publicKeyInfo: publicKey.der, attributes: [], extensions: Self.extensions)
            let scheme = SignatureAlgorithm.gost(algorithm)
            let digest = try scheme.digest(request.info)
            let signature = try key.sign(digest: digest.span, random: random)
            try expectValid(request.der(scheme, signature: signature), subject: "CN = Иванов Иван, C = RU")
        }
    }

    @Test("The program verifies a request of RSA and of ECDSA", arguments: DigestAlgorithm.general.dropFirst())
    func others(digest: DigestAlgorithm) throws {
        let rsa = try RSAPrivateKey(generating: 1024)
        let request = try CertificationRequest(
            subject: [Field(type: "commonName", value: "Somebody")],
            publicKeyInfo: PublicKeyInfo.rsa(rsa.publicKey).der,
            attributes: [Field(type: "challengePassword", value: "secret")], extensions: [])
        let signature = try rsa.signature(digest(request.info), .pkcs1DigestInfo(digest))
        try expectValid(request.der(.rsa(digest), signature: signature), subject: "CN = Somebody", extensions: false)

        let ec = try ECPrivateKey.generate(on: .p256, random: Seeded("request"))
        let other = try CertificationRequest(
            subject: [], publicKeyInfo: PublicKeyInfo.ec(ec.publicKey).der, attributes: [], extensions: Self.extensions)
        let bare = try ec.signature(digest(other.info))
        try expectValid(other.der(.ecdsa(digest), signature: bare), subject: "")
    }

    private static let extensions = [
        Field(type: "keyUsage", value: "critical,digitalSignature,nonRepudiation"),
        Field(type: "2.5.29.37", value: "clientAuth,1.2.643.2.2.34.6"),
        Field(type: "subjectKeyIdentifier", value: "hash"),
        Field(type: "1.2.643.100.111", value: "ASN1:UTF8String:SKZI"),
        Field(type: "2.5.29.17", value: "DER:30:0E:81:0C:65:78:61:6D:70:6C:65:40:79:61:2E:72"),
    ]

    private func expectValid(_ request: [UInt8], subject: String, extensions: Bool = true) throws {
        let openssl = try OpenSSL()
        try openssl.write(request, "request")
        try openssl.run("req -verify -noout -inform DER -in request")
        let text = try openssl.run(
            "req -text -noout -inform DER -in request -nameopt utf8,sep_comma_plus_space,space_eq")
        #expect(text.contains("Subject: \(subject)\n"), "\(text)")
        let parts = [
            "Digital Signature, Non Repudiation", "TLS Web Client Authentication, 1.2.643.2.2.34.6",
            "Subject Key Identifier", "email:example@ya.r", "SKZI",
        ]
        for part in parts where extensions { #expect(text.contains(part), "\(part)") }
    }

    @Test("A request of one name of 20 letters has 227 bytes, and 257 with a key usage")
    func sizes() throws {
        // The vendor's library makes these sizes for a key of 256 bits.
        let key = try PrivateKey.generate(on: .cryptoProA, random: Seeded("sizes")).publicKey()
        let publicKey = try SubjectPublicKeyInfo(algorithm: .gostR34102012256, key: key).der
        for (extensions, size) in [([], 227), ([Field(type: "keyUsage", value: "digitalSignature")], 257)] {
            let request = try CertificationRequest(
                subject: [Field(type: "CN", value: String(repeating: "a", count: 20))], publicKeyInfo: publicKey,
                attributes: [], extensions: extensions)
            let signature = [UInt8](repeating: 1, count: 64)
            #expect(try request.der(.gost(.gostR34102012256), signature: signature).count == size)
        }
    }

    @Test("Attributes of one type are values of one attribute, and the same value is one")
    func values() throws {
        let key = try ECPrivateKey.generate(on: .p256, random: Seeded("values"))
        let fields = [
            Field(type: "unstructuredName", value: "second"), Field(type: "1.2.840.113549.1.9.2", value: "first"),
            Field(type: "challengePassword", value: "one"), Field(type: "unstructuredName", value: "UTF8String:third"),
            Field(type: "challengePassword", value: "one"), Field(type: "1.2.643.100.111", value: "a"),
            Field(type: "1.2.643.100.111", value: "b"),
        ]
        let request = try CertificationRequest(
            subject: [], publicKeyInfo: PublicKeyInfo.ec(key.publicKey).der, attributes: fields,
            extensions: [])
        let signature = try key.signature(DigestAlgorithm.sha256(request.info))
        let der = try request.der(.ecdsa(.sha256), signature: signature)
        try expectValid(der, subject: "", extensions: false)
        let openssl = try OpenSSL()
        try openssl.write(der, "request")
        let lines = try openssl.run("asn1parse -inform DER -in request").split(separator: "\n")
        let texts = lines.filter { $0.contains("STRING  ") }.map { String($0.split(separator: ":").last ?? "") }
        for (type, values) in [
            ("unstructuredName", ["first", "second", "third"]), ("challengePassword", ["one"]),
            ("Signing Tool of Subject", ["a", "b"]),
        ] {
            #expect(lines.count { $0.contains(type) } == 1, "\(type)")
            #expect(values.allSatisfy { value in texts.count { $0 == value } == 1 }, "\(type)")
        }
        // The values of a SET OF are in the order of their bytes (X.690, 11.6), of which the second is the length.
        #expect(texts.filter { ["first", "second", "third"].contains($0) } == ["first", "third", "second"])
    }

    @Test("A value has the string type that its text names, INNLE and OGRNIP are NumericStrings, DER stays as it is")
    func stringTypes() throws {
        let key = try PublicKeyInfo.ec(ECPrivateKey.generate(on: .p256, random: Seeded("types")).publicKey).der
        func info(_ field: Field) throws -> [UInt8] {
            try CertificationRequest(subject: [field], publicKeyInfo: key, attributes: [], extensions: []).info
        }
        for (type, value, oid, element) in [
            ("CN", "UTF8String:Ann", [0x55, 4, 3] as [UInt8], [0x0C, 3, 0x41, 0x6E, 0x6E] as [UInt8]),
            ("CN", "PrintableString:Ann", [0x55, 4, 3], [0x13, 3, 0x41, 0x6E, 0x6E]),
            ("CN", "IA5String:a@b", [0x55, 4, 3], [0x16, 3, 0x61, 0x40, 0x62]),
            ("CN", "BMPString:Яn", [0x55, 4, 3], [0x1E, 4, 0x04, 0x2F, 0x00, 0x6E]),
            ("serialNumber", "NumericString:1 2", [0x55, 4, 5], [0x12, 3, 0x31, 0x20, 0x32]),
            ("INNLE", "7701", [0x2A, 0x85, 0x03, 0x64, 4], [0x12, 4, 0x37, 0x37, 0x30, 0x31]),
            ("1.2.643.100.4", "7701", [0x2A, 0x85, 0x03, 0x64, 4], [0x12, 4, 0x37, 0x37, 0x30, 0x31]),
            ("OGRNIP", "304", [0x2A, 0x85, 0x03, 0x64, 5], [0x12, 3, 0x33, 0x30, 0x34]),
            ("1.2.643.100.5", "304", [0x2A, 0x85, 0x03, 0x64, 5], [0x12, 3, 0x33, 0x30, 0x34]),
        ] {
            let field = [6, UInt8(oid.count)] + oid + element
            #expect(try info(Field(type: type, value: value)).contains(field), "\(type) \(value)")
            #expect(try info(Field(type: type, der: element)).contains(field), "\(type) \(element)")
        }
        for (type, value) in [
            ("CN", "PrintableString:Аня"), ("CN", "PrintableString:a@b"), ("CN", "NumericString:1a"),
            ("CN", "IA5String:Аня"), ("CN", "BMPString:\u{1F511}"), ("INNLE", "77012345678"), ("INNLE", "77O1"),
            ("1.2.643.100.5", "3040000000000001"), ("OGRNIP", ""),
        ] {
            expect(.invalidParameter) { _ = try info(Field(type: type, value: value)) }
        }
        for der in [[], [0x0C], [0x0C, 3, 0x41], [0x0C, 1, 0x41, 0], [0x02, 1, 1]] as [[UInt8]] {
            expect(.invalidParameter) { _ = try info(Field(type: "CN", der: der)) }
        }
    }

    @Test("What OpenSSL does not understand is refused")
    func refusals() throws {
        let key = try PublicKeyInfo.ec(ECPrivateKey.generate(on: .p256, random: Seeded("refusals")).publicKey).der
        func expectRefused(subject: [Field] = [], attributes: [Field] = [], extensions: [Field] = []) {
            #expect(throws: HostCryptoError.invalidParameter, "\(subject) \(attributes) \(extensions)") {
                _ = try CertificationRequest(
                    subject: subject, publicKeyInfo: key, attributes: attributes, extensions: extensions)
            }
        }
        for field in [
            Field(type: "noSuchType", value: "x"), Field(type: "", value: ""), Field(type: "1.x", value: "x"),
        ] {
            expectRefused(subject: [field])
            expectRefused(attributes: [field])
            expectRefused(extensions: [field])
        }
        expectRefused(subject: [Field(type: "C", value: "too long for a country")])
        for value in ["", "noUsage", "critical", "@section", "DER:zz", "ASN1:NOTYPE:x", "ASN1:SEQUENCE:section"] {
            expectRefused(extensions: [
                Field(type: "keyUsage", value: "digitalSignature"), Field(type: "keyUsage", value: value),
            ])
        }
        for der in [[], [0x30], [0x30, 0], key + [0], Array(key.dropLast()), [UInt8](repeating: 0x30, count: 1 << 16)] {
            expect(.invalidEncoding) {
                _ = try CertificationRequest(subject: [], publicKeyInfo: der, attributes: [], extensions: [])
            }
        }
        expect(.invalidParameter) { _ = try SignatureAlgorithm.ecdsa(.md5).der() }
        expect(.invalidParameter) { _ = try SignatureAlgorithm.rsa(.streebog256).der() }
    }
}
