// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Encrypted messages", .usesGOSTEngine)
struct EncryptionTests {
    private static let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    /// The fault that `work` throws; nil if it succeeds.
    private func fault(_ work: () async throws -> Void) async throws -> DecryptionFault? {
        do {
            try await work()
            return nil
        } catch KanalError.messageNotDecrypted(let fault) {
            return fault
        }
    }

    @Test(
        "Keys of each kind open what is encrypted for them, in each cipher", arguments: MessageScene.kinds.map(\.kind))
    func ciphers(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind, agrees: kind.agrees)
        let other = try scene.openssl.makeSigner("rsa:2048")
        for cipher in MessageCipher.allCases {
            var encryptor = try MessageEncryptor(to: [other, scene.certificate.value])
            encryptor.cipher = cipher
            let message = try encryptor.encrypt(Self.content)
            let (opened, result) = try await scene.decrypt(message)
            #expect(opened == Self.content)
            #expect(result.isAuthenticated == cipher.isAuthenticated && result.keyLabel == "key")

            let streamed = Lock<[UInt8]>([])
            try await encryptor.encrypt(.pieces(of: Self.content, 777)) { bytes in streamed.withLock { $0 += bytes } }
            #expect(try await scene.decrypt(streamed.withLock { $0 }).content == Self.content)
        }
    }

    @Test("What the program encrypts is opened", arguments: MessageScene.kinds.map(\.kind))
    func theirs(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind, agrees: kind.agrees)
        let (openssl, content) = (scene.openssl, Self.content)
        try openssl.write(content, "content")
        let ciphers =
            kind.isGOST
            ? ["gost89", "kuznyechik-ctr-acpkm-omac"] : ["aes256", "aes-256-gcm"] + (kind == .p256 ? [] : ["des3"])
        let options = kind == .rsa(bits: 2048) ? ["", "-keyopt rsa_padding_mode:oaep"] : [""]
        for cipher in ciphers {
            for form in ["", "-stream"] {
                for option in options {
                    try openssl.run(
                        "cms -encrypt -binary \(form) -in content -outform DER -\(cipher) -out message -recip signer.pem"
                            + " \(option)")
                    #expect(try await scene.decrypt(openssl.read("message")).content == content)
                }
            }
        }
    }

    @Test("The program opens what is encrypted for keys of RSA and P-256")
    func ours() async throws {
        let openssl = try OpenSSL()
        _ = try openssl.makeAuthority("ca")
        for key in ["rsa:2048", OpenSSL.p256] {
            let certificate = try openssl.makeSigner(key)
            for cipher in [MessageCipher.aes256GCM, .aes256CBC] {
                for padding in [EncryptionPadding.pkcs1, .oaep(.sha256), .oaep(.sha512)] {
                    var encryptor = try MessageEncryptor(to: [certificate])
                    encryptor.cipher = cipher
                    encryptor.padding = padding
                    try openssl.write(encryptor.encrypt(Self.content), "message")
                    try openssl.run(
                        "cms -decrypt -binary -in message -inform DER -recip theirs.pem -inkey theirs.key -out opened")
                    #expect(try openssl.read("opened") == Self.content)
                }
            }
        }
    }

    @Test("The strongest cipher is the one that all recipients may be assumed to have")
    func strongest() async throws {
        let openssl = try OpenSSL()
        _ = try openssl.makeAuthority("ca")
        let gost = try openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let old = try openssl.makeSigner("gost2001 -pkeyopt paramset:A")
        let rsa = try openssl.makeSigner("rsa:2048")
        #expect(try MessageEncryptor(to: [gost]).strongestCipher == .kuznyechikOMAC)
        #expect(try MessageEncryptor(to: [gost, old]).strongestCipher == .gost28147)
        #expect(try MessageEncryptor(to: [gost, old, rsa]).strongestCipher == .aes256GCM)
        var encryptor = try MessageEncryptor(to: [gost, old])
        encryptor.cipher = .kuznyechik
        #expect(
            throws: KanalError.invalidArgument(
                "a recipient's key is of GOST R 34.10-2001, which goes with GOST 28147-89 only")
        ) { try encryptor.encrypt([1]) }
    }

    @Test("Recipients who cannot be encrypted to are refused, with the reason")
    func recipients() async throws {
        let openssl = try OpenSSL()
        let authority = try openssl.makeAuthority("ca")
        #expect(throws: KanalError.invalidArgument("an encrypted message needs a recipient")) {
            try MessageEncryptor(to: [])
        }
        #expect(throws: KanalError.invalidArgument("the certificate of CN=ca is named twice")) {
            try MessageEncryptor(to: [authority, authority])
        }
        #expect(throws: KanalError.invalidArgument("a recipient's certificate cannot be read")) {
            try MessageEncryptor(to: [Array(authority.dropLast(100))])
        }
        for (key, text) in [
            ("rsa:512", "the key of CN=x is too weak: it protects nothing"),
            (
                "rsa:2048 -addext keyUsage=digitalSignature",
                "the certificate of CN=x is for signatures only: ask for one that is for encryption"
            ),
            ("ed25519", "the key of CN=x cannot be read, or is of an algorithm that is not known here"),
        ] {
            try openssl.run("req -x509 -newkey \(key) -nodes -keyout x.key -out x -outform DER -subj /CN=x")
            let certificate = try openssl.read("x")
            let error = #expect(throws: KanalError.self) { try MessageEncryptor(to: [authority, certificate]) }
            #expect(error?.description == text)
        }
    }

    @Test("A message that does not open has a fault, and no result")
    func faults() async throws {
        let scene = try await MessageScene(.gost256, agrees: true)
        let content = Self.content
        let message = try MessageEncryptor(to: [scene.certificate.value]).encrypt(content)
        #expect(try await fault { _ = try await scene.decrypt(message) } == nil)
        var changed = message
        changed[message.count / 2] ^= 1
        #expect(try await fault { _ = try await scene.decrypt(changed) } == .changed)
        for count in [0, 10, message.count / 2, message.count - 1] {
            #expect(try await fault { _ = try await scene.decrypt(Array(message.prefix(count))) } == .malformed)
        }
        #expect(try await fault { _ = try await scene.decrypt(message + [1]) } == .malformed)
        let signed = try await scene.sign(content)
        #expect(try await fault { _ = try await scene.decrypt(signed) } == .malformed)

        let other = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let foreign = try MessageEncryptor(to: [other]).encrypt(content)
        #expect(try await fault { _ = try await scene.decrypt(foreign) } == .noRecipient)

        // A certificate on the token whose key is elsewhere.
        _ = try await scene.token.perform(pin: Machine.pin) { session in
            try session.importCertificate(other, id: [9], label: "other")
        }
        #expect(try await fault { _ = try await scene.decrypt(foreign) } == .noKey)
    }

    @Test("A key that may not agree opens nothing, and that is said")
    func mayNotAgree() async throws {
        for kind in [KeyKind.gost512, .p256] {
            let scene = try await MessageScene(kind)
            let message = try MessageEncryptor(to: [scene.certificate.value]).encrypt([1, 2, 3])
            #expect(try await fault { _ = try await scene.decrypt(message) } == .keyMayNotAgree)
        }
    }

    @Test("A token without the command of agreement opens nothing with such keys, and that is said")
    func cannotAgree() async throws {
        let scene = try await MessageScene(.gost256, agrees: true)
        let message = try MessageEncryptor(to: [scene.certificate.value]).encrypt([1, 2, 3])
        scene.machine.reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0xCA && response.data == Array("RTEMU".utf8) ? Response(.referencedDataNotFound) : response
        }
        let other = try Machine(.usb, sharing: scene.machine.reader)
        let token = try await other.token()
        #expect(try await fault { _ = try await token.decrypt(message) } == .tokenCannotAgree)
    }

    @Test("What is encrypted for another key of the same name is not opened", arguments: MessageScene.kinds.map(\.kind))
    func twins(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind, agrees: kind.agrees)
        let newKey = try #require(MessageScene.kinds.first { $0.kind == kind }?.newKey)
        _ = try scene.openssl.makeSigner(newKey)
        try scene.openssl.run(
            "x509 -req -in theirs.request -CA ca.pem -CAkey ca.key -set_serial 2 -out x -outform DER -days 9")
        for padding in [EncryptionPadding.pkcs1, .oaep(.sha256)] {
            var encryptor = try MessageEncryptor(to: [scene.openssl.read("x")])
            encryptor.padding = padding
            let message = try encryptor.encrypt(Self.content)
            #expect(try await fault { _ = try await scene.decrypt(message) } == .wrongKey)
        }
    }

    @Test("A token that has left is an error, and nothing is output")
    func absence() async throws {
        let scene = try await MessageScene(.rsa(bits: 2048))
        let message = try MessageEncryptor(to: [scene.certificate.value]).encrypt(Self.content)
        scene.machine.reader.removeCard()
        await #expect(throws: KanalError.tokenAbsent) { _ = try await scene.decrypt(message) }
    }

    @Test("A key whose certificate is not on the token opens a message if the certificate is given")
    func givenCertificate() async throws {
        let scene = try await MessageScene(.rsa(bits: 2048))
        let value = scene.certificate.value
        let message = try MessageEncryptor(to: [value]).encrypt(Self.content)
        try await scene.token.perform(pin: Machine.pin) { session in try session.delete(scene.certificate) }
        #expect(try await fault { _ = try await scene.decrypt(message) } == .noRecipient)
        #expect(try await scene.decrypt(message, certificates: [value]).content == Self.content)
    }
}

extension KeyKind {
    fileprivate var isGOST: Bool { [.gost256, .gost512].contains(self) }
    fileprivate var agrees: Bool { isGOST || self == .p256 }
}

extension MessageScene {
    /// Decrypts a message that comes in pieces.
    fileprivate func decrypt(
        _ message: [UInt8], certificates: [[UInt8]] = []
    ) async throws -> (content: [UInt8], result: DecryptedMessage) {
        try await token.decrypt(message, certificates: certificates)
    }
}

extension KanalKit.Token {
    fileprivate func decrypt(
        _ message: [UInt8], certificates: [[UInt8]] = []
    ) async throws -> (content: [UInt8], result: DecryptedMessage) {
        let content = Lock<[UInt8]>([])
        let result = try await decryptMessage(
            .pieces(of: message, 500), certificates: certificates, pin: Machine.pin
        ) { bytes in content.withLock { $0 += bytes } }
        return (content.withLock { $0 }, result)
    }
}
