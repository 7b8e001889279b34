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
    ///   - certificates: How many certificates beside the key's own the file has.
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
        "Other hash functions and ciphers of GOST open, and parts above 1024 octets", .usesGOSTEngine,
        arguments: ["md_gost12_256", "md_gost12_512", "md_gost94"],
        ["gost89"])
    func gostAlgorithms(hash: String, cipher: String) throws {
        let openssl = try OpenSSL()
        for environment in [["GOST_PBE_HMAC": hash], ["LEGACY_GOST_PKCS12": "1"]] {
            let (_, pfx) = try file(
                openssl, "gost2012_256 -pkeyopt paramset:A", "-keypbe \(cipher) -certpbe \(cipher) -macalg \(hash)",
                certificates: 4, environment: environment)
            try expect(pfx, openssl, certificates: 5)
        }
    }
}
