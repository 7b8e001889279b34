// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("OpenSSL's gost engine agrees on ciphers and codes", .usesGOSTEngine)
struct EngineCipherTests {
    private let engine: OpenSSL

    init() throws { engine = try OpenSSL() }

    /// Compares the engine's results for messages, in the file "message", with ours.
    private func compare(
        _ name: String, _ random: Seeded, theirs: (_ key: String, _ iv: String) -> String, sBox: SBox? = nil,
        ours: (_ message: [UInt8], _ key: Span<UInt8>, _ iv: Span<UInt8>) throws -> Secret
    ) throws {
        for message in try random.messages() {
            let (key, iv) = (try random.bytes(32), try random.bytes(16))
            try engine.write(message, "message")
            try engine.run(theirs(key.hex, iv.hex), sBox: sBox)
            let expected = try engine.read("result")
            let result = try ours(message, key.span, iv.span).array
            #expect(result == expected, "\(name), \(message.count) bytes, key \(key.hex), IV \(iv.hex)")
        }
    }

    /// Compares a cipher; `ivSize` bytes are its initialisation vector.
    private func cipher(
        _ name: String, ivSize: Int, sBox: SBox? = nil,
        ours: ([UInt8], Span<UInt8>, Span<UInt8>) throws -> Secret
    ) throws {
        try compare(
            name, Seeded("\(name) \(sBox?.name ?? "")"),
            theirs: { key, iv in "enc -\(name) -K \(key) -iv \(iv.prefix(2 * ivSize)) -in message -out result" },
            sBox: sBox
        ) { message, key, iv in try ours(message, key, iv.extracting(first: ivSize)) }
    }

    /// Compares a code under a key.
    private func code(_ options: String, ours: ([UInt8], Span<UInt8>) throws -> Secret) throws {
        try compare(
            options, Seeded(options),
            theirs: { key, _ in "dgst \(options) -macopt hexkey:\(key) -binary -out result message" }
        ) { message, key, _ in try ours(message, key) }
    }

    @Test("Hash codes")
    func hashes() throws {
        for message in try Seeded("hashes").messages() {
            try engine.write(message, "message")
            for (name, hash) in [
                ("md_gost94", GOSTR341194.hash(message)), ("md_gost12_256", Streebog256.hash(message)),
                ("md_gost12_512", Streebog512.hash(message)),
            ] {
                try engine.run("dgst -\(name) -binary -out hash message")
                #expect(try engine.read("hash") == hash, "\(name) of \(message.hex)")
            }
        }
    }

    @Test("HMAC with each hash function")
    func hmac() throws {
        try code("-md_gost94 -mac hmac") { HMAC<GOSTR341194>.authenticate($0.span, key: $1) }
        try code("-md_gost12_256 -mac hmac") { HMAC<Streebog256>.authenticate($0.span, key: $1) }
        try code("-md_gost12_512 -mac hmac") { HMAC<Streebog512>.authenticate($0.span, key: $1) }
    }

    @Test("PBKDF2 with each hash function")
    func pbkdf2() throws {
        try derivation("md_gost94") { PBKDF2<GOSTR341194>.derive(password: $0, salt: $1, iterations: $2, count: $3) }
        try derivation("md_gost12_256") {
            PBKDF2<Streebog256>.derive(password: $0, salt: $1, iterations: $2, count: $3)
        }
        try derivation("md_gost12_512") {
            PBKDF2<Streebog512>.derive(password: $0, salt: $1, iterations: $2, count: $3)
        }
    }

    private func derivation(_ hash: String, ours: (Span<UInt8>, Span<UInt8>, Int, Int) -> Secret) throws {
        let random = Seeded("PBKDF2 \(hash)")
        let password = try random.bytes(random.number(in: 1...100))
        let salt = try random.bytes(random.number(in: 16...64))
        let (iterations, count) = (random.number(in: 1000...1100), random.number(in: 16...200))
        try engine.run(
            "kdf -keylen \(count) -kdfopt digest:\(hash) -kdfopt hexpass:\(password.hex) -kdfopt hexsalt:\(salt.hex)"
                + " -kdfopt iter:\(iterations) -binary -out key PBKDF2")
        let key = ours(password.span, salt.span, iterations, count).array
        #expect(try engine.read("key") == key, "\(hash), \(password.hex), \(salt.hex), \(iterations), \(count)")
    }

    @Test("CNT with key meshing, with the S-boxes of CryptoPro A and tc26 Z")
    func cnt() throws {
        try mode("gost89-cnt", .gost28147(.cryptoProA), .cnt, ivSize: 8, section: CipherMessage.meshingSection)
        try mode("gost89-cnt-12", .gost28147(.tc26Z), .cnt, ivSize: 8, section: CipherMessage.meshingSection)
    }

    @Test("CFB with key meshing, with every S-box for enciphering", arguments: SBox.ofCiphers)
    func cfb(sBox: SBox) throws {
        try mode("gost89", .gost28147(sBox), .cfb, ivSize: 8, section: CipherMessage.meshingSection, sBox: sBox)
    }

    @Test("IMIT with key meshing, with the S-boxes of CryptoPro A and tc26 Z")
    func imit() throws {
        for (name, sBox) in [("gost-mac", SBox.cryptoProA), ("gost-mac-12", .tc26Z)] {
            try code("-mac \(name)") {
                try GOST28147IMIT.authenticate($0.span, key: $1, sBox: sBox, meshing: true)
            }
        }
    }

    @Test("OMAC of Magma and Kuznyechik")
    func omac() throws {
        try code("-mac magma-mac") { try OMAC.authenticate($0.span, .magma, key: $1) }
        try code("-mac kuznyechik-mac") { try OMAC.authenticate($0.span, .kuznyechik, key: $1) }
    }

    @Test("CTR of Magma and Kuznyechik; with ACPKM, with sections of 1 KiB for Magma and 4 KiB for Kuznyechik")
    func ctr() throws {
        try mode("magma-ctr", .magma, .ctr, ivSize: 4)
        try mode("kuznyechik-ctr", .kuznyechik, .ctr, ivSize: 8)
        try mode("magma-ctr-acpkm", .magma, .ctr, ivSize: 4, section: 1024)
        try mode("kuznyechik-ctr-acpkm", .kuznyechik, .ctr, ivSize: 8, section: 4096)
    }

    @Test("CFB and OFB of Kuznyechik")
    func feedback() throws {
        try mode("kuznyechik-cfb", .kuznyechik, .cfb, ivSize: 16)
        try mode("kuznyechik-ofb", .kuznyechik, .ofb, ivSize: 16)
    }

    /// Compares a cipher, there and back.
    private func mode(
        _ name: String, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, ivSize: Int, section: Int? = nil,
        sBox: SBox? = nil
    ) throws {
        try cipher(name, ivSize: ivSize, sBox: sBox) { message, key, iv in
            let result = try CipherMessage.encrypt(message.span, algorithm, mode, key: key, iv: iv, section: section)
            let ciphertext = result.array
            let back = try CipherMessage.decrypt(ciphertext.span, algorithm, mode, key: key, iv: iv, section: section)
            #expect(back.array == message)
            return Secret(copying: ciphertext)
        }
    }
}

extension SBox {
    /// Those that are not for GOST R 34.11-94.
    fileprivate static let ofCiphers = all.filter { $0.name.contains("28147") }
}
