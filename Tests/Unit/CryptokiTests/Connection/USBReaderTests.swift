// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token

@Suite("Commands to a token without a channel that is its own reader on USB", .serialized)
struct USBReaderTests {
    private let reader: EmulatedReader
    private let application: Application
    private let session: CK_SESSION_HANDLE
    private let time = TestTime()

    /// - Parameter isSticky: Whether `plain_login` is `sticky`.
    private init(_ isSticky: Bool) throws {
        (reader, application, session) = try TokenKeyTests.start(.usb, isUSB: true) { [time] settings in
            if isSticky { settings.policy.plainLogin = .sticky }
            settings.clocks = time.clocks
        }
    }

    init() throws { try self.init(false) }

    /// Instructions that `call` sends.
    private func instructions(_ call: () throws -> Void) rethrows -> [UInt8] {
        let before = reader.headers.count
        try call()
        return reader.headers[before...].map { $0[1] }
    }

    private func logOut() throws {
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
    }

    /// The instructions, without the PIN and the end of the right where these stay on the card.
    private static func expected(_ instructions: [UInt8], _ isSticky: Bool) -> [UInt8] {
        isSticky ? instructions.filter { ![0x20, 0x40].contains($0) } : instructions
    }

    @Test("C_Login costs PIN and end of the right, C_Logout one command; the first login, the change counter, too")
    func login() throws {
        for isSticky in [false, true] {
            let scene = try USBReaderTests(isSticky)
            #expect(try scene.instructions(scene.logOut) == [0x40])
            let sent = try scene.instructions { try scene.application.logIn(scene.session) }
            #expect(sent == (isSticky ? [0x20] : [0x20, 0x40]))
        }
        let reader = try EmulatedReader(.usb, isUSB: true)
        let application = Application(reader, store: Folder())
        let first = try application.open()
        let before = reader.headers.count
        try application.logIn(first)
        #expect(reader.headers[before...].map { $0[1] } == [0xCA, 0x20, 0x40])
    }

    @Test("C_Sign with a GOST key sets the key for the first signature only")
    func gost() throws {
        for isSticky in [false, true] {
            let scene = try USBReaderTests(isSticky)
            let key = try scene.application.makeKeys(scene.session).privateKey
            _ = try scene.application.find(scene.session)
            let sent = try (0..<3).map { _ in
                try scene.instructions {
                    _ = try scene.application.sign(scene.session, key, Application.digest, CKM_GOSTR3410)
                }
            }
            let again = Self.expected([0x20, 0x2A, 0x40], isSticky)
            #expect(sent == [Self.expected([0x20, 0x22, 0x2A, 0x40], isSticky), again, again])
        }
    }

    @Test("C_Sign and C_Decrypt with an RSA key of 2048 bits set the key once; a block needs two commands")
    func rsa() throws {
        for isSticky in [false, true] {
            let scene = try USBReaderTests(isSticky)
            let template = try Attributes(template: [
                (CKA_TOKEN, [1]), (CKA_ID, [2]), (CKA_MODULUS_BITS, CK_ULONG(2048).bytes),
            ])
            let keys = try scene.application.library.withSession(scene.session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: CKM_RSA_PKCS_KEY_PAIR_GEN, parameter: []), publicTemplate: template,
                    privateTemplate: try Attributes(template: [(CKA_TOKEN, [1]), (CKA_ID, [2])]))
            }
            let first = Self.expected([0x20, 0x22, 0x2A, 0x2A, 0x40], isSticky)
            let again = Self.expected([0x20, 0x2A, 0x2A, 0x40], isSticky)
            let signatures = try (0..<2).map { _ in
                try scene.instructions {
                    _ = try scene.application.sign(scene.session, keys.1, [1, 2, 3], CKM_RSA_PKCS)
                }
            }
            #expect(signatures == [first, again])
            let cryptogram = [UInt8](repeating: 0, count: 255) + [2]
            let decryptions = try (0..<2).map { _ in
                try scene.instructions {
                    _ = try scene.application.library.withSession(scene.session) { session throws(CKError) in
                        try session.decryptInit(Mechanism(type: CKM_RSA_X_509, parameter: []), key: keys.1)
                        _ = try session.cipher(cryptogram.span, .decryption)
                    }
                }
            }
            #expect(decryptions == [first, again])
        }
    }

    @Test("C_GenerateRandom, a search that finds nothing changed, and C_GetTokenInfo again cost one command")
    func single() throws {
        for isSticky in [false, true] {
            let scene = try USBReaderTests(isSticky)
            _ = try scene.application.makeKeys(scene.session)
            _ = try scene.application.find(scene.session)
            #expect(try scene.instructions { _ = try scene.application.find(scene.session) } == [0xCA])
            _ = try scene.application.library.token(in: 0, evicting: false)
            let information = try scene.instructions { _ = try scene.application.library.token(in: 0, evicting: false) }
            #expect(information == [0xCA])
            let random = try scene.instructions {
                _ = try scene.application.library.withSession(scene.session) { session throws(CKError) in
                    try session.generateRandom(32)
                }
            }
            #expect(random == [0x84])
        }
    }

    @Test("a key pair costs seventeen commands, an object of 800 bytes fourteen with a new index and twelve without")
    func creation() throws {
        let scene = try USBReaderTests()
        _ = try scene.application.makeKeys(scene.session)
        _ = try scene.application.find(scene.session)
        let keys = try scene.instructions { _ = try scene.application.makeKeys(scene.session) }
        // Counter, PIN, whether the key's number is free, three directories and files of the pair, the pair, two records
        // in one directory, the index, counter, end of the right.
        let pair: [UInt8] = [0xCA, 0x20, 0xA4, 0xA4, 0xA4, 0xE0, 0xE0, 0x46]
        #expect(keys == pair + [0xA4, 0xE0, 0xD6, 0xE0, 0xD6, 0xA4, 0xD6, 0xCA, 0x40])
        let template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [
            (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_LABEL, [0x61]),
            (CKA_VALUE, [UInt8](repeating: 7, count: 800)),
        ]
        let costs = try (0..<2).map { _ in
            try scene.instructions { _ = try scene.application.create(scene.session, template) }.count
        }
        #expect(costs == [14, 12])
        #expect(try scene.application.find(scene.session).count == 6)
    }

    @Test("an identifier that a file has is refused by the card, and another one is taken; the file stays")
    func takenIdentifier() throws {
        let scene = try USBReaderTests()
        let template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [
            (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_VALUE, [7]),
        ]
        _ = try scene.application.create(scene.session, template)
        let before = scene.reader.count(of: 0xE0)
        scene.reader.onResponse { [reader = scene.reader] _, instruction, response throws(LinkError) in
            instruction == 0xE0 && reader.count(of: 0xE0) == before + 1 ? Response(StatusWord(0x6A89)) : response
        }
        let sent = try scene.instructions { _ = try scene.application.create(scene.session, template) }
        #expect(sent.count { $0 == 0xE0 } == 2 && !sent.contains(0xE4))
        scene.reader.onResponse(nil)
        #expect(try scene.application.find(scene.session).count == 2)
    }

    @Test("after an error, a reset, an event and suspend the card says its serial number again, once")
    func again() throws {
        let disturbances: [(USBReaderTests) throws -> Void] = [
            { $0.reader.resetCard() },
            { scene in
                scene.reader.onResponse { [reader = scene.reader] _, _, _ throws(LinkError) in
                    reader.onResponse(nil)
                    throw .transmission(code: 1)
                }
                _ = try? scene.application.find(scene.session)
            },
            { $0.time.suspend(.seconds(5)) },
            { $0.reader.countEvent() },
        ]
        for (index, disturb) in disturbances.enumerated() {
            let scene = try USBReaderTests(true)
            _ = try scene.application.find(scene.session)
            let before = scene.reader.headers.count
            try disturb(scene)
            _ = try scene.application.find(scene.session)
            let numbers = scene.reader.headers[before...].count { $0 == [0x00, 0xCA, 0x01, 0x81] }
            #expect(numbers == 1, "disturbance \(index)")
            #expect(try scene.instructions { _ = try scene.application.find(scene.session) } == [0xCA])
        }
    }
}
