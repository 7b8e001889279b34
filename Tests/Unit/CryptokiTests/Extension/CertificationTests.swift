// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Foundation
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("Requests for certificates and signed messages", .usesGOSTEngine, .serialized)
struct CertificationTests {
    static let algorithms = PublicKeyAlgorithm.allCases

    /// An application in which User is logged in, and a key pair with the identifier 1.
    private struct Scene {
        let application: Application
        let session: CK_SESSION_HANDLE
        let keys: (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE)
        let openssl: OpenSSL

        init(
            _ algorithm: PublicKeyAlgorithm, on identity: Identity = .usb, curve: Curve? = nil, onToken: Bool = true
        ) throws {
            (_, application, session) = try TokenKeyTests.start(identity)
            openssl = try OpenSSL()
            let isLong = algorithm == .gostR34102012512
            let template = try Attributes(template: [
                (CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ID, [1]), (CKA_LABEL, Array("key".utf8)),
                (CKA_GOSTR3410_PARAMS, (curve ?? (isLong ? .tc26512A : .cryptoProA)).oid),
                (CKA_GOSTR3411_PARAMS, algorithm.digestParameterSet),
            ])
            let mechanism = isLong ? CKM_GOSTR3410_512_KEY_PAIR_GEN : CKM_GOSTR3410_KEY_PAIR_GEN
            let made = try application.library.withSession(session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: mechanism, parameter: []), publicTemplate: template, privateTemplate: template)
            }
            keys = (made.0, made.1)
        }

        func request(
            _ subject: [String], attributes: [String] = [], extensions: [String] = [],
            of publicKey: CK_OBJECT_HANDLE? = nil, with privateKey: CK_OBJECT_HANDLE = CK_INVALID_HANDLE
        ) throws -> [UInt8] {
            let fields = try RequestFields(subject: subject, attributes: attributes, extensions: extensions)
            return try application.library.withSession(session) { session throws(CKError) in
                try session.certificationRequest(for: publicKey ?? keys.publicKey, with: privateKey, fields)
            }
        }

        /// A certificate for the key by an authority of the program's, stored on the token. The authority's is in the file
        /// `ca.pem`.
        func certificate(id: [UInt8] = [1], tail: [UInt8] = []) throws -> CK_OBJECT_HANDLE {
            try openssl.run(
                "req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -out ca.pem -subj /CN=Authority"
            )
            try openssl.write(request(["CN", "Signer"]), "request")
            try openssl.run(
                "x509 -req -in request -inform DER -CA ca.pem -CAkey ca.key -set_serial 7 -outform DER -out certificate"
            )
            return try application.create(
                session,
                [
                    (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_TOKEN, [1]), (CKA_ID, id),
                    (CKA_VALUE, openssl.read("certificate") + tail),
                ])
        }

        func sign(
            _ data: [UInt8], _ certificate: CK_OBJECT_HANDLE, with privateKey: CK_OBJECT_HANDLE = CK_INVALID_HANDLE,
            others: [CK_OBJECT_HANDLE] = [], isDetached: Bool = false
        ) throws -> [UInt8] {
            try application.library.withSession(session) { session throws(CKError) in
                try session.signedMessage(
                    of: data.span, certificate: certificate, with: privateKey, others: others, isDetached: isDetached,
                    time: 1_795_255_200)
            }
        }
    }

    @Test("the program verifies a request, and finds all fields in it", arguments: algorithms, ["usb", "bt"])
    func request(_ algorithm: PublicKeyAlgorithm, _ identity: String) throws {
        let scene = try Scene(algorithm, on: identity == "bt" ? .bt : .usb)
        let request = try scene.request(
            ["CN", "UTF8String:Иван Петров", "2.5.4.6", "RU", "1.2.643.3.131.1.1", "012345678901"],
            attributes: ["challengePassword", "secret"],
            extensions: [
                "keyUsage", "critical,digitalSignature,nonRepudiation", "extendedKeyUsage", "emailProtection",
                "subjectKeyIdentifier", "hash", "1.2.643.100.111", "ASN1:UTF8String:Kanal",
                "2.5.29.17", "DER:30:0F:81:0D:65:78:61:6D:70:6C:65:40:79:61:2E:72:75",
                "2.5.29.32", "DER:30:0A:30:08:06:06:2A:85:03:64:71:01",
            ])
        try scene.openssl.write(request, "request")
        let text = try scene.openssl.run("req -in request -inform DER -verify -text -noout -nameopt utf8")
        for field in [
            "CN=Иван Петров", "C=RU", "012345678901", "challengePassword", "X509v3 Key Usage: critical",
            "Digital Signature, Non Repudiation", "E-mail Protection", "Subject Key Identifier",
            "Signing Tool of Subject",
            "email:example@ya.ru", "Policy:",
        ] {
            #expect(text.contains(field), "\(field)")
        }
    }

    @Test(
        "a request names a key as OpenSSL's gost engine does, the hash function with 512 bits too",
        arguments: [Curve.tc26512A, .tc26512B, .tc26512C, .cryptoProA, .tc26256A, .tc26256B])
    func keyNames(_ curve: Curve) throws {
        let isLong = curve.coordinateSize == 64
        let scene = try Scene(isLong ? .gostR34102012512 : .gostR34102012256, curve: curve, onToken: false)
        let request = try scene.request(["CN", "x"])
        try scene.openssl.write(request, "request")
        try scene.openssl.run("req -in request -inform DER -verify -noout")
        let key = try scene.openssl.run("req -in request -inform DER -pubkey -noout")
        try scene.openssl.write(Array(key.utf8), "key")
        try scene.openssl.run("pkey -pubin -in key -outform DER -out public")
        let engines = try scene.openssl.read("public")
        #expect(request.firstRange(of: engines) != nil)
        #expect(
            (engines.firstRange(of: PublicKeyAlgorithm.gostR34102012512.digestParameterSet) != nil)
                == [.tc26512A, .tc26512B].contains(curve))
    }

    @Test("attributes of one type become values of one attribute")
    func values() throws {
        let scene = try Scene(.gostR34102012256)
        let names = ["unstructuredName", "first", "1.2.840.113549.1.9.2", "second"]
        try scene.openssl.write(scene.request(["CN", "x"], attributes: names), "request")
        try scene.openssl.run("req -in request -inform DER -verify -noout")
        let text = try scene.openssl.run("asn1parse -in request -inform DER")
        for word in ["unstructuredName", "first", "second"] {
            #expect(text.split(separator: "\n").count { $0.contains(":" + word) } == 1, "\(word)")
        }
    }

    @Test("a request with a name of 20 characters has the 227 bytes of the vendor's, one with a key's usage 257")
    func sizes() throws {
        let scene = try Scene(.gostR34102012256)
        let name = String(repeating: "x", count: 20)
        #expect(try scene.request(["CN", name]).count == 227)
        #expect(try scene.request(["CN", name], extensions: ["keyUsage", "digitalSignature"]).count == 257)
    }

    static let otherKeys: [(CK_MECHANISM_TYPE, (CK_ATTRIBUTE_TYPE, [UInt8]), algorithm: String)] = [
        (CKM_RSA_PKCS_KEY_PAIR_GEN, (CKA_MODULUS_BITS, CK_ULONG(1024).bytes), "sha256WithRSAEncryption"),
        (
            CKM_EC_KEY_PAIR_GEN, (CKA_EC_PARAMS, [UInt8](hex: "06082A8648CE3D030107")), "ecdsa-with-SHA256"
        ),
    ]

    @Test("a request for a key of RSA or ECDSA is signed with SHA-256", arguments: otherKeys)
    func otherRequests(
        _ mechanism: CK_MECHANISM_TYPE, _ attribute: (CK_ATTRIBUTE_TYPE, [UInt8]), _ algorithm: String
    ) throws {
        let scene = try Scene(.gostR34102012256)
        let common: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [(CKA_TOKEN, [0]), (CKA_ID, [2])]
        let (publicTemplate, privateTemplate) = try (
            Attributes(template: common + [attribute]), Attributes(template: common)
        )
        func generate() throws -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
            try scene.application.library.withSession(scene.session) { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: mechanism, parameter: []), publicTemplate: publicTemplate,
                    privateTemplate: privateTemplate)
            }
        }
        let (keys, others) = (try generate(), try generate())
        try scene.openssl.write(scene.request(["CN", "x"], of: keys.0), "request")
        let text = try scene.openssl.run("req -in request -inform DER -verify -text -noout")
        #expect(text.contains(algorithm))
        for other in [scene.keys.privateKey, others.1] {
            #expect(throws: CKError.keyTypeInconsistent) { try scene.request(["CN", "x"], of: keys.0, with: other) }
        }
    }

    @Test("keys of a session certify as those of the token do, and the application's own operation goes on")
    func besideAnOperation() throws {
        let scene = try Scene(.gostR34102012512, onToken: false)
        let (application, session, keys) = (scene.application, scene.session, scene.keys)
        let message = Array("message".utf8)
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(
                Mechanism(type: CKM_GOSTR3410_WITH_GOSTR3411_12_512, parameter: []), key: keys.privateKey)
            try session.signUpdate(message.span)
        }
        try scene.openssl.write(scene.request(["CN", "x"], with: keys.privateKey), "request")
        try scene.openssl.run("req -in request -inform DER -verify -noout")
        let signature = try application.library.withSession(session) { session throws(CKError) in
            try session.signFinal()
        }
        try application.verify(session, keys.publicKey, message, signature, CKM_GOSTR3410_WITH_GOSTR3411_12_512)
    }

    @Test("a request is refused for what is no pair, no key or no field, and without a login")
    func refusedRequests() throws {
        let scene = try Scene(.gostR34102012256)
        #expect(throws: CKError.argumentsBad) { try scene.request(["CN"]) }
        #expect(throws: CKError.argumentsBad) { try scene.request([], attributes: ["challengePassword"]) }
        #expect(throws: CKError.argumentsBad) { try scene.request([], extensions: ["a", "b", "c"]) }
        #expect(throws: CKError.argumentsBad) { try scene.request(["noSuchName", "x"]) }
        #expect(throws: CKError.argumentsBad) { try scene.request([], extensions: ["keyUsage", "nonsense"]) }
        #expect(throws: CKError.keyHandleInvalid) { try scene.request(["CN", "x"], of: 4711) }
        #expect(throws: CKError.keyHandleInvalid) { try scene.request(["CN", "x"], of: scene.keys.privateKey) }
        #expect(throws: CKError.keyHandleInvalid) { try scene.request(["CN", "x"], with: scene.keys.publicKey) }
        for mechanism in [CKM_GOSTR3410_512_KEY_PAIR_GEN, CKM_GOSTR3410_KEY_PAIR_GEN] {
            let others = try scene.application.makeKeys(scene.session, mechanism, onToken: false)
            #expect(throws: CKError.keyTypeInconsistent) { try scene.request(["CN", "x"], with: others.privateKey) }
        }
        try scene.application.library.withSession(scene.session) { session throws(CKError) in try session.logOut() }
        #expect(throws: CKError.userNotLoggedIn) { try scene.request(["CN", "x"]) }
    }

    @Test("the program verifies a message with its content or beside it, and not with another", arguments: algorithms)
    func messages(_ algorithm: PublicKeyAlgorithm) throws {
        let scene = try Scene(algorithm)
        let certificate = try scene.certificate()
        let options = "cms -verify -cades -binary -inform DER -CAfile ca.pem -purpose any"
        for count in [1, 40, 5000] {
            let content = [UInt8](repeating: 0x6B, count: count)
            try scene.openssl.write(content, "content")
            try scene.openssl.write(scene.sign(content, certificate), "attached")
            try scene.openssl.run("\(options) -in attached -out output")
            #expect(try scene.openssl.read("output") == content)
            let detached = try scene.sign(
                content, certificate, with: scene.keys.privateKey, others: [certificate], isDetached: true)
            try scene.openssl.write(detached, "detached")
            try scene.openssl.run("\(options) -in detached -content content -out output")
            try scene.openssl.write(content + [0], "content")
            #expect(try !scene.openssl.succeeds("\(options) -in detached -content content -out output"))
        }
    }

    @Test("bytes behind a certificate's DER are ignored, and do not go with a message")
    func tail() throws {
        let scene = try Scene(.gostR34102012256)
        let certificate = try scene.certificate(tail: [0x0A])
        let plain = try scene.openssl.read("certificate")
        let message = try scene.sign([1], certificate, others: [certificate])
        #expect(try SignedData(ber: message.span).certificates == [plain])
        try scene.openssl.write(message, "message")
        try scene.openssl.run(
            "cms -verify -cades -binary -inform DER -CAfile ca.pem -purpose any -in message -out output")
        let text = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.certificateText(certificate)
        }
        #expect(try text == Certificate.text(der: plain.span))
    }

    @Test("a message is refused for what is no certificate, no key or another's, for RSA, and without a login")
    func refusedMessages() throws {
        let scene = try Scene(.gostR34102012256)
        let certificate = try scene.certificate(id: [2])
        #expect(throws: CKError.objectHandleInvalid) { try scene.sign([1], 4711) }
        #expect(throws: CKError.attributeTypeInvalid) { try scene.sign([1], scene.keys.publicKey) }
        #expect(throws: CKError.objectHandleInvalid) { try scene.sign([1], certificate, others: [4711]) }
        // No key has the certificate's identifier.
        #expect(throws: CKError.keyHandleInvalid) { try scene.sign([1], certificate) }
        #expect(try scene.sign([1], certificate, with: scene.keys.privateKey).count > 500)
        for mechanism in [CKM_GOSTR3410_512_KEY_PAIR_GEN, CKM_GOSTR3410_KEY_PAIR_GEN] {
            let others = try scene.application.makeKeys(scene.session, mechanism, onToken: false)
            #expect(throws: CKError.keyTypeInconsistent) { try scene.sign([1], certificate, with: others.privateKey) }
        }
        try scene.openssl.run("req -x509 -newkey rsa:1024 -nodes -keyout key -outform DER -out rsa -subj /CN=RSA")
        let rsa = try scene.application.create(
            scene.session, [(CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_VALUE, scene.openssl.read("rsa"))])
        #expect(throws: CKError.keyTypeInconsistent) { try scene.sign([1], rsa, with: scene.keys.privateKey) }
        try scene.application.library.withSession(scene.session) { session throws(CKError) in try session.logOut() }
        #expect(throws: CKError.userNotLoggedIn) { try scene.sign([1], certificate) }
    }

    @Test("a certificate's text is the program's, needs no login, and no other object has one")
    func text() throws {
        let scene = try Scene(.gostR34102012256)
        let certificate = try scene.certificate()
        try scene.application.library.withSession(scene.session) { session throws(CKError) in try session.logOut() }
        func text(_ object: CK_OBJECT_HANDLE) throws -> String {
            try scene.application.library.withSession(scene.session) { session throws(CKError) in
                String(decoding: try session.certificateText(object), as: UTF8.self)
            }
        }
        let expected = try scene.openssl.run("x509 -in certificate -inform DER -text -noout")
        let lines = try text(certificate).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in expected.split(separator: "\n") where line.contains("Serial") || line.contains("Not Before") {
            #expect(lines.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
        #expect(lines.contains("Subject: CN = Signer") || lines.contains("Subject: CN=Signer"))
        #expect(throws: CKError.objectHandleInvalid) { try text(4711) }
        #expect(throws: CKError.attributeTypeInvalid) { try text(scene.keys.publicKey) }
    }
}
