// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import TestSupport
import Testing

enum Signing {
    static let hash = [UInt8]((0..<32).map { UInt8($0) }).hex

    /// Makes a key pair with the vendor's commands and gives the public point.
    @discardableResult
    static func makeKey(
        _ card: EmulatedCard, _ number: String, types: (String, String) = ("03", "13"), set: String = "20",
        sizes: (String, String) = ("20", "40")
    ) -> [UInt8] {
        card.loginUser()
        let halves = [
            KeyFiles.privateKey(number, type: types.0, set: set, size: sizes.0),
            KeyFiles.publicKey(number, type: types.1, set: set, size: sizes.1),
        ]
        for half in halves { #expect(card.send("00E0000027" + half) == "9000") }
        let answer = card.send("004680\(number)00")
        #expect(status(answer) == "9000")
        return [UInt8](hex: data(answer))
    }

    static func sign(_ card: EmulatedCard, _ number: String, hash: String) -> String {
        card.loginUser()
        card.send("0022F400")
        #expect(card.send("002241B6038401" + number) == "9000")
        let count = [UInt8(hash.count / 2)].hex
        return card.send("002A9E9A" + count + hash + "00")
    }

    /// Whether the card's signature r ‖ s, little-endian, is right.
    static func isValid(_ signature: String, hash: String, point: [UInt8], curve: Curve) throws -> Bool {
        let key = try PublicKey(curve: curve, bytes: point)
        return try key.isValidSignature([UInt8](hex: data(signature)).reversed(), digest: [UInt8](hex: hash))
    }
}

@Suite("GOST keys and signatures (Card, 9 and 10)")
struct SigningTests {
    @Test(
        "Every parameter set of 256 bits generates, signs and verifies",
        arguments: [
            ("10", Curve.test2001), ("20", .cryptoProA), ("30", .cryptoProB), ("40", .cryptoProC), ("50", .tc26256A),
            ("60", .cryptoProXchA), ("70", .cryptoProXchB),
        ])
    func sets256(set: String, curve: Curve) throws {
        let card = try EmulatedCard.usb()
        let point = Signing.makeKey(card, "01", set: set)
        let signature = Signing.sign(card, "01", hash: Signing.hash)
        #expect(data(signature).count == 128)
        #expect(try Signing.isValid(signature, hash: Signing.hash, point: point, curve: curve))
    }

    @Test(
        "Every parameter set of 512 bits generates, signs and verifies",
        arguments: [("20", Curve.tc26512A), ("30", .tc26512B), ("40", .tc26512C)])
    func sets512(set: String, curve: Curve) throws {
        let card = try EmulatedCard.usb()
        let point = Signing.makeKey(card, "FF", types: ("43", "53"), set: set, sizes: ("40", "80"))
        #expect(point.count == 128)
        let hash = Signing.hash + Signing.hash
        let signature = Signing.sign(card, "FF", hash: hash)
        #expect(data(signature).count == 256)
        #expect(try Signing.isValid(signature, hash: hash, point: point, curve: curve))
        let journal = card.send("00CA017B00")
        #expect(journal.hasPrefix("8081ddaa40" + hash + "b68180" + data(signature) + "850c014300000000" + "00ff"))
    }

    @Test("The vendor's flow: generate, sign, hash and sign, verify, destroy")
    func vendorFlow() throws {
        let card = try EmulatedCard.usb()
        #expect(card.send("00CA017B00") == "6a88")
        let point = Signing.makeKey(card, "02")
        card.send("80400000")
        #expect(card.send("0022F400") == "9000")
        #expect(card.send("002241B603840102") == "9000")
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6982", "the user signs")
        card.loginUser()
        let signature = card.send("002A9E9A20" + Signing.hash + "40")
        #expect(try Signing.isValid(signature, hash: Signing.hash, point: point, curve: .cryptoProA))

        let journal = card.send("00CA017B00")
        let operation = "850c01030000000000020000" + "0001"
        #expect(
            journal == "807caa20" + Signing.hash + "b640" + data(signature) + operation
                + "8308000000000e123456" + "9000")
        #expect(data(journal).count == 2 * 126)

        #expect(card.send("002241AA03800102") == "9000")
        let message = String(repeating: "61", count: 224)
        #expect(card.send("102A9080E0" + message) == "9000")
        #expect(card.send("002A908003 626364 20") == Streebog256.hash([UInt8](hex: message + "626364")).hex + "9000")
        #expect(card.send("002241B603840102") == "9000")
        let hashed = card.send("002A9E0000")
        let hash = Streebog256.hash([UInt8](hex: message + "626364")).hex
        #expect(try Signing.isValid(hashed, hash: hash, point: point, curve: .cryptoProA))
        #expect(card.send("00CA017B00").contains("850c010300010000000200000002"), "the token hashed itself")
        #expect(card.send("002A9E0000") == "6a88", "the hash is used up")

        #expect(card.send("002281B603830102") == "9000")
        let check = "002A00A864 9A20" + Signing.hash + "9E40"
        #expect(card.send(check + data(signature)) == "9000")
        #expect(card.send(check + data(hashed)) == "6300")
        #expect(card.send("002A00A805 9A03000000") == "6a80")

        for directory in ["6001", "6002"] {
            card.send("00A4080006 1000 1000" + directory)
            #expect(card.send("00E4000002 0002") == "9000")
        }
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6a82")
        #expect(card.send("00CA017B00").contains("0002"), "deleting a key leaves the journal alone")
    }

    @Test("The card hashes with all three functions; data after the last link begins a new hash")
    func hashing() throws {
        let card = try EmulatedCard.usb()
        let message = [UInt8]("abc".utf8)
        for (number, expected) in [
            ("01", GOSTR341194.hash(message)), ("02", Streebog256.hash(message)), ("03", Streebog512.hash(message)),
        ] {
            card.send("002241AA038001" + number)
            #expect(card.send("102A908001 61") == "9000")
            #expect(card.send("002A908002 6263 00") == expected.hex + "9000")
            #expect(card.send("002A908003 616263 00") == expected.hex + "9000")
        }
        #expect(card.send("002241AA03800104") == "6a80")
    }

    @Test("A command between the links ends the chain, and the hash with it")
    func brokenChain() throws {
        let card = try EmulatedCard.usb()
        card.send("102A908001 61")
        card.send("00CA018108")
        #expect(card.send("002A908002 6263 20") == Streebog256.hash([0x62, 0x63]).hex + "9000")
    }

    @Test("Public keys are read back by everybody, private ones by nobody")
    func reading() throws {
        let card = try EmulatedCard.usb()
        let point = Signing.makeKey(card, "05")
        card.send("80400000")
        card.send("00A4080008 1000100060010005")
        #expect(card.send("00B0000040") == point.hex + "9000")
        card.send("00A4080008 1000100060020005")
        #expect(card.send("00B0000020") == "6982")
        card.loginUser()
        #expect(card.send("00B0000020") == "6982")
    }

    @Test("An imported private key is checked, marked and signs")
    func importing() throws {
        let card = try EmulatedCard.usb()
        let scalar = "0100000000000000000000000000000000000000000000000000000000000000"
        let order = "93b861b7091b844500d15a997010616c" + String(repeating: "ff", count: 16)
        card.loginUser()
        card.send("00E0000027" + KeyFiles.privateKey("09"))
        #expect(card.send("002241B603840109") == "9000")
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6a88", "no value yet")
        card.send("00A4080008 1000100060020009")
        #expect(card.send("0024010026 80020020A520" + order) == "6a80", "d = q")
        #expect(card.send("0024010026 80020020A520" + String(repeating: "00", count: 32)) == "6a80")
        #expect(card.send("0024010025 8002001FA51F" + scalar.dropLast(2)) == "6a80")
        #expect(card.send("1024010006 80020020A500") == "9000", "a value may come in pieces")
        #expect(card.send("0024010022 A520" + scalar) == "9000")
        #expect(card.send("00A4080008 1000100060020009 00").contains("8506032008aa0000"))
        let signature = Signing.sign(card, "09", hash: Signing.hash)
        let base = [UInt8](hex: "01" + String(repeating: "00", count: 31)) + Self.baseY
        #expect(try Signing.isValid(signature, hash: Signing.hash, point: base, curve: .cryptoProA))
    }

    /// The y coordinate of the base point of CryptoPro-A, little-endian.
    private static let baseY = [UInt8](
        [UInt8](hex: "8d91e471e0989cda27df505a453f2b7635294f2ddf23e3b122acc99c9e9f1e14").reversed())

    @Test("Generation needs both halves, which fit together, and the right to write them")
    func generation() throws {
        let card = try EmulatedCard.usb()
        card.loginUser()
        #expect(card.send("0046800100") == "6a82")
        card.send("00E0000027" + KeyFiles.privateKey("01"))
        #expect(card.send("0046800100") == "6a82")
        card.send("00E0000027" + KeyFiles.publicKey("01", set: "30"))
        #expect(card.send("0046800100") == "6a80")
        card.send("00E0000027" + KeyFiles.privateKey("02"))
        card.send("00E0000027" + KeyFiles.publicKey("02"))
        card.send("80400000")
        #expect(card.send("0046800200") == "6982")
        card.loginUser()
        #expect(status(card.send("0046800200")) == "9000")
        #expect(card.send("00E0000027" + KeyFiles.privateKey("02")) == "6a89")
        #expect(card.send("0046000200") == "6a86")
    }

    @Test("A signature needs a hash of the curve's length")
    func hashLength() throws {
        let card = try EmulatedCard.usb()
        Signing.makeKey(card, "01")
        card.send("002241B603840101")
        #expect(card.send("002A9E9A1F" + Signing.hash.dropLast(2) + "40") == "6700")
        #expect(card.send("002A9E9A40" + Signing.hash + Signing.hash + "40") == "6700")
        #expect(card.send("002A9E9A20" + Signing.hash) == "6700", "nothing could be answered")
        #expect(card.send("002241B603840107") == "6a88", "no such key")
        #expect(card.send("002A808601 00 00") == "6a88", "no key deciphers")
    }

    @Test("Signing leaves the change counter alone; making keys moves it")
    func changeCounter() throws {
        let card = try EmulatedCard.usb()
        Signing.makeKey(card, "01")
        #expect(card.changes == 3)
        _ = Signing.sign(card, "01", hash: Signing.hash)
        #expect(card.changes == 3)
    }
}
