// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import GOST
import TestSupport
import Testing
import Token

/// A token on which OpenSC has stored objects: the bytes are those that its tools write.
struct OpenSCToken {
    let reader: EmulatedReader
    private(set) var modulus: [UInt8] = []
    private(set) var point: [UInt8] = []
    static let certificate = [UInt8](hex: "3082012c") + [UInt8](repeating: 0x55, count: 300)

    init() throws {
        reader = try EmulatedReader(.usb)
        send("0020000208" + Array(EmulatedReader.userPIN.utf8).hex)
        makeKeys()
        send("00A40000023F0000")
        send("00E000001F 6F1D 80021388 82023800 83025000 860F430000000000000200000000000000")
        makeDirectories()
        makeValues()
        send("80400000")
    }

    private mutating func makeKeys() {
        send("00A4080004 10001001 00")
        for (number, size, type) in [
            ("01", "0020", "0320"), ("01", "0040", "1320"), ("02", "0148", "2300"), ("02", "00C0", "3300"),
        ] {
            send(
                "00E0000027 6F25 8002\(size) 82021000 830200\(number) 8506\(type)00AA0000"
                    + "860F460002020000000200000000000000")
        }
        point = send("0046800100")
        modulus = send("0046800208 A606940401000100 00").reversed()
    }

    private func makeDirectories() {
        let list = [("a8", "6005"), ("a0", "6002"), ("a1", "6001"), ("a4", "6004"), ("a7", "6006")]
        make(0x5031, list.map { "\($0.0)0a300804063f005000\($0.1)" }.joined(), size: 128)
        make(
            0x6002,
            "a437300a0c0167030206c0040102300e04010703020274030203b8020101a1193017300c040a3f001000100060"
                + "0200010201010201000201003033300b0c027273030206c0040102300e04010803020274030203b8020102a114"
                + "3012300c040a3f00100010006002000202020400")
        make(
            0x6001,
            "a42f30070c016703020640300d0401070302008b010100020100a1153013300804063f00500002000201010201"
                + "00020100302b30080c02727303020640300d0401080302008b010100020100a110300e300804063f0050000201"
                + "02020400")
        make(
            0x6004,
            "301d30080c026374030206403003040108a10c300a300804063f0050000300")
        make(
            0x6006,
            "302730090c036f706503020640300e0c047465737406062a8507010203a10a300804063f005000040030273009"
                + "0c03736563030206c0300e0c047465737406062a8507010203a10a300804063f0050000500")
    }

    private func makeValues() {
        make(0x0200, "0440" + point.hex, size: 66)
        let integer = "028181" + "00" + modulus.hex
        make(0x0201, "308189" + integer + "0203010001", size: 140)
        make(0x0300, Self.certificate.hex, size: Self.certificate.count)
        make(0x0400, "6f70656e", size: 4)
        make(0x0500, "736563726574", size: 6, reading: "02")
    }

    /// Creates a file in the directory of OpenSC's application.
    private func make(_ file: UInt16, _ content: String, size: Int = 2048, reading: String = "00") {
        let content = [UInt8](hex: content)
        let numbers = [size, Int(file)].map { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)].hex }
        send("00A4080002 5000 00")
        send(
            "00E000001F 6F1D 8002\(numbers[0]) 82020100 8302\(numbers[1]) 860F43\(reading)0200000000000200000000000000")
        var offset = 0
        while offset < content.count {
            let part = content[offset..<min(offset + 200, content.count)]
            let place = [UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset)]
            send("00D6" + place.hex + [UInt8(part.count)].hex + Array(part).hex)
            offset += part.count
        }
    }

    /// - Returns: The data of the answer.
    @discardableResult
    private func send(_ command: String) -> [UInt8] {
        let answer = reader.card.process([UInt8](hex: command))
        let status = Array(answer.suffix(2))
        #expect(status == [0x90, 0x00], "\(command): \(answer.hex)")
        return answer.dropLast(2)
    }
}

@Suite("What OpenSC has stored", .serialized)
struct OpenSCTokenTests {
    private func driver(_ token: OpenSCToken, login: Bool) throws -> Driver {
        let driver = try Driver(token.reader)
        if login { try driver.token.logIn(as: .user, pin: .of(EmulatedReader.userPIN)) }
        return driver
    }

    @Test("its keys, certificates and data objects are found, the private ones by User only")
    func objects() throws {
        let token = try OpenSCToken()
        for login in [true, false] {
            let objects = try driver(token, login: login).token.objects()
            #expect(objects.keys.map(\.half) == (login ? [.publicKey, .privateKey] : [.publicKey]))
            #expect(objects.rsaKeys.map(\.half) == (login ? [.publicKey, .privateKey] : [.publicKey]))
            #expect(objects.keys.allSatisfy { $0.curve == .cryptoProA && $0.id == [7] && $0.label == [0x67] })
            #expect(objects.keys.first?.value == token.point)
            #expect(objects.rsaKeys.allSatisfy { $0.modulus == token.modulus && $0.publicExponent == [1, 0, 1] })
            #expect(objects.rsaKeys.allSatisfy { $0.bits == 1024 && $0.id == [8] && $0.isForeign })
            #expect(objects.certificates.map(\.value) == [OpenSCToken.certificate])
            #expect(objects.certificates.map(\.id) == [[8]])
            #expect(
                objects.data.map(\.value)
                    == (login ? [Array("open".utf8), Array("secret".utf8)] : [Array("open".utf8)]))
            #expect(objects.data.map(\.isPrivate) == (login ? [false, true] : [false]))
            #expect(objects.data.first?.dataObject?.application == Array("test".utf8))
            #expect(objects.data.first?.dataObject?.objectIdentifier == [UInt8](hex: "06062a8507010203"))
        }
    }

    @Test("its private keys compute, and are not deleted by Kanal")
    func use() throws {
        let token = try OpenSCToken()
        let driver = try driver(token, login: true)
        let objects = try driver.token.objects()
        let rsa = try #require(objects.rsaKeys.last)
        let block = Driver.block(rsa)
        #expect(try RSANumbers.raise(driver.token.sign(block: block, with: rsa), rsa) == block)
        let gost = try #require(objects.keys.last)
        #expect(try driver.token.sign(digest: [UInt8](repeating: 1, count: 32), with: gost).count == 64)
        #expect(throws: TokenError.unsupported) { try driver.token.delete(rsa) }
        #expect(throws: TokenError.unsupported) { try driver.token.delete(gost) }
        for certificate in objects.certificates {
            #expect(throws: TokenError.unsupported) { try driver.token.delete(certificate) }
        }
        for data in objects.data { #expect(throws: TokenError.unsupported) { try driver.token.delete(data) } }
    }

    @Test("what Kanal stores beside it is found with it")
    func both() throws {
        let token = try OpenSCToken()
        let driver = try driver(token, login: true)
        let certificate = try driver.token.store(
            .certificate(label: [], id: [], subject: [], value: [0x30, 0x00]))
        let (publicKey, privateKey) = try driver.generateRSA(512)
        let objects = try driver.token.objects()
        #expect(objects.certificates.first == certificate)
        #expect(objects.certificates.count == 2)
        #expect(objects.rsaKeys.prefix(2) == [publicKey, privateKey])
        #expect(objects.rsaKeys.count == 4)
    }
}
