// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing
import Token

extension Contract {
    @Suite("Keys and other objects on a token")
    struct ObjectTests {
        private static func pair(_ kind: CardKey) -> NewPair {
            NewPair(kind, label: Array("key".utf8), id: [1, 2, 3])
        }

        private static func start(_ subject: Subject) throws -> (ConnectedToken, other: ConnectedToken) {
            let tokens = try subject.freshTokens()
            try tokens.0.logIn(as: .user, pin: .of(Subject.userPIN))
            return tokens
        }

        @Test("a GOST key is made, seen and used by others, and deleted", arguments: Subject.computing)
        func gost(_ subject: Subject) throws {
            let (token, other) = try Self.start(subject)
            let (publicKey, privateKey) = try token.generate(Self.pair(.gost(GOSTKey(.cryptoProA))))
            #expect(try other.objects().keys.map(\.file) == [publicKey.file])
            #expect(try other.objects().keys.first?.value == publicKey.value)
            let digest = [UInt8](0..<32)
            #expect(throws: TokenError.notLoggedIn) { try other.sign(digest: digest, with: privateKey) }
            try other.logIn(as: .user, pin: .of(Subject.userPIN))
            #expect(try other.objects().keys.count == 2)
            let point = try PublicKey(curve: .cryptoProA, bytes: #require(publicKey.value))
            for user in [token, other] {
                let signature = try user.sign(digest: digest, with: privateKey)
                #expect(try point.isValidSignature(signature, digest: digest))
                #expect(try !point.isValidSignature(signature, digest: digest.dropLast() + [0]))
            }
            try token.delete(privateKey)
            #expect(try other.objects().keys.map(\.file) == [publicKey.file])
            try token.delete(publicKey)
            #expect(try other.objects() == [])
        }

        @Test("an RSA key signs and deciphers", arguments: Subject.computing, [1024, 2048])
        func rsa(_ subject: Subject, bits: Int) throws {
            let (token, other) = try Self.start(subject)
            let size = try #require(RSAKeySize(bits: bits))
            let (publicKey, privateKey) = try token.generate(Self.pair(.rsa(RSAKey(size))))
            #expect(try other.objects().rsaKeys.map(\.file) == [publicKey.file])
            let key = try RSAPublicKey(
                modulus: #require(publicKey.modulus), publicExponent: #require(publicKey.publicExponent))
            #expect(key.bitCount == bits)
            let block = [0x00, 0x01] + [UInt8](repeating: 0xFF, count: bits / 8 - 23) + [0x00] + [UInt8](1...20)
            for _ in 0..<2 {
                let signature = try token.sign(block: block, with: privateKey)
                #expect(try key.isValidSignature(signature.span, of: [UInt8](1...20).span, .pkcs1))
            }
            let plain = try token.decipher(block: key.encrypt(block.span, .raw), with: privateKey)
            #expect([UInt8](copying: plain) == block)
            try token.delete(privateKey)
            try token.delete(publicKey)
            #expect(try other.objects() == [])
        }

        @Test(
            "a certificate and data come back as they were, private data for User only", arguments: Subject.disposable)
        func contents(_ subject: Subject) throws {
            let (token, other) = try Self.start(subject)
            let value = (0..<700).map { UInt8(truncatingIfNeeded: $0) }
            let certificate = try token.store(
                .certificate(label: [1], id: [2], subject: [0x30, 0x00], value: value))
            let open = try token.store(.data(label: [3], application: [4], value: value, isPrivate: false))
            let hidden = try token.store(.data(label: [5], value: Array(value.reversed()), isPrivate: true))
            let visible = try other.objects()
            #expect(visible.certificates == [certificate] && visible.data == [open])
            #expect(try token.objects().data == [open, hidden])
            try token.delete(certificate)
            try token.delete(open)
            try token.delete(hidden)
            #expect(try token.objects() == [])
        }

        @Test("what is deleted leaves its memory free", arguments: Subject.disposable)
        func memory(_ subject: Subject) throws {
            let (token, _) = try Self.start(subject)
            func store() throws -> TokenObject {
                try token.store(.data(label: [], value: [UInt8](repeating: 1, count: 1000), isPrivate: false))
            }
            // The first one makes the index, which stays.
            try token.delete(store())
            let free = try #require(token.info(evicting: true).freeMemory)
            let data = try store()
            #expect(try #require(token.info(evicting: true).freeMemory) <= free - 1000)
            try token.delete(data)
            #expect(try token.info(evicting: true).freeMemory == free)
        }

        @Test("the change counter tells another process of a new object", arguments: Subject.disposable)
        func changes(_ subject: Subject) throws {
            let (token, other) = try Self.start(subject)
            #expect(try other.objects() == [])
            for count in 1...3 {
                _ = try token.store(.data(label: [], value: [1], isPrivate: false))
                #expect(try other.objects().data.count == count)
            }
        }
    }
}
