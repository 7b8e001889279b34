// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets
import TestSupport
import Testing

@Suite("RSA, ECDSA, secret keys and VKO (Card, 9 and 10)")
struct KeyKindTests {
    /// Makes the files of an RSA pair of `bits` bits, with the conditions that OpenSC gives them.
    private static func createRSA(_ card: EmulatedCard, bits: Int, property: String = "00") -> [String] {
        card.loginUser()
        let half = bits / 16
        return [("23", 5 * half + 8, "02"), ("33", 3 * half, "00")].map { type, size, use in
            let size = [UInt8(size >> 8), UInt8(size & 0xFF)].hex
            return card.send(
                "00E0000027 6F25 8002\(size) 82021000 83020011 8506\(type)\(property)00AA0000 860F460002\(use)0000000200"
                    + "000000000000")
        }
    }

    /// Sends data of any length as a chain, and fetches an answer of any length.
    private static func chain(_ card: EmulatedCard, _ header: String, _ data: [UInt8]) -> [UInt8] {
        var rest = data[...]
        while rest.count > 255 {
            #expect(card.send("10" + header + "FF" + Array(rest.prefix(255)).hex) == "9000")
            rest = rest.dropFirst(255)
        }
        return fetch(card, card.send("00" + header + [UInt8(rest.count)].hex + Array(rest).hex + "00"))
    }

    private static func fetch(_ card: EmulatedCard, _ answer: String) -> [UInt8] {
        var answer = answer
        var bytes = [UInt8](hex: data(answer))
        while status(answer).hasPrefix("61"), bytes.count < 1024 {
            answer = card.send("00C00000" + status(answer).suffix(2))
            bytes += [UInt8](hex: data(answer))
        }
        #expect(status(answer) == "9000")
        return bytes
    }

    @Test(
        "RSA pairs of 512 to 4096 bits sign and decipher what OpenSSL verifies and encrypts",
        arguments: [512, 1024, 2048, 3072, 4096])
    func rsa(bits: Int) throws {
        let card = try EmulatedCard.usb()
        #expect(Self.createRSA(card, bits: bits) == ["9000", "9000"])
        let modulus = Self.fetch(card, card.send("0046801108 A606940401000100 00"))
        #expect(modulus.count == bits / 8 && modulus.last.map { $0 >= 0x80 } == true)
        #expect(card.send("00A4080008 1000100060010011") == "9000")
        let offset = [UInt8((bits / 8) >> 8), UInt8((bits / 8) & 0xFF)].hex
        #expect(card.send("00B0" + offset + "04") == "010001009000", "the exponent lies behind the modulus")

        let message = [UInt8]((0..<bits / 8 - 1).map { UInt8(truncatingIfNeeded: $0 + 1) }) + [0]
        let key = OpenSSL.rsaPublicKey(modulus: modulus, exponent: [1, 0, 1])
        let options = ["-pubin", "-keyform", "DER", "-inkey", "key", "-pkeyopt", "rsa_padding_mode:none", "-in", "in"]
        #expect(card.send("002241B603840111") == "9000")
        let signature = Self.chain(card, "2A9E9A", message)
        let recovered = try OpenSSL.run(
            ["pkeyutl", "-verifyrecover"] + options, files: ["key": key, "in": signature.reversed()])
        #expect(recovered?.reversed() == message)

        let encrypted = try #require(
            try OpenSSL.run(["pkeyutl", "-encrypt"] + options, files: ["key": key, "in": message.reversed()]))
        #expect(card.send("002241B803840111") == "9000")
        #expect(Self.chain(card, "2A8086", encrypted.reversed()) == message)
        #expect(card.send("00CA017B00") == "6a88", "the journal holds GOST signatures only")
    }

    @Test("A modulus of 4096 bits needs the exponent, is fetched by GET RESPONSE, and is not for the second generation")
    func longModulus() throws {
        let card = try EmulatedCard.usb()
        #expect(Self.createRSA(card, bits: 4096) == ["9000", "9000"])
        #expect(card.send("0046801100") == "6a80", "a real token would make a malformed key")
        #expect(card.send("0046801108 A606940401000100 00") == "6100")
        #expect(card.send("00C0000000").hasSuffix("6100"))
        let second = try EmulatedCard(.ecp2)
        #expect(Self.createRSA(second, bits: 4096) == ["6a80", "6a80"])
        #expect(Self.createRSA(second, bits: 2048, property: "1F") == ["6a80", "6a80"])
        #expect(Self.createRSA(second, bits: 2048) == ["9000", "9000"])
        #expect(Self.createRSA(card, bits: 576) == ["6a80", "6a80"])
    }

    @Test("An RSA key is imported in pieces, each with its header, and refused if it is none")
    func rsaImport() throws {
        let card = try EmulatedCard.usb()
        let pem = try #require(try OpenSSL.run(["genrsa", "-traditional", "1024"], files: [:]))
        let text = try #require(
            try OpenSSL.run(["asn1parse", "-in", "key"], files: ["key": pem])
                .map { String(decoding: $0, as: UTF8.self) })
        let numbers = text.split(separator: "\n").compactMap { line in
            line.contains("INTEGER") ? [UInt8](hex: String(line.split(separator: ":").last ?? "")) : nil
        }
        // version, n, e, d, p, q, dmp1, dmq1, iqmp (RFC 8017, A.1.2).
        #expect(numbers.count == 9)
        func half(_ index: Int) -> [UInt8] {
            let digits = [UInt8](numbers[index].reversed())
            return digits + [UInt8](repeating: 0, count: 64 - digits.count)
        }
        let zeros: [UInt8] = [0, 0, 0, 0]
        let value: [UInt8] = [half(4), zeros, half(5), zeros, half(8), half(6), half(7)].flatMap { $0 }
        #expect(Self.createRSA(card, bits: 1024) == ["9000", "9000"])
        card.send("00A4080008 1000100060020011")
        #expect(Self.importKey(card, value) == "9000")
        #expect(card.send("00A4080008 1000100060020011 00").contains("8506230008aa0000"))
        card.send("002241B603840111")
        let message = [UInt8](repeating: 0x5A, count: 127) + [0]
        let signature = Self.chain(card, "2A9E9A", message)
        let recovered = try OpenSSL.run(
            ["pkeyutl", "-verifyrecover", "-inkey", "key", "-pkeyopt", "rsa_padding_mode:none", "-in", "in"],
            files: ["key": pem, "in": signature.reversed()])
        #expect(recovered?.reversed() == message)
        #expect(card.send("102A9E9A01 00") == "9000")
        #expect(
            card.send("002A9E9A7F " + String(repeating: "FF", count: 127) + "00") == "6a80", "not below the modulus")
        for index in [0, 64, 70, 140] {
            var changed = value
            changed[index] ^= 1
            card.send("00A4080008 1000100060020011")
            #expect(Self.importKey(card, changed) == "6a80")
        }
    }

    private static func importKey(_ card: EmulatedCard, _ value: [UInt8]) -> String {
        let count = [UInt8(value.count >> 8), UInt8(value.count & 0xFF)]
        #expect(card.send("10240100FF 8002\(count.hex) A5F9" + Array(value.prefix(249)).hex) == "9000")
        let rest = Array(value.dropFirst(249))
        return card.send("00240100" + [UInt8(rest.count + 2), 0xA5, UInt8(rest.count)].hex + rest.hex)
    }

    @Test(
        "keys of ECDSA sign what OpenSSL verifies, generated or imported",
        arguments: [
            ("E0", "06082a8648ce3d030107", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
            ("E1", "06052b8104000a", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
        ])
    func ecdsa(set: String, curve: String, order: String) throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        #expect(card.send("00E0000027" + KeyFiles.privateKey("21", type: "63", set: set, size: "24")) == "9000")
        #expect(card.send("00E0000027" + KeyFiles.publicKey("21", type: "73", set: set, size: "44")) == "9000")
        let point = [UInt8](hex: data(card.send("0046802100")))
        #expect(point.count == 64)
        card.send("002241B603840121")
        let hash = [UInt8](hex: Signing.hash)
        for _ in 0..<2 {
            let answer = card.send("002A9E9A20" + hash.hex + "40")
            let files = [
                "key": OpenSSL.ecPublicKey(point, curve: [UInt8](hex: curve)), "in": [UInt8](hash.reversed()),
                "signature": OpenSSL.signature([UInt8](hex: data(answer))),
            ]
            let options = ["-pubin", "-keyform", "DER", "-inkey", "key", "-in", "in", "-sigfile", "signature"]
            #expect(try OpenSSL.run(["pkeyutl", "-verify"] + options, files: files) != nil)
        }
        card.send("00A4080008 1000100060010021")
        #expect(card.send("00B0000040") == point.hex + "9000")
        let order = [UInt8]([UInt8](hex: order).reversed()).hex
        card.send("00A4080008 1000100060020021")
        #expect(card.send("0024010026 80020020A520" + order) == "6a80")
        #expect(card.send("0024010026 80020020A520" + Signing.hash) == "9000")
        #expect(card.send("002A9E9A1F" + hash.dropLast().hex + "40") == "6700")
    }

    /// Makes and fills a file for a secret key.
    private static func store(_ card: EmulatedCard, type: String, _ key: String) {
        card.loginUser()
        card.send("00A4080006 100010006003")
        card.send("00E4000002 0031")
        let conditions = "860F47020202000000020000000000 0000"
        #expect(card.send("00E0000027 6225 80020020 82021000 83020031 8506\(type)00AA0000" + conditions) == "9000")
        card.send("00A4080008 1000100060030031")
        #expect(card.send("0024010026 80020020A520" + key) == "9000")
    }

    @Test(
        "Secret keys encipher, decipher and authenticate as GOST R 34.12-2015 and 34.13-2015 (A.1 and A.2) have it",
        arguments: [
            (
                "8202", "8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef",
                "1122334455667700ffeeddccbbaa9988", "7f679d90bebc24305a468d42b9d4edcd", "1234567890abcef0",
                "f195d8bec10ed1dbd57b5fa240bda1b8"
            ),
            (
                "8201", "ffeeddccbbaa99887766554433221100f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
                "92def06b3c130a59", "2b073f0494f372a0", "12345678", "4e98110c97b7b93c"
            ),
        ])
    func secretKeys(type: String, key: String, plain: String, block: String, iv: String, gamma: String) throws {
        let card = try EmulatedCard.usb()
        Self.store(card, type: type, key)
        let count = [UInt8(plain.count / 2)].hex
        #expect(card.send("002241B806 800101 840131") == "9000")
        #expect(card.send("002A8680\(count)\(plain)00") == block + "9000")
        #expect(card.send("002A8086\(count)\(block)00") == plain + "9000")
        #expect(card.send("002A868003 01020300") == "6a80", "no whole block")
        let length = [UInt8(iv.count / 2)].hex
        let header = [UInt8(8 + iv.count / 2)].hex
        #expect(card.send("002241B8\(header) 800102 840131 87\(length)\(iv)") == "9000")
        #expect(card.send("002A8680\(count)\(plain)00") == gamma + "9000")
        #expect(card.send("002A8086\(count)\(gamma)00") == plain + "9000")
        #expect(card.send("002241B806 800103 840131") == "9000")
        #expect(data(card.send("002A8680\(count)\(plain)00")).count == plain.count, "one block")
        #expect(card.send("002A8086\(count)\(plain)00") == "6985", "a code is not reversed")
        card.send("80400000")
        #expect(card.send("002A8680\(count)\(plain)00") == "6982", "the user enciphers")
    }

    @Test("GOST 28147-89 keys take the parameter set of their file")
    func gost28147() throws {
        let card = try EmulatedCard.usb()
        let key = Signing.hash
        for (set, sBox) in [("00", SBox.tc26Z), ("20", .cryptoProA), ("50", .cryptoProD)] {
            Self.store(card, type: "02" + set, key)
            card.send("002241B806 800101 840131")
            let expected = try CipherMessage.encrypt(
                [1, 2, 3, 4, 5, 6, 7, 8].span, .gost28147(sBox), .ecb, key: [UInt8](hex: key).span)
            #expect(card.send("002A868008 0102030405060708 00") == [UInt8](copying: expected).hex + "9000")
        }
    }

    @Test("VKO gives what the other side computes, for keys that may agree on secrets")
    func agreement() throws {
        let card = try EmulatedCard.usb()
        let point = Signing.makeKey(card, "01")
        let peer = try PrivateKey.generate(on: .cryptoProA, random: SystemRandom())
        let message = "7C4C8540" + (try peer.publicKey().bytes.hex) + "94080102030405060708"
        #expect(card.send("002241A603840101") == "9000")
        #expect(card.send("008600004E" + message + "20") == "6982", "the key may not")

        let files = [KeyFiles.privateKey("02"), KeyFiles.publicKey("02")].map {
            $0.replacing("032000AA", with: "032001AA").replacing("132000AA", with: "132001AA")
        }
        for file in files { #expect(card.send("00E0000027" + file) == "9000") }
        let own = try PublicKey(curve: .cryptoProA, bytes: [UInt8](hex: data(card.send("0046800200"))))
        #expect(own.bytes != point)
        let ukm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let expected = [
            ("002241A603840102", [UInt8](copying: try peer.vko2012256(with: own, ukm: ukm.span))),
            ("002241A606800101840102", [UInt8](copying: try peer.vko2001(with: own, ukm: ukm.span))),
        ]
        for (environment, secret) in expected {
            #expect(card.send(environment) == "9000")
            #expect(card.send("008600004E" + message + "20") == secret.hex + "9000")
        }
        #expect(card.send("0086000003 7C010020") == "6a80")
        #expect(card.send("002241B803840101") == "9000")
        let deciphered = card.send("002A808648" + (try peer.publicKey().bytes.hex) + ukm.hex + "00")
        let first = try PublicKey(curve: .cryptoProA, bytes: point)
        #expect(deciphered == [UInt8](copying: try peer.vko2012256(with: first, ukm: ukm.span)).hex + "9000")
        #expect(card.send("002A808640" + point.hex + "00") == "6700", "no keying material")
    }
}
