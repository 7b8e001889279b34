// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import TestSupport
import Testing

@Suite("Signatures of a token's keys, in Swift")
struct SignatureTests {
    static let message = Array("message".utf8)

    /// A kind of key, an algorithm, the program's name for the hash function, and its further options.
    struct Case: Sendable {
        let kind: KeyKind
        let algorithm: SigningAlgorithm
        let hash: String
        var options = ""

        static let all: [Case] =
            [
                Case(kind: .gost256, algorithm: .gost, hash: "md_gost12_256"),
                Case(kind: .gost512, algorithm: .gost, hash: "md_gost12_512"),
            ]
            + zip(SHA2.allCases, ["sha256", "sha384", "sha512"]).flatMap { hash, name in
                [
                    Case(kind: .rsa(bits: 2048), algorithm: .rsaPKCS1(hash), hash: name),
                    Case(
                        kind: .rsa(bits: 2048), algorithm: .rsaPSS(hash), hash: name,
                        options: "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
                    Case(kind: .p256, algorithm: .ecdsa(hash), hash: name),
                ]
            }

        /// A signature as the program reads it: one of ECDSA in DER.
        func encoded(_ signature: [UInt8]) -> [UInt8] {
            guard kind == .p256 else { return signature }
            let numbers = [signature.prefix(32), signature.suffix(32)].map { number in
                let digits = Array(number.drop { $0 == 0 })
                return [UInt8].object(0x02, (digits.first ?? 0x80) < 0x80 ? digits : [0] + digits)
            }
            return .object(0x30, numbers.flatMap { $0 })
        }
    }

    @Test(
        "The program verifies what a token's key signs: a message, its parts and its digest; and so does the session",
        arguments: [KeyKind.gost256, .gost512, .rsa(bits: 2048), .p256])
    func signing(_ kind: KeyKind) async throws {
        let openssl = try OpenSSL()
        let cases = Case.all.filter { $0.kind == kind && (OpenSSL.hasGOST || $0.algorithm != .gost) }
        try openssl.write(Self.message, "message")
        let digests = try cases.map { try #require(try openssl.output("dgst -\($0.hash) -binary message")) }
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let (info, signatures) = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [1], label: "key")
            var signatures: [[[UInt8]]] = []
            for (test, digest) in zip(cases, digests) {
                let algorithm = test.algorithm
                var parts = [Array(Self.message.dropFirst(3)), Array(Self.message.prefix(3))]
                let made = [
                    try session.sign(Self.message.span, with: pair, algorithm: algorithm),
                    try session.sign(digest: digest.span, with: pair, algorithm: algorithm),
                    try session.sign(with: pair, algorithm: algorithm) { parts.popLast() },
                ]
                for signature in made {
                    try Self.check(session, pair, algorithm, signature, digest)
                }
                signatures.append(made)
            }
            return (try session.publicKeyInfo(of: pair), signatures)
        }
        try openssl.write(info, "info")
        try openssl.run("pkey -pubin -inform DER -in info -out public")
        for (test, made) in zip(cases, signatures) {
            for signature in made {
                try openssl.write(test.encoded(signature), "signature")
                try openssl.run("dgst -\(test.hash) -verify public \(test.options) -signature signature message")
            }
        }
    }

    private static func check(
        _ session: borrowing Session, _ pair: KeyPair, _ algorithm: SigningAlgorithm, _ signature: [UInt8],
        _ digest: [UInt8]
    ) throws {
        var parts = [Array(message.dropFirst(1)), Array(message.prefix(1))]
        #expect(try session.verify(signature, of: message.span, with: pair, algorithm: algorithm))
        #expect(try session.verify(signature, ofDigest: digest.span, with: pair, algorithm: algorithm))
        #expect(try session.verify(signature, with: pair, algorithm: algorithm) { parts.popLast() })
        let (other, short) = (Array("massage".utf8), Array(signature.dropLast()))
        #expect(try !session.verify(signature, of: other.span, with: pair, algorithm: algorithm))
        #expect(try !session.verify(short, of: message.span, with: pair, algorithm: algorithm))
        var changed = signature
        changed[0] ^= 1
        #expect(try !session.verify(changed, ofDigest: digest.span, with: pair, algorithm: algorithm))
    }

    @Test("Without an algorithm it is the key's own")
    func ownAlgorithm() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            for (kind, algorithm) in [(KeyKind.gost512, SigningAlgorithm.gost), (.p256, .ecdsa(.sha256))] {
                let pair = try session.generateKeyPair(kind, id: [1], label: "key")
                let signature = try session.sign(Self.message.span, with: pair)
                #expect(try session.verify(signature, of: Self.message.span, with: pair, algorithm: algorithm))
                #expect(try session.verify(signature, of: Self.message.span, with: pair))
                try session.delete(pair)
            }
        }
    }

    @Test("Pairs with one identifier keep their halves together, also when one of them is removed")
    func oneIdentifier() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            for _ in 1...2 { _ = try session.generateKeyPair(.p256, id: [1], label: "key") }
            let pairs = try session.keyPairs()
            #expect(Set(try pairs.map { try session.publicKeyInfo(of: $0) }).count == 2)
            for pair in pairs {
                let signature = try session.sign(Self.message.span, with: pair)
                #expect(try session.verify(signature, of: Self.message.span, with: pair))
            }
            try session.delete(pairs[1])
            let left = try session.keyPairs()
            #expect(left == [pairs[0]])
            let signature = try session.sign(Self.message.span, with: pairs[0])
            #expect(try session.verify(signature, of: Self.message.span, with: pairs[0]))
        }
    }

    @Test("An algorithm of another kind of key, and a digest of another length, are refused before the token is asked")
    func misuse() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let pair = try await token.perform(pin: Machine.pin) { session in
            try session.generateKeyPair(.p256, id: [1], label: "key")
        }
        let commands = machine.reader.commands
        try await token.perform { session in
            let digest = [UInt8](repeating: 1, count: 32)
            for algorithm in [SigningAlgorithm.gost, .rsaPKCS1(.sha256), .rsaPSS(.sha256)] {
                let refusal = KanalError.invalidArgument("the key does not sign by this algorithm")
                #expect(throws: refusal) { try session.sign(digest.span, with: pair, algorithm: algorithm) }
                #expect(throws: refusal) { try session.sign(digest: digest.span, with: pair, algorithm: algorithm) }
                #expect(throws: refusal) {
                    try session.verify([], of: digest.span, with: pair, algorithm: algorithm)
                }
            }
            #expect(throws: KanalError.invalidArgument("the digest has 32 bytes, and must have 48")) {
                try session.sign(digest: digest.span, with: pair, algorithm: .ecdsa(.sha384))
            }
        }
        #expect(machine.reader.commands == commands)
    }

    @Test("What the source of the parts throws reaches the caller, and the next signature is good")
    func brokenSource() async throws {
        struct Failure: Error {}
        let machine = try Machine(.usb)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.p256, id: [1], label: "key")
            #expect(throws: Failure.self) { try session.sign(with: pair) { throw Failure() } }
            let signature = try session.sign(Self.message.span, with: pair)
            #expect(throws: Failure.self) { try session.verify(signature, with: pair) { throw Failure() } }
            #expect(try session.verify(signature, of: Self.message.span, with: pair))
        }
    }
}
