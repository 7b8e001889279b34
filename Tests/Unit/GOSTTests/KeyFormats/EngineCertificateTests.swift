// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("OpenSSL's gost engine agrees on certificates", .usesGOSTEngine)
struct EngineCertificateTests {
    private let engine: OpenSSL
    private let options = "-config request.cnf -subj /CN=Kanal -key private.der -keyform DER -outform DER"

    init() throws {
        engine = try OpenSSL()
        // Without this file, `req` would configure the engine a second time, which fails.
        try engine.write(Array("[req]\ndistinguished_name = name\n[name]\n".utf8), "request.cnf")
    }

    @Test(
        "We read the key in a certificate that the engine makes, and verify its signature",
        arguments: [
            ("gost2001", "A"), ("gost2001", "B"), ("gost2001", "C"), ("gost2001", "XA"), ("gost2001", "XB"),
            ("gost2012_256", "A"), ("gost2012_256", "B"), ("gost2012_256", "C"), ("gost2012_256", "TCA"),
            ("gost2012_256", "TCB"), ("gost2012_256", "TCC"), ("gost2012_256", "TCD"),
            ("gost2012_512", "A"), ("gost2012_512", "B"), ("gost2012_512", "C"),
        ])
    func certificates(algorithm: String, parameters: String) throws {
        try engine.run("genpkey -algorithm \(algorithm) -pkeyopt paramset:\(parameters) -outform DER -out private.der")
        try engine.run("req -x509 -days 1 \(options) -out certificate.der")
        let key = try verifiedKey("certificate.der")
        let own = try engine.readPrivateKey("private.der")
        #expect(try own.publicKey() == key)
    }

    @Test("The engine takes our private key and requests a certificate with it", arguments: Curve.all)
    func requests(curve: Curve) throws {
        let key = try PrivateKey.generate(on: curve, random: Seeded("request \(curve)"))
        try engine.write(key, of: PublicKeyAlgorithm(of: curve), "private.der")
        try engine.run("req -new \(options) -out request.der")
        #expect(try verifiedKey("request.der") == key.publicKey())
    }

    /// The key in a signed structure, which its signature is valid under.
    private func verifiedKey(_ name: String) throws -> PublicKey {
        let der = try engine.read(name)
        let signed = SignedObject(der)
        let encoded = try #require(signed.subjectPublicKeyInfo)
        let info = try SubjectPublicKeyInfo(der: encoded.span)
        let digest = info.algorithm.algorithm.hash(signed.content)
        #expect(try info.key.isValidSignature(signed.signature, digest: digest), "\(der.hex)")
        var changed = signed.signature
        changed[0] ^= 1
        #expect(try !info.key.isValidSignature(changed, digest: digest), "\(der.hex)")
        return info.key
    }
}
