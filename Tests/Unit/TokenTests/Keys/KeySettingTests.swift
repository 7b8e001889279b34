// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
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
