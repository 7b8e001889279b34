// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("OpenSSL's gost engine agrees on signatures and keys", .usesGOSTEngine)
struct EngineTests {
    @Test("The engine verifies our signatures, and we verify the engine's", arguments: Curve.all)
    func signatures(curve: Curve) throws {
        let (engine, random) = (try OpenSSL(), Seeded("signature \(curve)"))
        let digest = try random.bytes(curve.coordinateSize)
        let key = try PrivateKey.generate(on: curve, random: random)
        let publicKey = try key.publicKey()
        try engine.write(digest, "digest")
        try engine.write(publicKey, of: PublicKeyAlgorithm(of: curve), "public.der")
        try engine.write(key, of: PublicKeyAlgorithm(of: curve), "private.der")

        try engine.write(try key.sign(digest: digest.span, random: random), "ours")
        try engine.run("pkeyutl -verify -pubin -inkey public.der -keyform DER -in digest -sigfile ours")
        try engine.run("pkeyutl -sign -inkey private.der -keyform DER -in digest -out theirs")
        let theirs = try engine.read("theirs")
        #expect(try publicKey.isValidSignature(theirs, digest: digest), "\(theirs.hex)")
    }

    @Test("The engine reads our keys, and we read them as it writes them", arguments: Curve.all)
    func keys(curve: Curve) throws {
        let (engine, algorithm) = (try OpenSSL(), PublicKeyAlgorithm(of: curve))
        let key = try PrivateKey.generate(on: curve, random: Seeded("keys \(curve)"))
        let publicKey = try key.publicKey()
        try engine.write(publicKey, of: algorithm, "public.der")
        try engine.write(key, of: algorithm, "private.der")

        try engine.run("pkey -pubin -in public.der -inform DER -pubout -outform DER -out public")
        #expect(try engine.readPublicKey("public") == publicKey)
        try engine.run("pkey -in private.der -inform DER -pubout -outform DER -out public")
        #expect(try engine.readPublicKey("public") == publicKey)
        try engine.run("pkey -in private.der -inform DER -outform DER -out private")
        let theirs = try engine.readPrivateKey("private")
        #expect(theirs.scalar.array == key.scalar.array && theirs.curve == curve)
    }

    @Test("The engine derives the same keys by VKO of 256 and 512 bits and by KEG", arguments: Curve.all)
    func keyAgreement(curve: Curve) throws {
        // The engine's keys of GOST R 34.10-2001 know VKO of that standard only.
        if PublicKeyAlgorithm(of: curve) == .gostR34102001 { return }
        let (engine, random) = (try OpenSSL(), Seeded("agreement \(curve)"))
        let key = try PrivateKey.generate(on: curve, random: random)
        let peer = try PrivateKey.generate(on: curve, random: random).publicKey()
        try engine.write(key, of: PublicKeyAlgorithm(of: curve), "private.der")
        try engine.write(peer, of: PublicKeyAlgorithm(of: curve), "peer.der")
        let h = try random.bytes(32)
        let ukm = Array(h.prefix(16))

        let derive = "pkeyutl -derive -inkey private.der -keyform DER -peerkey peer.der -peerform DER -out key"
        try engine.run("\(derive) -pkeyopt ukmhex:\(h.hex)")
        #expect(try key.keg(with: peer, h: h.span).array == engine.read("key"), "h \(h.hex)")
        try engine.run("\(derive) -pkeyopt vko:256 -pkeyopt ukmhex:\(ukm.hex)")
        #expect(try key.vko2012256(with: peer, ukm: ukm.span).array == engine.read("key"), "UKM \(ukm.hex)")
        if curve.coordinateSize == 64 {
            try engine.run("\(derive) -pkeyopt vko:512 -pkeyopt ukmhex:\(ukm.hex)")
            #expect(try key.vko2012512(with: peer, ukm: ukm.span).array == engine.read("key"), "UKM \(ukm.hex)")
        }
    }
}
