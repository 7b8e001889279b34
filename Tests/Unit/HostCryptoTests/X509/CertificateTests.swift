// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Certificates and public keys")
struct CertificateTests {
    /// How `openssl` makes a key of each algorithm.
    static let keys = [
        "rsa:1024", OpenSSL.p256, "ec -pkeyopt ec_paramgen_curve:secp256k1",
    ]
    static let gostKeys = [
        "gost2001 -pkeyopt paramset:A", "gost2012_256 -pkeyopt paramset:TCB", "gost2012_512 -pkeyopt paramset:A",
    ]

    @Test("A certificate says who issued it to whom, under which number, with which key", arguments: keys)
    func certificates(key: String) throws {
        try expectCertificate(key)
    }

    @Test("GOST certificates are read too", .usesGOSTEngine, arguments: gostKeys)
    func gostCertificates(key: String) throws {
        try expectCertificate(key)
    }

    private func expectCertificate(_ newKey: String) throws {
        let openssl = try OpenSSL()
        try openssl.run("req -x509 -newkey \(newKey) -nodes -keyout ca.pem -out ca -set_serial 128 -subj /CN=Issuer")
        try openssl.run(
            "req -x509 -newkey \(newKey) -nodes -keyout key -out pem -CA ca -CAkey ca.pem -set_serial 0x1F2 -subj /CN=S"
        )
        try openssl.run("x509 -in pem -outform DER -out certificate")
        try openssl.run("pkey -in key -pubout -outform DER -out public")

        let der = try openssl.read("certificate")
        let certificate = try Certificate(der: der.span)
        #expect(certificate.serialNumber == [2, 2, 1, 0xF2])
        #expect(certificate.issuer == name("Issuer"))
        #expect(certificate.subject == name("S"))
        #expect(try certificate.subjectPublicKeyInfo == openssl.read("public"))
        let info = try PublicKeyInfo(der: certificate.subjectPublicKeyInfo.span)
        #expect(info.der == certificate.subjectPublicKeyInfo)
        try openssl.run("x509 -in ca -outform DER -out issuer")
        let issuerDER = try openssl.read("issuer")
        let issuer = try Certificate(der: issuerDER.span)
        let issuerKey = try PublicKeyInfo(der: issuer.subjectPublicKeyInfo.span)
        #expect(try certificate.isSigned(with: issuerKey) && issuer.isSigned(with: issuerKey))
        #expect(try !certificate.isSigned(with: info))
        let changed = der.changed(at: der.count - 1)
        #expect(try !Certificate(der: changed.span).isSigned(with: issuerKey))
        let options = "oneline,-esc_msb,utf8"
        let text = try openssl.run("x509 -in pem -noout -text -nameopt \(options)")
        #expect(try String(decoding: Certificate.text(der: der.span), as: UTF8.self) == text)
        expectAllCutsRefused(der)
        try expectTailIgnored(der)
    }

    /// A Name of one CommonName.
    private func name(_ text: String) -> [UInt8] {
        let value = [0x0C, UInt8(text.utf8.count)] + text.utf8
        let attribute = [0x06, 3, 0x55, 4, 3] + value
        let set = [0x30, UInt8(attribute.count)] + attribute
        return [0x30, UInt8(set.count + 2), 0x31, UInt8(set.count)] + set
    }

    private func expectAllCutsRefused(_ der: [UInt8]) {
        for count in der.indices {
            expect(.invalidEncoding) { _ = try Certificate(der: der.span.extracting(first: count)) }
            expect(.invalidEncoding) { _ = try Certificate.text(der: der.span.extracting(first: count)) }
        }
    }

    /// Expects bytes behind a certificate to be ignored, as by `openssl`.
    private func expectTailIgnored(_ der: [UInt8]) throws {
        let certificate = try Certificate(der: der.span)
        #expect(certificate.der == der)
        for tail: [UInt8] in [[0], [0xFF], der] {
            let long = der + tail
            #expect(try Certificate(der: long.span) == certificate)
            #expect(try Certificate.text(der: long.span) == Certificate.text(der: der.span))
        }
    }

    @Test("An byte changed in a certificate is refused or read, and never ends the process")
    func changes() throws {
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey rsa:512 -nodes -keyout key -outform DER -out certificate -subj /CN=Somebody -sha1")
        let der = try openssl.read("certificate")
        for index in der.indices {
            for byte: UInt8 in [0, 1, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF] {
                var copy = der
                copy[index] = byte
                guard let certificate = try? Certificate(der: copy.span) else { continue }
                _ = try? Certificate.text(der: copy.span)
                _ = try? PublicKeyInfo(der: certificate.subjectPublicKeyInfo.span)
            }
        }
    }

    @Test("A public key of another algorithm or curve is refused, and so is one with bytes behind it")
    func publicKeys() throws {
        let openssl = try OpenSSL()
        for (options, error): (String, HostCryptoError) in [
            ("ed25519", .invalidParameter), ("ec -pkeyopt ec_paramgen_curve:brainpoolP256r1", .invalidParameter),
            (
                "\(OpenSSL.p256) -pkeyopt ec_param_enc:explicit", .invalidEncoding
            ),
        ] {
            try openssl.run("genpkey -algorithm \(options) -out key")
            try openssl.run("pkey -in key -pubout -outform DER -out public")
            let der = try openssl.read("public")
            expect(error) { _ = try PublicKeyInfo(der: der.span) }
        }
        let info = try PublicKeyInfo.rsa(RSAPrivateKey(generating: 512).publicKey)
        let der = info.der
        #expect(try PublicKeyInfo(der: der.span) == info)
        for count in der.indices {
            expect(.invalidEncoding) { _ = try PublicKeyInfo(der: der.span.extracting(first: count)) }
        }
        let long = der + [0]
        expect(.invalidEncoding) { _ = try PublicKeyInfo(der: long.span) }
    }
}
