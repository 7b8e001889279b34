// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Locking
import Logging
import SecureChannel
import Secrets
import TestSupport
import Testing
import Token

@Suite("RSA keys, certificates and data objects through the driver", .serialized)
struct TokenObjectTests {
    @Test(
        "an RSA key of every usual length is made, found by others, and computes", arguments: [512, 1024, 2048, 4096])
    func rsa(_ bits: Int) throws {
        let driver = try Driver.loggedIn(.usb)
        let (publicKey, privateKey) = try driver.generateRSA(bits)
        #expect(publicKey.modulus?.count == bits / 8)
        #expect(publicKey.publicExponent == [1, 0, 1])
        let other = try driver.other(login: true)
        #expect(try other.token.objects().rsaKeys == [publicKey, privateKey])
        #expect(try driver.other(login: false).token.objects().rsaKeys == [publicKey])

        let block = Driver.block(privateKey)
        let signature = try other.token.sign(block: block, with: privateKey)
        #expect(try RSANumbers.raise(signature, publicKey) == block)
        let cryptogram = try RSANumbers.raise(block, publicKey)
        #expect([UInt8](copying: try other.token.decipher(block: cryptogram, with: privateKey)) == block)

        try driver.token.delete(privateKey)
        #expect(try driver.token.objects().rsaKeys == [publicKey])
        try driver.token.delete(publicKey)
        #expect(try other.token.objects() == [])
    }

    @Test(
        "no record gets an identifier that ISO/IEC 7816-4 reserves, or that is taken",
        arguments: [0x0000, 0x3F00, 0x3FFF, 0x1001, 0x7E00] as [UInt16])
    func reservedIdentifiers(_ file: UInt16) throws {
        let files = ChosenFiles([file, 0x1234, 0x1234, 0x1235])
        let driver = try Driver.loggedIn(.usb) { $0.random = files }
        let (publicKey, privateKey) = try driver.generateRSA(512)
        #expect([publicKey.file, privateKey.file] == [0x1234, 0x1235])
    }

    @Test("RSA keys of a token with a channel work in it", arguments: [1024, 2048])
    func protectedRSA(_ bits: Int) throws {
        let driver = try Driver.loggedIn(.bt)
        let (publicKey, privateKey) = try driver.generateRSA(bits)
        #expect(try driver.token.objects().rsaKeys == [publicKey, privateKey])
        let block = Driver.block(privateKey)
        #expect(try RSANumbers.raise(driver.token.sign(block: block, with: privateKey), publicKey) == block)
        #expect(driver.reader.plainCommands.isEmpty)
    }

    @Test("a public RSA key whose record lacks the value is read from its file")
    func foreignPublicKey() throws {
        let driver = try Driver.loggedIn(.usb)
        let (publicKey, privateKey) = try driver.generateRSA(1024)
        // Without its record the public half is only in its file.
        let path: [UInt8] = [0x10, 0x00, 0x10, 0x01]
        _ = driver.reader.card.process([0x00, 0x20, 0x00, 0x02, 0x08] + EmulatedReader.userPIN.utf8)
        _ = driver.reader.card.process([0x00, 0xA4, 0x08, 0x00, 4] + path + [0])
        _ = driver.reader.card.process(
            [0x00, 0xE4, 0x00, 0x00, 2, UInt8(publicKey.file >> 8), UInt8(truncatingIfNeeded: publicKey.file)])
        #expect(try driver.other(login: true).token.objects().rsaKeys == [privateKey])
    }

    @Test("RSA needs User, a private key and a whole block")
    func refusals() throws {
        let driver = try Driver.loggedIn(.usb)
        let (publicKey, privateKey) = try driver.generateRSA(1024)
        let block = Driver.block(privateKey)
        #expect(throws: TokenError.unsupported) { try driver.token.sign(block: block, with: publicKey) }
        #expect(throws: TokenError.unsupported) { try driver.token.sign(block: [0] + block, with: privateKey) }
        let other = try driver.other(login: false)
        #expect(throws: TokenError.notLoggedIn) { try other.token.sign(block: block, with: privateKey) }
        #expect(throws: TokenError.notLoggedIn) { try other.token.delete(publicKey) }
    }

    @Test("an RSA signature costs five commands, and one more where the block does not fit into one")
    func signatureCost() throws {
        let driver = try Driver.loggedIn(.usb)
        for (bits, commands) in [(1024, 5), (2048, 6)] {
            let (_, key) = try driver.generateRSA(bits)
            let cost = try driver.cost { try driver.token.sign(block: Driver.block(key), with: key) }
            #expect(cost.commands == commands)
        }
    }

    @Test("certificates are seen by everybody, data objects by those for whom they are", arguments: [20, 300, 2000])
    func certificatesAndData(_ count: Int) throws {
        let driver = try Driver.loggedIn(.usb)
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let certificate = try driver.token.store(
            .certificate(label: Array("label".utf8), id: [1, 2], subject: [0x30, 0x00], value: value))
        func data(_ isPrivate: Bool) throws -> TokenObject {
            try driver.token.store(
                .data(
                    label: Array("data".utf8), application: Array("application".utf8),
                    objectIdentifier: [0x06, 0x01, 0x2A], value: value, isPrivate: isPrivate))
        }
        let open = try data(false)
        let closed = try data(true)
        for (login, expected) in [(true, [open, closed]), (false, [open])] {
            let objects = try driver.other(login: login).token.objects()
            #expect(objects.certificates == [certificate])
            #expect(objects.data == expected)
        }
        try driver.token.delete(certificate)
        try driver.token.delete(closed)
        #expect(try driver.token.objects() == driver.other(login: true).token.objects())
        #expect(try driver.token.objects() == [open])
        #expect(throws: TokenError.notFound) { try driver.token.delete(certificate) }
    }

    @Test("certificates and data objects go through the channel")
    func protectedObjects() throws {
        let driver = try Driver.loggedIn(.bt)
        let value = [UInt8](repeating: 0x30, count: 700)
        let certificate = try driver.token.store(
            .certificate(label: [], id: [1], subject: [0x30, 0x00], value: value))
        let data = try driver.token.store(.data(label: [0x41], value: value, isPrivate: true))
        let expected = [certificate, data]
        #expect(try driver.token.objects() == expected)
        #expect(driver.reader.plainCommands.isEmpty)
    }

    @Test("files of all lengths around a block come out of the channel whole", arguments: [238, 1024, 4096])
    func lengths(_ limit: Int) throws {
        let identity = Identity.changed { offer in
            offer.maximumCommand = limit
            offer.maximumReply = limit
        }
        let driver = try Driver.loggedIn(identity)
        // A record is 55 bytes longer than the certificate in it.
        let certificates = try [199, 200, 201, 399, 400, 401, 600, 1801, 3400].map { length in
            let value = (0..<(length - 55)).map { UInt8(truncatingIfNeeded: $0 * length) }
            return try driver.token.store(.certificate(label: [], id: [], subject: [], value: value))
        }
        let other = try Driver(driver.reader, store: driver.store)
        _ = try other.token.info(evicting: true)
        let (objects, commands) = try other.cost { try other.token.objects() }
        #expect(objects.certificates == certificates)
        #expect(commands == [238: 39, 1024: 12, 4096: 7][limit])
    }

    @Test("what is not logged in stores nothing")
    func rights() throws {
        let driver = try Driver(EmulatedReader(.usb))
        #expect(throws: TokenError.notLoggedIn) {
            try driver.token.store(.certificate(label: [], id: [], subject: [], value: [0x30, 0x00]))
        }
        #expect(throws: TokenError.notLoggedIn) {
            try driver.token.store(.data(label: [], value: [], isPrivate: false))
        }
    }

    @Test("a search costs two commands while nothing changed; another's certificate is seen by the next")
    func cache() throws {
        let driver = try Driver.loggedIn(.usb)
        let other = try driver.other(login: true)
        _ = try other.token.objects()
        #expect(try other.cost { try other.token.objects() }.commands == 2)
        let certificate = try driver.token.store(
            .certificate(label: [], id: [], subject: [], value: [0x30, 0x00]))
        #expect(try other.token.objects().certificates == [certificate])
        #expect(try other.cost { try other.token.objects() }.commands == 2)
    }
}
