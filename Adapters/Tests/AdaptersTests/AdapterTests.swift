// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import KanalCertificates
import KanalKit
import KanalNIOSSL
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import Testing
import X509

/// With the token in the first reader, whose PIN the environment has. See Tests/Scripts/KanalKit/adapters.sh.
@Suite("Keys of a token in other libraries", .serialized, .enabled(if: pin != nil))
struct AdapterTests {
    private static let kinds: [KeyKind] = [.rsa(bits: 2048), .p256]
    private let message = Array("message".utf8)

    /// Runs `body` with a new key pair, and removes it.
    private func withPair(_ kind: KeyKind, _ body: (Token, KeyPair) async throws -> Void) async throws {
        let token = try await TokenManager().find()
        let id = (0..<8).map { _ in UInt8.random(in: 0...255) }
        let pair = try await token.perform(pin: PIN(pin ?? "")) { session in
            try session.generateKeyPair(kind, id: id, label: "adapter")
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(token, pair)) } catch { result = .failure(error) }
        try await token.perform { session in try session.delete(pair) }
        try result.get()
    }

    @Test("swift-certificates' own code verifies each kind of signature", arguments: kinds)
    func certificates(_ kind: KeyKind) async throws {
        try await withPair(kind) { token, pair in
            let key = try await TokenPrivateKey(pair, on: token)
            #expect(key.supportedSignatureAlgorithms.count == 3)
            #expect(key.supportedSignatureAlgorithms.contains(key.defaultSignatureAlgorithm))
            for algorithm in key.supportedSignatureAlgorithms {
                let signature = try await key.signAsynchronously(bytes: message, signatureAlgorithm: algorithm)
                #expect(
                    key.publicKey.isValidSignature(
                        signature.rawRepresentation, for: message, signatureAlgorithm: algorithm))
            }
            let foreign: Certificate.SignatureAlgorithm =
                kind == .p256 ? .sha256WithRSAEncryption : .ecdsaWithSHA256
            await #expect(throws: KanalError.self) {
                try await key.signAsynchronously(bytes: message, signatureAlgorithm: foreign)
            }
            #expect(try await TokenPrivateKey(pair, on: token) == key)
        }
    }

    @Test("What would hold a thread, and what would write the key, is refused")
    func refusals() async throws {
        try await withPair(.p256) { token, pair in
            let key = Certificate.PrivateKey(try await TokenPrivateKey(pair, on: token))
            #expect(throws: KanalError.self) { try key.sign(bytes: message, signatureAlgorithm: .ecdsaWithSHA256) }
            #expect(throws: KanalError.self) { try key.serializeAsPEM() }
        }
        try await withPair(.gost256) { token, pair in
            await #expect(throws: KanalError.self) { try await TokenPrivateKey(pair, on: token) }
            await #expect(throws: KanalError.self) { try await TokenTLSKey(pair, on: token) }
        }
    }

    @Test("Many signatures at once are all good, and the event loop goes on meanwhile", arguments: kinds)
    func loop(_ kind: KeyKind) async throws {
        try await withPair(kind) { token, pair in
            let publicKey = try await TokenPrivateKey(pair, on: token).publicKey
            let key = try await TokenTLSKey(pair, on: token)
            let (algorithm, name): (SignatureAlgorithm, Certificate.SignatureAlgorithm) =
                kind == .p256
                ? (.ecdsaSecp256R1Sha256, .ecdsaWithSHA256) : (.rsaPkcs1Sha256, .sha256WithRSAEncryption)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let channel = try await DatagramBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let gate = group.next().makePromise(of: Void.self)
            // The token's thread waits in here until the event loop has done something after it was asked to sign.
            async let work: Void = token.perform { _ in try gate.futureResult.wait() }
            let signatures = (0..<16).map { _ in
                key.sign(channel: channel, algorithm: algorithm, data: ByteBuffer(bytes: message))
            }
            try await group.next().submit {}.get()
            gate.succeed()
            try await work
            for signature in signatures {
                let bytes = Array(try await signature.get().readableBytesView)
                #expect(publicKey.isValidSignature(bytes, for: message, signatureAlgorithm: name))
            }
            await #expect(throws: KanalError.self) {
                try await key.sign(channel: channel, algorithm: .ed25519, data: ByteBuffer()).get()
            }
            await #expect(throws: KanalError.self) { try await key.decrypt(channel: channel, data: ByteBuffer()).get() }
            try await channel.close()
            try await group.shutdownGracefully()
        }
    }
}

private let pin = ProcessInfo.processInfo.environment["KANAL_PIN"]
