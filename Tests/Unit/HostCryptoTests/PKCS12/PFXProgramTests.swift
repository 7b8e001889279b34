// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Files with keys and certificates (PFX) that the program openssl has made", .serialized)
struct PFXProgramTests {
    /// Has a key, a certificate and a file with both made, and opens the file.
    ///
    /// - Parameters:
    ///   - options: Further words for `openssl pkcs12 -export`.
    ///   - certificates: The number of certificates beside the key's own.
    private func file(
        _ openssl: OpenSSL, _ newKey: String, _ options: String, password: String = "пароль", certificates: Int = 0,
        environment: [String: String] = [:]
    ) throws -> (file: [UInt8], pfx: PFX) {
        try openssl.run("req -x509 -newkey \(newKey) -nodes -keyout key -out certificate -subj /CN=Own")
        var others: [UInt8] = []
        for number in 0..<certificates {
            try openssl.run("req -x509 -newkey \(newKey) -nodes -keyout other -out other.pem -subj /CN=Other\(number)")
            others += try openssl.read("other.pem")
        }
        try openssl.write(others, "others")
        try openssl.write(Array(password.utf8) + [0x0A], "password")
        try openssl.run(
            """
            pkcs12 -export -inkey key -in certificate -out file -passout file:password -name Ключ \
            \(others.isEmpty ? "" : "-certfile others") \(options)
            """, environment: environment)
        let der = try openssl.read("file")
        return (der, try PFX(der, password))
    }

    /// Expects the key and the certificate in the folder, and nothing else but other certificates.
    private func expect(_ pfx: PFX, _ openssl: OpenSSL, certificates: Int = 1) throws {
        #expect(pfx.keys.count == 1 && pfx.certificates.count == certificates)
        let key = try #require(pfx.keys.first)
        #expect(key.name.label == "Ключ" && key.name.id.count == 20)
        try openssl.run("x509 -in certificate -outform DER -out certificate.der")
        let certificate = try #require(pfx.certificate(of: key))
        #expect(try certificate.der == openssl.read("certificate.der"))
        #expect(certificate.name == key.name)
        try openssl.run("pkey -in key -pubout -outform DER -out public")
        let expected = try openssl.read("public")
        let publicKey = try PublicKeyInfo(der: expected.span)
        #expect(key.publicKey.isSamePoint(as: publicKey))
    }

    private static let gostForms = [
        "gost2001 -pkeyopt paramset:A", "gost2012_256 -pkeyopt paramset:TCA", "gost2012_256 -pkeyopt paramset:XA",
        "gost2012_512 -pkeyopt paramset:B",
    ]

    @Test("Keys of GOST in files of GOST open", .usesGOSTEngine, arguments: gostForms)
    func gostKeys(newKey: String) throws {
        let openssl = try OpenSSL()
        let options = "-keypbe gost89 -certpbe gost89 -macalg md_gost12_512"
        let (der, pfx) = try file(openssl, newKey, options)
        try expect(pfx, openssl)
        #expect(PFX.refusal(der, "Пароль") == .wrongPassword)
    }

    @Test(
        "Other hash functions and ciphers of GOST open, and parts above 1024 bytes", .usesGOSTEngine,
        arguments: ["md_gost12_256", "md_gost12_512", "md_gost94"],
        ["gost89", "kuznyechik-ctr-acpkm", "magma-ctr-acpkm"])
    func gostAlgorithms(hash: String, cipher: String) throws {
        let openssl = try OpenSSL()
        // The engine changes the key of Magma after 1024 bytes, not after 8192 as RFC 9337 wants.
        let others = cipher == "magma-ctr-acpkm" ? 0 : 4
        for environment in [["GOST_PBE_HMAC": hash], ["LEGACY_GOST_PKCS12": "1"]] {
            let (_, pfx) = try file(
                openssl, "gost2012_256 -pkeyopt paramset:A", "-keypbe \(cipher) -certpbe \(cipher) -macalg \(hash)",
                certificates: others, environment: environment)
            try expect(pfx, openssl, certificates: 1 + others)
        }
    }

    private static let otherForms = [
        "rsa:1024", "rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256", "ec -pkeyopt ec_paramgen_curve:P-384",
        "ec -pkeyopt ec_paramgen_curve:secp256k1",
    ]

    @Test("Keys of RSA and elliptic curves open", arguments: otherForms)
    func others(newKey: String) throws {
        let openssl = try OpenSSL()
        let (der, pfx) = try file(openssl, newKey, "")
        try expect(pfx, openssl)
        #expect(PFX.refusal(der, "Пароль") == .wrongPassword)
        #expect(PFX.refusal(der, "") == .wrongPassword)
    }

    private static let options = [
        "-keypbe aes-128-cbc -certpbe aes-192-cbc -macalg sha512",
        "-keypbe des-ede3-cbc -certpbe aes-256-cbc -macalg md5",
        "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-2DES -macalg sha1", "-keypbe NONE -certpbe NONE -macalg sha384",
        "-iter 100000 -macalg sha224", "-noiter -nomaciter", "-legacy",
        "-legacy -keypbe PBE-SHA1-RC2-128 -certpbe PBE-SHA1-RC2-40",
    ]

    @Test("All ciphers and hash functions open, old ones too", arguments: options, ["", "a", "пароль 🔑"])
    func algorithms(options: String, password: String) throws {
        let openssl = try OpenSSL()
        let (_, pfx) = try file(openssl, "rsa:1024", options, password: password, certificates: 2)
        try expect(pfx, openssl, certificates: 3)
    }

    @Test(
        "Files with 600,000 iterations open, as GnuTLS and BouncyCastle write them",
        arguments: [
            "-iter 600000", "-iter 600000 -legacy -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1",
        ])
    func manyIterations(options: String) throws {
        let openssl = try OpenSSL()
        let (_, pfx) = try file(openssl, "rsa:1024", options)
        try expect(pfx, openssl)
    }

    @Test("Key derivations by any hash function count, and a file without a code is refused")
    func refusals() throws {
        let openssl = try OpenSSL()
        let (der, _) = try file(openssl, "rsa:1024", "-iter 100")
        // The code takes 100, key and certificates by HMAC 200 each.
        #expect(PFX.refusal(der, limit: 500) == nil)
        #expect(PFX.refusal(der, limit: 499) == .tooManyIterations(100))
        #expect(PFX.refusal(der, limit: 100) == .tooManyIterations(100))
        try openssl.run("pkcs12 -export -inkey key -in certificate -out file -passout file:password -nomac")
        #expect(try PFX.refusal(openssl.read("file")) == .unauthenticated)
    }

    @Test(
        "A code by PBMAC1 (RFC 9579) verifies with any hash functions, and with the right password only",
        .usesGOSTEngine,
        arguments: [
            ("SHA256", [2, 9], "SHA256", [2, 9], 32), ("SHA512", [2, 11], "SHA256", [2, 9], 64),
            ("SHA1", [2, 7], "SHA384", [2, 10], 20), ("md_gost12_512", [4, 2], "md_gost12_512", [4, 2], 64),
            ("md_gost12_256", [4, 1], "SHA512", [2, 11], 32),
        ])
    func codes(function: String, _ functionArcs: [UInt8], hash: String, _ hashArcs: [UInt8], size: Int) throws {
        let openssl = try OpenSSL()
        let password = "пароль"
        func identifier(_ arcs: [UInt8]) -> [UInt8] {
            let rsadsi = DERTag.objectIdentifier.element([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D] + arcs)
            return DERTag.sequence.element((arcs[0] == 4 ? MadePFX.tc26(arcs) : rsadsi) + [5, 0])
        }
        try openssl.run(
            """
            kdf -keylen \(size) -kdfopt digest:\(function) -kdfopt hexpass:\(Array(password.utf8).hex) \
            -kdfopt hexsalt:\(MadePFX.salt.hex) -kdfopt iter:2048 -binary -out key PBKDF2
            """)
        var made = MadePFX.bareKey
        try openssl.write(DERTag.sequence.element(made.parts.flatMap { $0 }), "safe")
        func file(keyLength: [UInt8]) throws -> [UInt8] {
            try openssl.run(
                "dgst -\(hash) -mac HMAC -macopt hexkey:\(openssl.read("key").hex) -binary -out code safe")
            let derivation =
                DERTag.octetString.element(MadePFX.salt) + [2, 2, 8, 0] + keyLength + identifier(functionArcs)
            let parameters =
                DERTag.sequence.element(MadePFX.pkcs([5, 12]) + DERTag.sequence.element(derivation))
                + identifier(hashArcs)
            let algorithm = DERTag.sequence.element(MadePFX.pkcs([5, 14]) + DERTag.sequence.element(parameters))
            let code = try DERTag.sequence.element(algorithm + DERTag.octetString.element(openssl.read("code")))
            made.macData = DERTag.sequence.element(code + DERTag.octetString.element([1]) + [2, 1, 1])
            return made.der
        }
        let der = try file(keyLength: [2, 1, UInt8(size)])
        #expect(PFX.refusal(der, password) == nil)
        #expect(PFX.refusal(der, "Пароль") == .wrongPassword)
        #expect(try PFX.refusal(file(keyLength: []), password) == .damaged)
        #expect(try PFX.refusal(file(keyLength: [2, 1, 19]), password) == .damaged)
    }

    @Test("The bytes of a password are UTF-8 where they become another form")
    func encodings() throws {
        let openssl = try OpenSSL()
        let (der, _) = try file(openssl, "rsa:1024", "")
        let wrong: [[UInt8]] = [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xD0], [0xD0, 0x41],
            [0xE2, 0x82], [0x41, 0xF0, 0x9F, 0x94],
        ]
        for bytes in wrong {
            #expect(throws: PFXError.invalidPassword, "\(bytes.hex)") {
                try PFX(parsing: der.span, password: Secret(copying: bytes))
            }
        }
    }
}
