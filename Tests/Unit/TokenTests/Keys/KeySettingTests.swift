// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Token

@Suite("A key that is not set again for the next signature", .serialized)
struct KeySettingTests {
    /// Two keys, and a signature with the first of them.
    private static func start(_ identity: Identity) throws -> (Driver, TokenObject, other: TokenObject) {
        let driver = try Driver.loggedIn(identity)
        let (key, other) = try (driver.generateRSA(1024).1, driver.generateRSA(1024).1)
        try sign(driver, key)
        return (driver, key, other)
    }

    private static func sign(_ driver: Driver, _ key: TokenObject) throws {
        let block = Driver.block(key)
        #expect(try RSANumbers.raise(driver.token.sign(block: block, with: key), key) == block)
    }

    /// Two GOST keys that a search has found, none of which has signed.
    private static func startGOST() throws -> (Driver, Pair, other: Pair) {
        let driver = try Driver.loggedIn(.usb)
        let (pair, other) = try (driver.generateGOST(), driver.generateGOST())
        _ = try driver.token.objects()
        return (driver, pair, other)
    }

    private typealias Pair = (publicKey: TokenObject, privateKey: TokenObject)

    private static func signGOST(_ driver: Driver, _ pair: Pair) throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let signature = try driver.token.sign(digest: digest, with: pair.privateKey)
        let point = try PublicKey(curve: .cryptoProA, bytes: #require(pair.publicKey.key?.kind.value))
        #expect(try point.isValidSignature(signature, digest: digest))
    }

    @Test("what another process has set meanwhile signs nothing that leaves the driver")
    func otherProcess() throws {
        let (driver, key, other) = try Self.start(.usb)
        let process = try driver.other(login: true)
        for _ in 0..<2 {
            try Self.sign(process, other)
            try Self.sign(driver, key)
        }
        // MSE RESTORE leaves no key at all.
        _ = driver.reader.card.process([0x00, 0x22, 0xF4, 0x00])
        try Self.sign(driver, key)
    }

    @Test("one application's keys take turns", arguments: ["usb", "bt"])
    func turns(_ identity: String) throws {
        let (driver, key, other) = try Self.start(identity == "bt" ? .bt : .usb)
        for key in [key, other, other, key] {
            try Self.sign(driver, key)
            let block = Driver.block(key)
            let plain = try driver.token.decipher(block: RSANumbers.raise(block, key), with: key)
            #expect([UInt8](copying: plain) == block)
        }
    }

    @Test("after a reset the key is set again", arguments: ["usb", "bt"])
    func reset(_ identity: String) throws {
        let (driver, key, _) = try Self.start(identity == "bt" ? .bt : .usb)
        driver.reader.resetCard()
        try Self.sign(driver, key)
    }

    @Test("a signature that the card got wrong is not given out")
    func fault() throws {
        let (driver, key, _) = try Self.start(.usb)
        driver.reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction == 0x2A, var data = Optional(response.data), !data.isEmpty else { return response }
            data[0] ^= 1
            return Response(response.status, data: data)
        }
        #expect(throws: TokenError.malformedAnswer) { try Self.sign(driver, key) }
    }

    @Test("a signature by an RSA key of 2048 bits costs five commands without a channel; the first one sets the key")
    func plainRSA() throws {
        let driver = try Driver.loggedIn(.usb)
        let key = try driver.generateRSA(2048).1
        let block = Driver.block(key)
        let costs = try (0..<3).map { _ in try driver.cost { try driver.token.sign(block: block, with: key) }.commands }
        #expect(costs == [6, 5, 5])
    }

    @Test("a signature by a GOST key costs two commands besides PIN and serial number; from the second one on, one")
    func plainGOST() throws {
        let (driver, key, _) = try Self.startGOST()
        let costs = try (0..<3).map { _ in try driver.cost { try Self.signGOST(driver, key) }.commands }
        #expect(costs == [5, 4, 4])
    }

    @Test("a GOST key that another process replaced signs nothing that leaves the driver, and is set again")
    func otherProcessGOST() throws {
        let (driver, key, other) = try Self.startGOST()
        let process = try driver.other(login: true)
        for _ in 0..<2 {
            for key in [key, other] { try Self.signGOST(driver, key) }
            try Self.signGOST(process, other)
            try Self.signGOST(driver, key)
            try Self.signGOST(driver, key)
            try Self.signGOST(process, other)
            #expect(try driver.cost { try Self.signGOST(driver, key) }.commands == 6)
        }
        // MSE RESTORE leaves no key at all.
        _ = driver.reader.card.process([0x00, 0x22, 0xF4, 0x00])
        #expect(try driver.cost { try Self.signGOST(driver, key) }.commands == 6)
        driver.reader.resetCard()
        #expect(try driver.cost { try Self.signGOST(driver, key) }.commands == 5)
    }

    @Test("a GOST key without a public half, or with one that is not its own, is set for each signature")
    func unverifiedGOST() throws {
        for isMissing in [true, false] {
            let first = try Driver.loggedIn(.usb)
            let (publicKey, key) = try first.generateGOST()
            if isMissing {
                try first.token.delete(publicKey)
            } else {
                // Another point in the public key's record.
                let (otherKey, _) = try first.generateGOST()
                let values = try [publicKey, otherKey].map { try #require($0.key?.kind.value) }
                first.reader.onResponse { _, _, response throws(LinkError) in
                    Response(response.status, data: response.data.replacing(values[0], with: values[1]))
                }
            }
            let driver = try first.other(login: true)
            let found = try driver.token.objects()
            #expect(found.count == (isMissing ? 1 : 4))
            let digest = [UInt8](repeating: 1, count: 32)
            for _ in 0..<3 {
                let cost = try driver.cost { try driver.token.sign(digest: digest, with: key) }
                #expect(cost.commands == 5)
                let point = try PublicKey(curve: .cryptoProA, bytes: #require(publicKey.key?.kind.value))
                #expect(try point.isValidSignature(cost.result, digest: digest))
            }
        }
    }

    @Test("in a channel with long messages it costs one round trip", arguments: ChannelProfile.allCases)
    func channelRSA(_ profile: ChannelProfile) throws {
        let identity = Identity.changed { offer in
            offer.profiles = [profile]
            offer.maximumCommand = 1024
            offer.maximumReply = 1024
        }
        let driver = try Driver.loggedIn(identity)
        let key = try driver.generateRSA(2048).1
        let block = Driver.block(key)
        let costs = try (0..<3).map { _ in try driver.cost { try driver.token.sign(block: block, with: key) }.commands }
        #expect(costs == [2, 1, 1])
    }
}
