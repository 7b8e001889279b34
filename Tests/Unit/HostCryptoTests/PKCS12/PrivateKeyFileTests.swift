// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Files with one private key (PKCS #8) that the program openssl has made", .serialized)
struct PrivateKeyFileTests {
    private func open(_ der: [UInt8], _ password: String = "secret", workLimit: Int = PFX.workLimit) -> PFXError? {
        do throws(PFXError) {
            _ = try PFX(privateKey: der.span, password: .of(password), workLimit: workLimit)
            return nil
        } catch {
            return error
        }
    }

    private static let p256 = "EC -pkeyopt ec_paramgen_curve:P-256"
    private static let kinds = [
        "gost2001 -pkeyopt paramset:A", "gost2012_256 -pkeyopt paramset:TCA", "gost2012_512 -pkeyopt paramset:B",
        "RSA -pkeyopt rsa_keygen_bits:1024", p256,
    ]
    private static let forms = [
        "-nocrypt", "-v2 aes-256-cbc", "-v2 aes-128-cbc -v2prf hmacWithSHA1 -iter 100", "-v2 des3",
        "-v1 PBE-SHA1-3DES", "-v2 gost89",
    ]

    @Test("Keys of every kind open, bare and under a password", .usesGOSTEngine, arguments: kinds, forms)
    func opening(key: String, form: String) throws {
        let openssl = try OpenSSL()
        try openssl.run("genpkey -algorithm \(key) -out key")
        try openssl.run("pkey -in key -pubout -outform DER -out public")
        let password = form == "-nocrypt" ? "" : "-passout pass:secret"
        try openssl.run("pkcs8 -topk8 -in key -outform DER -out file \(form) \(password)")
        let (der, info) = try (openssl.read("file"), openssl.read("public"))
        #expect(PFX.Form(of: der.span) == (form == "-nocrypt" ? .key : .encryptedKey))
        let pfx = try PFX(privateKey: der.span, password: .of("secret"))
        let expected = try PublicKeyInfo(der: info.span)
        #expect(pfx.keys.count == 1 && pfx.keys.first?.publicKey.isSamePoint(as: expected) == true)
        guard form != "-nocrypt" else { return }
        #expect(open(der, "another") == .wrongPassword)
        #expect(open(der, "") == .wrongPassword)
        #expect(open(der, workLimit: 10) == .tooManyIterations(form.contains("100") ? 100 : 2048))
    }

    @Test("A file that is cut off, or goes on behind the key, is damaged, and not under another password")
    func damage() throws {
        let openssl = try OpenSSL()
        try openssl.run("genpkey -algorithm \(Self.p256) -out key")
        for form in ["-nocrypt", "-passout pass:secret -iter 1"] {
            try openssl.run("pkcs8 -topk8 -in key -outform DER -out file \(form)")
            let der = try openssl.read("file")
            for count in der.indices { #expect(open(Array(der.prefix(count))) == .damaged, "\(count)") }
            #expect(open(der + [0]) == .damaged)
            for bit in 0..<(8 * der.count) {
                var changed = der
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let refusal = open(changed, workLimit: 100)
                #expect(refusal != .libraryFailure, "\(bit)")
                if form == "-nocrypt" { #expect(refusal != .wrongPassword, "\(bit)") }
            }
        }
    }

    @Test(
        "What is not supported is told by its object identifier, which has a name",
        arguments: [
            (p256, "-scrypt -passout pass:secret", "1.3.6.1.4.1.11591.4.11", "scrypt"),
            (
                p256, "-v2 camellia-256-cbc -passout pass:secret", "1.2.392.200011.61.1.1.1.4", "Camellia-256-CBC"
            ),
            (
                p256, "-v1 PBE-SHA1-RC4-128 -passout pass:secret -provider legacy -provider default",
                "1.2.840.113549.1.12.1.1", "pbeWithSHAAnd128BitRC4"
            ),
            ("ED25519", "-nocrypt", "1.3.101.112", "Ed25519"),
            ("ED25519", "-passout pass:secret", "1.3.101.112", "Ed25519"),
            ("EC -pkeyopt ec_paramgen_curve:brainpoolP256r1", "-nocrypt", "1.3.36.3.3.2.8.1.1.7", "brainpoolP256r1"),
        ])
    func unsupported(key: String, form: String, identifier: String, name: String) throws {
        let openssl = try OpenSSL()
        try openssl.run("genpkey -algorithm \(key) -out key")
        try openssl.run("pkcs8 -topk8 -in key -outform DER -out file \(form)")
        #expect(try open(openssl.read("file")) == .unsupported(identifier))
        #expect(PFX.name(ofUnsupported: identifier) == name)
    }
}
