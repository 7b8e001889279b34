// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("Import of files with keys and certificates (PFX) onto tokens", .serialized)
struct PFXImportTests {
    /// A kind of key, the words by which openssl makes one and puts it into a file, and the mechanism that signs with it.
    struct Kind: Sendable, CustomTestStringConvertible {
        let newKey: String
        let export: String
        let mechanism: CK_MECHANISM_TYPE
        var testDescription: String { newKey }

        static let gost = "-keypbe gost89 -certpbe gost89 -macalg md_gost12_512"
        static let all = [
            Kind(
                newKey: "gost2001 -pkeyopt paramset:A", export: gost, mechanism: CKM_GOSTR3410_WITH_GOSTR3411),
            Kind(
                newKey: "gost2012_256 -pkeyopt paramset:TCB", export: gost,
                mechanism: CKM_GOSTR3410_WITH_GOSTR3411_12_256),
            Kind(
                newKey: "gost2012_512 -pkeyopt paramset:A", export: gost,
                mechanism: CKM_GOSTR3410_WITH_GOSTR3411_12_512),
            Kind(newKey: "rsa:2048", export: "", mechanism: CKM_SHA256_RSA_PKCS),
            Kind(newKey: "ec -pkeyopt ec_paramgen_curve:P-256", export: "", mechanism: CKM_ECDSA_SHA256),
        ]
    }

    /// A file that openssl has made.
    private func file(_ kind: Kind, _ openssl: OpenSSL) throws -> PFX {
        try openssl.run("req -x509 -newkey \(kind.newKey) -nodes -keyout key -out certificate -subj /CN=Import")
        try openssl.run(
            "pkcs12 -export -inkey key -in certificate -out file -passout pass:secret -name Мой \(kind.export)")
        let der = try openssl.read("file")
        return try PFX(parsing: der.span, password: .of("secret"))
    }

    private func importFirst(
        _ pfx: PFX, _ application: Application, _ session: CK_SESSION_HANDLE, agrees: Bool = false
    ) throws -> Imported {
        let key = try #require(pfx.keys.first)
        let tokens = try application.library.tokens.openSession(with: 0)
        defer { tokens.close() }
        let id = try tokens.importPFX(key, of: pfx, agrees: agrees).id
        func object(_ objectClass: CK_OBJECT_CLASS) throws -> CK_OBJECT_HANDLE? {
            try application.find(session, [(CKA_CLASS, objectClass.bytes), (CKA_ID, id)]).first
        }
        return Imported(
            privateKey: try #require(try object(CKO_PRIVATE_KEY)), publicKey: try #require(try object(CKO_PUBLIC_KEY)),
            certificate: try object(CKO_CERTIFICATE), id: id)
    }

    /// The handles of the objects that a key of a file has become.
    private struct Imported {
        let privateKey, publicKey: CK_OBJECT_HANDLE
        let certificate: CK_OBJECT_HANDLE?
        let id: [UInt8]
    }

    @Test(
        "A private key signs on the token, cannot be read, and shares CKA_ID with public key and certificate",
        .usesGOSTEngine, arguments: Kind.all, ["usb", "bt"])
    func imports(_ kind: Kind, _ identity: String) throws {
        let openssl = try OpenSSL()
        let pfx = try file(kind, openssl)
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let imported = try importFirst(pfx, application, session)
        let message = Array("message".utf8)
        let signature = try application.sign(session, imported.privateKey, message, kind.mechanism)
        try application.verify(session, imported.publicKey, message, signature, kind.mechanism)

        let attributes = try application.attributes(session, of: imported.privateKey)
        #expect(attributes[CKA_TOKEN] == [1] && attributes[CKA_PRIVATE] == [1])
        #expect(attributes[CKA_SENSITIVE] == [1] && attributes[CKA_EXTRACTABLE] == [0])
        #expect(attributes[CKA_ALWAYS_SENSITIVE] == [0] && attributes[CKA_NEVER_EXTRACTABLE] == [0])
        #expect(attributes[CKA_LOCAL] == [0])
        for type in [CKA_VALUE, CKA_PRIVATE_EXPONENT, CKA_PRIME_1] { #expect(attributes[type] == nil) }
        for object in [imported.privateKey, imported.publicKey, try #require(imported.certificate)] {
            let attributes = try application.attributes(session, of: object)
            #expect(attributes[CKA_ID] == imported.id && attributes[CKA_LABEL] == Array("Мой".utf8))
        }

        // The next session finds the stored objects, too.
        try application.library.closeSession(session)
        let later = try application.open()
        try application.logIn(later)
        let found = try application.find(later, [(CKA_ID, imported.id)])
        #expect(found.count == 3)
        let key = try #require(
            try application.find(later, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_ID, imported.id)]).first)
        let certificate = try #require(pfx.certificates.first)
        let again = try application.sign(later, key, message, kind.mechanism)
        let parsed = try Certificate(der: certificate.der.span)
        let info = parsed.subjectPublicKeyInfo
        let publicKey = try PublicKeyInfo(der: info.span)
        #expect(try publicKey.accepts(again, message))
    }

    @Test("Whether a key of RFC 9548's file agrees on secrets is as it was asked for", arguments: [true, false])
    func agreement(_ agrees: Bool) throws {
        let vector = try #require(JSON(vectors: "cms_pkcs12.json").vectors.list.first { $0.id.text == "cms-028" })
        let der = vector.der.bytes
        let pfx = try PFX(parsing: der.span, password: Secret(copying: vector.password.bytes))
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let imported = try importFirst(pfx, application, session, agrees: agrees)
        let attributes = try application.attributes(session, of: imported.privateKey)
        #expect(try attributes.bool(CKA_DERIVE) == agrees)
        #expect(attributes[CKA_LABEL] == Array("p12FriendlyName".utf8))
    }

    @Test("What fails at any command leaves nothing on the token")
    func failures() throws {
        let vector = try #require(JSON(vectors: "cms_pkcs12.json").vectors.list.first { $0.id.text == "cms-028" })
        let der = vector.der.bytes
        let pfx = try PFX(parsing: der.span, password: Secret(copying: vector.password.bytes))
        var failures = 0
        for failing in 1... {
            let (reader, application, session) = try TokenKeyTests.start(.usb)
            reader.onResponse { number, instruction, response throws(LinkError) in
                // The first command with this number that writes, and none after it.
                number == failing && [0xE0, 0xD6, 0xDA, 0xDB].contains(instruction)
                    ? Response(.notEnoughMemory) : response
            }
            do {
                _ = try importFirst(pfx, application, session)
            } catch {
                failures += 1
                reader.onResponse(nil)
                #expect(try application.find(session).isEmpty, "command \(failing)")
                continue
            }
            if reader.commands < failing { break }
        }
        #expect(failures > 5)
    }

    @Test("A key without its certificate, and a session without rights, are refused")
    func refusals() throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let vector = try #require(vectors.first { $0.id.text == "cms-028" })
        let der = vector.der.bytes
        let pfx = try PFX(parsing: der.span, password: Secret(copying: vector.password.bytes))
        let other = try #require(vectors.first { $0.id.text == "cms-018" })
        let otherDER = other.der.bytes
        let otherPFX = try PFX(parsing: otherDER.span, password: Secret(copying: other.password.bytes))
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let key = try #require(pfx.keys.first)
        let tokens = try application.library.tokens.openSession(with: 0)
        defer { tokens.close() }
        #expect { try tokens.importPFX(key, of: otherPFX) } throws: { error in
            if case .refused(.keyType, _)? = error as? TokensError { true } else { false }
        }
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect { try tokens.importPFX(key, of: pfx) } throws: { ($0 as? TokensError)?.tokenError == .notLoggedIn }
        #expect(try application.find(session).isEmpty)
    }
}

extension PublicKeyInfo {
    /// Whether a signature by the kind's first mechanism is of a message.
    fileprivate func accepts(_ signature: [UInt8], _ message: [UInt8]) throws -> Bool {
        switch self {
        case .gost(let info):
            let digests: [DigestAlgorithm] = [.gostR341194, .streebog256, .streebog512]
            return try digests.contains {
                try info.key.isValidSignature(signature, digest: try Digest.digest(message.span, $0))
            }
        case .ec(let key):
            let digest = try Digest.digest(message.span, .sha256)
            return try key.isValidSignature(signature.span, of: digest.span)
        case .rsa(let key):
            let digest = try Digest.digest(message.span, .sha256)
            return try key.isValidSignature(signature.span, of: digest.span, .pkcs1DigestInfo(.sha256))
        }
    }
}
