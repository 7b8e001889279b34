import Foundation
import GOST
import Secrets
import TestSupport
import Testing

@Suite("OpenSSL's gost engine agrees", .enabled(if: Engine.isInstalled))
struct EngineTests {
    @Test(
        "The engine verifies our signatures, and we verify the engine's", arguments: Curve.all)
    func signatures(curve: Curve) throws {
        let engine = try Engine()
        let digest = [UInt8]((0..<curve.coordinateSize).map { UInt8($0) })
        try engine.write(digest, "digest")
        let key = try PrivateKey.generate(on: curve, random: SystemRandom())
        let publicKey = try key.publicKey()
        try engine.write(engine.subjectPublicKeyInfo(publicKey), "public.der")
        try engine.write(engine.privateKeyInfo(key), "private.der")

        try engine.write(try key.sign(digest: digest.span, random: SystemRandom()), "ours")
        try engine.run("pkeyutl -verify -pubin -inkey public.der -keyform DER -in digest -sigfile ours")
        try engine.run("pkeyutl -sign -inkey private.der -keyform DER -in digest -out theirs")
        #expect(publicKey.isValidSignature(try engine.read("theirs"), digest: digest))
    }

    @Test("The engine derives the same keys by VKO of 256 and 512 bits and by KEG", arguments: Curve.all)
    func keyAgreement(curve: Curve) throws {
        // The engine's keys of GOST R 34.10-2001 know VKO of that standard only.
        if !curve.name.hasPrefix("id-tc26") { return }
        let engine = try Engine()
        let key = try PrivateKey.generate(on: curve, random: SystemRandom())
        let peer = try PrivateKey.generate(on: curve, random: SystemRandom()).publicKey()
        try engine.write(engine.privateKeyInfo(key), "private.der")
        try engine.write(engine.subjectPublicKeyInfo(peer), "peer.der")
        let h = try SystemRandom().bytes(32)
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

    @Test("The engine computes the same hash codes")
    func hashes() throws {
        let engine = try Engine()
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * $0) }
        try engine.write(message, "message")
        for (name, hash) in [
            ("md_gost94", GOSTR341194.hash(message)), ("md_gost12_256", Streebog256.hash(message)),
            ("md_gost12_512", Streebog512.hash(message)),
        ] {
            try engine.run("dgst -\(name) -binary -out hash message")
            #expect(try engine.read("hash") == hash)
        }
    }

    @Test("The engine's gost89-cnt is CNT with key meshing")
    func cipher() throws {
        let engine = try Engine()
        let message = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (key, iv) = ([UInt8](repeating: 0x17, count: 32), [UInt8](repeating: 0x35, count: 8))
        try engine.write(message, "message")
        try engine.run("enc -gost89-cnt -K \(key.hex) -iv \(iv.hex) -in message -out sealed")
        var cipher = try GOST28147CNT(key: key.span, iv: iv.span, sBox: .cryptoProA, meshing: true)
        let sealed = try engine.read("sealed")
        #expect(cipher.apply(message.span).array == sealed)
    }
}

/// The program `openssl` with the gost engine, in a folder of its own.
private final class Engine {
    private static let library = "/usr/lib/x86_64-linux-gnu/engines-3/gost.so"
    static var isInstalled: Bool { FileManager.default.fileExists(atPath: library) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            openssl_conf = all
            [all]
            engines = list
            [list]
            gost = gost
            [gost]
            engine_id = gost
            dynamic_path = \(Self.library)
            default_algorithms = ALL
            """
        try write(Array(settings.utf8), "openssl.cnf")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    /// Runs `openssl` with these words, and expects success.
    func run(_ words: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.environment = ["OPENSSL_CONF": folder.appending(path: "openssl.cnf").path]
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "openssl \(words): \(String(decoding: text, as: UTF8.self))")
    }

    /// The public key as X.509 has it (RFC 4491, 2.3.2; RFC 9215, 4).
    func subjectPublicKeyInfo(_ key: PublicKey) -> [UInt8] {
        der(0x30, algorithm(key.curve) + der(0x03, [0] + der(0x04, key.bytes)))
    }

    /// The private key as PKCS #8 has it.
    func privateKeyInfo(_ key: borrowing PrivateKey) -> [UInt8] {
        der(0x30, [0x02, 1, 0] + algorithm(key.curve) + der(0x04, der(0x04, key.scalar.array)))
    }

    private func algorithm(_ curve: Curve) -> [UInt8] {
        let is2001 = curve.oid.starts(with: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02])
        let (algorithm, digest) =
            switch curve.coordinateSize {
            case 64: ("1.2.643.7.1.1.1.2", "1.2.643.7.1.1.2.3")
            case _ where is2001: ("1.2.643.2.2.19", "1.2.643.2.2.30.1")
            default: ("1.2.643.7.1.1.1.1", "1.2.643.7.1.1.2.2")
            }
        let parameters = der(0x30, curve.oid + derObjectIdentifier(digest))
        return der(0x30, derObjectIdentifier(algorithm) + parameters)
    }

    private func der(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [tag] + (value.count < 0x80 ? [] : [0x81]) + [UInt8(value.count)] + value
    }
}
