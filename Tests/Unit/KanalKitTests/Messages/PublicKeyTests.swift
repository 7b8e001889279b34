// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Public keys without a token")
struct PublicKeyTests {
    private static let message = Array("message".utf8)

    /// The message in two pieces.
    private static func content() -> ByteSource {
        let pieces = Lock([Array(message.dropFirst(3)), Array(message.prefix(3))])
        return ByteSource(length: message.count) { pieces.withLock { $0.popLast() } }
    }

    @Test(
        "What a token's key signs is verified by its public key in each form, and nothing else is",
        arguments: [KeyKind.gost256, .gost512, .rsa(bits: 2048), .p256])
    func verification(_ kind: KeyKind) async throws {
        let cases = SignatureTests.Case.all.filter { $0.kind == kind }
        let machine = try Machine(.usb)
        let (info, signatures) = try await machine.token().perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [1], label: "key")
            let signatures = try cases.map { try session.sign(Self.message.span, with: pair, algorithm: $0.algorithm) }
            return (try session.publicKeyInfo(of: pair), signatures)
        }
        let key = try PublicKey(info: info)
        #expect(key.kind == kind && key.info == info)
        for (test, signature) in zip(cases, signatures) {
            let algorithm = test.algorithm
            let encoded = algorithm.x509Form(of: signature)
            #expect(encoded == test.encoded(signature))
            #expect(try await key.verify(signature, of: Self.content(), algorithm: algorithm))
            #expect(try await key.verify(encoded, of: Self.content(), algorithm: algorithm, form: .x509))
            if kind == .p256 {
                #expect(try await !key.verify(signature, of: Self.content(), algorithm: algorithm, form: .x509))
                #expect(try await !key.verify(encoded, of: Self.content(), algorithm: algorithm))
            }
            let other = ByteSource { nil }
            #expect(try await !key.verify(signature, of: other, algorithm: algorithm))
            for wrong in [Array(signature.dropLast()), signature + [0], [], signature.map { $0 ^ 1 }] {
                #expect(try await !key.verify(wrong, of: Self.content(), algorithm: algorithm))
                #expect(try await !key.verify(wrong, of: Self.content(), algorithm: algorithm, form: .x509))
            }
        }
        #expect(try await key.verify(signatures[0], of: Self.content()))
        let unfit: SigningAlgorithm = kind == .p256 ? .gost : .ecdsa(.sha256)
        await #expect(throws: KanalError.invalidArgument("the key does not sign by this algorithm")) {
            try await key.verify(signatures[0], of: Self.content(), algorithm: unfit)
        }
    }

    @Test("A certificate has the key that its pair has, however its parameters are written", .usesGOSTEngine)
    func certificate() async throws {
        let openssl = try OpenSSL()
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let (info, request) = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.gost256, id: [1], label: "key")
            let request = try session.certificationRequest(for: pair, subject: [RequestField("CN", "Ann")])
            return (try session.publicKeyInfo(of: pair), request)
        }
        try openssl.write(request, "request")
        try openssl.run(
            "req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout key -days 30 -subj /CN=Root"
                + " -out root -outform DER")
        try openssl.run("x509 -in root -inform DER -out root.pem")
        try openssl.run(
            "x509 -req -in request -inform DER -CA root.pem -CAkey key -CAcreateserial -days 30 -outform DER -out own")
        let value = try openssl.read("own")
        #expect(try PublicKey(of: value) == PublicKey(info: info))
        #expect(try PublicKey(of: value) != PublicKey(of: openssl.read("root")))
        let certificate = try await token.perform(pin: Machine.pin) { session in
            try session.importCertificate(value, id: [1], label: "own")
        }
        #expect(try certificate.fingerprint() == openssl.output("dgst -md_gost12_256 -binary own"))
        try openssl.write(try PublicKey(of: value).info, "info")
        #expect(try PublicKey(of: value).identifier == openssl.output("dgst -sha1 -binary info"))
        #expect(throws: KanalError.invalidArgument("the certificate cannot be read")) { try PublicKey(of: info) }
        #expect(throws: KanalError.invalidArgument("the public key cannot be read")) { try PublicKey(info: value) }
    }

    @Test("A key of RSA that is too short verifies nothing")
    func weakness() async throws {
        let openssl = try OpenSSL()
        try openssl.write(Self.message, "message")
        try openssl.run("genrsa -out key 768")
        try openssl.run("pkey -in key -pubout -outform DER -out info")
        try openssl.run("dgst -sha256 -sign key -out signature message")
        let (key, signature) = (try PublicKey(info: openssl.read("info")), try openssl.read("signature"))
        await #expect(throws: KanalError.invalidArgument("the key is too weak: its signatures mean nothing")) {
            try await key.verify(signature, of: Self.content())
        }
    }
}
