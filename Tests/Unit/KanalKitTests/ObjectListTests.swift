// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import KanalKit
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("What is on a token")
struct ObjectListTests {
    @Test(
        "Data is stored, listed, read and removed; private data is seen after the PIN only",
        arguments: [Identity.usb, .bt])
    func data(_ identity: Identity) async throws {
        let machine = try Machine(identity)
        let token = try await machine.token()
        let long = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
        let (open, hidden) = try await token.perform(pin: Machine.pin) { session in
            let open = try session.addData(long.span, label: "open", application: "program", isPrivate: false)
            let hidden = try session.addData(Array("hidden".utf8).span, label: "hidden")
            #expect(try session.dataObjects() == [open, hidden])
            return (open, hidden)
        }
        #expect(open.label == "open" && open.application == "program" && open.size == 3000 && !open.isPrivate)
        #expect(hidden.label == "hidden" && hidden.application == "" && hidden.size == 6 && hidden.isPrivate)
        await token.forgetPIN()
        try await token.perform { session in
            let seen = try session.dataObjects()
            #expect(seen.map(\.label) == ["open"] && seen.map(\.size) == [3000])
            #expect(try Self.value(of: open, session) == long)
            #expect(throws: KanalError.objectNotFound) { _ = try session.value(of: hidden) }
            #expect(throws: KanalError.pinNeeded) { try session.delete(open) }
        }
        try await token.perform(pin: Machine.pin) { session in
            #expect(try Self.value(of: hidden, session) == Array("hidden".utf8))
            for object in try session.dataObjects() { try session.delete(object) }
            #expect(try session.dataObjects().isEmpty)
            #expect(throws: KanalError.objectNotFound) { _ = try session.value(of: open) }
        }
    }

    private static func value(of object: DataObject, _ session: borrowing KanalKit.Session) throws -> [UInt8] {
        let value = try session.value(of: object)
        return value.withBytes { [UInt8](copying: $0) }
    }

    @Test("Secret keys and single public keys are what key pairs leave out; before the PIN there are public keys only")
    func others() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let pair = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.gost256, id: [1], label: "pair")
            #expect(try session.otherObjects().isEmpty)
            return pair
        }
        try AnotherProgram(machine.reader).create([
            [
                (CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CKK_KUZNECHIK.bytes), (CKA_PRIVATE, [1]),
                (CKA_LABEL, Array("secret".utf8)), (CKA_ID, [2]), (CKA_VALUE, [UInt8](repeating: 3, count: 32)),
            ],
            [
                (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes), (CKA_LABEL, Array("public".utf8)),
                (CKA_ID, [4]), (CKA_MODULUS, [0x81] + [UInt8](repeating: 1, count: 255)),
                (CKA_PUBLIC_EXPONENT, [1, 0, 1]),
            ],
        ])
        try await token.perform { session in
            let others = try session.otherObjects()
            #expect(others.map(\.kind) == [.publicKey(.rsa(bits: 2048)), .secretKey(algorithm: "Kuznyechik")])
            #expect(others.map(\.label) == ["public", "secret"] && others.map(\.id) == [[4], [2]])
            #expect(others.map(\.isPrivate) == [false, true])
            #expect(try session.keyPairs() == [pair] && session.dataObjects().isEmpty)
        }
        await token.forgetPIN()
        try await token.perform { session in
            let others = try session.otherObjects()
            #expect(others.map(\.kind) == [.publicKey(.gost256), .publicKey(.rsa(bits: 2048))])
        }
        try await token.perform(pin: Machine.pin) { session in
            for object in try session.otherObjects() { try session.delete(object) }
            #expect(try session.otherObjects().isEmpty && session.keyPairs().map(\.label) == ["pair"])
        }
    }

    @Test("A certificate says whose it is, who says so, its number, its time and its key", .usesGOSTEngine)
    func summary() async throws {
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey gost2012_512 -pkeyopt paramset:A -nodes -keyout key -set_serial 0x80FF01 -days 30"
                + " -subj /C=RU/O=Авторы,и\\+другие/1.2.643.100.1=1234567890123/CN=Own -utf8 -outform DER -out own")
        let value = try openssl.read("own")
        let machine = try Machine(.usb)
        let certificate = try await machine.token().perform(pin: Machine.pin) { session in
            let certificate = try session.importCertificate(value, id: [1], label: "own")
            #expect(try session.trustedCertificates().isEmpty)
            return certificate
        }
        #expect(!certificate.isTrusted && !certificate.hasPrivateKey)
        let summary = try certificate.summary()
        #expect(summary.subject == summary.issuer && summary.key == .gost512)
        #expect(summary.subject["CN"] == "Own" && summary.subject["O"] == "Авторы,и+другие")
        #expect(summary.subject.description == #"C=RU, O=Авторы\,и\+другие, OGRN=1234567890123, CN=Own"#)
        #expect(summary.serialNumber == [0x00, 0x80, 0xFF, 0x01])
        let (notBefore, notAfter) = (try #require(summary.notBefore), try #require(summary.notAfter))
        #expect(notAfter - notBefore == 30 * 86400)
        #expect(throws: KanalError.invalidArgument("the certificate cannot be read")) {
            try CertificateSummary(of: value.dropLast())
        }
    }
}

/// Another program with the same token, which has no channel.
struct AnotherProgram {
    private let library: Library

    init(_ reader: EmulatedReader) {
        let settings = TokenSettings(
            pairings: .nowhere, hostLabel: "another", random: SystemRandom(), log: Journal().logger)
        library = Library(readers: reader, settings: settings)
    }

    /// Has the token remember that the user must change the PIN.
    func demandPINChange() throws {
        try work(CKU_SO, "87654321") { session throws(CKError) in try session.forcePINChange(of: CKU_USER) }
    }

    private func work(
        _ user: CK_USER_TYPE, _ pin: String, _ body: (Cryptoki.Session) throws(CKError) -> Void
    ) throws {
        let slot = try #require(library.slots(tokenPresent: true, isQuery: false).first)
        let session = try library.openSession(with: slot, flags: CKF_SERIAL_SESSION | CKF_RW_SESSION)
        try library.logIn(session, as: user, pin: SharedSecret(copying: Array(pin.utf8)))
        try library.withSession(session, body)
        library.finalize()
    }

    /// Stores objects on the token, under the user's PIN.
    func create(_ templates: [[(type: CK_ATTRIBUTE_TYPE, value: [UInt8])]]) throws {
        try work(CKU_USER, EmulatedReader.userPIN) { session throws(CKError) in
            for template in templates {
                _ = try session.createObject(Attributes(template: template + [(CKA_TOKEN, [1])]))
            }
        }
    }
}

extension CK_ULONG {
    /// The number as an attribute's value holds it.
    fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
