// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Countersignatures", .usesGOSTEngine)
struct CountersignatureTests {
    private static let content: [UInt8] = [1, 2, 3]

    @Test(
        "A countersignature goes under its signer; the program accepts the message as before",
        arguments: MessageScene.kinds.map(\.kind))
    func ours(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        let theirs = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        for options in ["-nodetach", "-nodetach -stream", ""] {
            let isDetached = options.isEmpty
            let message = try scene.openssl.sign(Self.content, "-cades -md md_gost12_256 \(options)")
            let content = isDetached ? Self.content : nil
            let countersigned = try await scene.countersign(message, content: content)
            try scene.expectVerified(countersigned, Self.content, isDetached: isDetached)
            let signers = try scene.verifier.verify(countersigned, content: content).signers
            #expect(signers.map(\.certificate) == [theirs])
            let found = try #require(signers.first?.countersignatures)
            #expect(found.map(\.certificate) == [scene.certificate.value])
            #expect(found.allSatisfy { $0.fault == nil && $0.distrust == nil && $0.signingTime != nil })
            // Once more only if that is wanted.
            #expect(await fault { _ = try await scene.countersign(countersigned, content: content) } == .alreadySigned)
            let twice = try await scene.countersign(countersigned, content: content, allowsRepetition: true)
            try scene.expectVerified(twice, Self.content, isDetached: isDetached)
            #expect(try scene.verifier.verify(twice, content: content).signers.first?.countersignatures.count == 2)
        }
    }

    @Test("Only the signer that is chosen is countersigned; a message without it is an error")
    func chosen() async throws {
        let scene = try await MessageScene(.p256)
        let theirs = try scene.openssl.makeSigner("rsa:2048")
        let both = try await scene.add(to: try scene.openssl.sign(Self.content, "-nodetach -md sha256"))
        let countersigned = try await scene.countersign(both) { $0.certificate == theirs }
        let signers = try scene.verifier.verify(countersigned).signers
        #expect(signers.count == 2)
        #expect(signers.allSatisfy { $0.countersignatures.count == ($0.certificate == theirs ? 1 : 0) })
        let all = try await scene.countersign(both)
        #expect(try scene.verifier.verify(all).signers.allSatisfy { $0.countersignatures.count == 1 })
        await #expect(throws: KanalError.self) { try await scene.countersign(both) { _ in false } }
    }

    @Test("A countersigner that is not known or not trusted is named with the reason, and the message accepted")
    func doubts() async throws {
        let scene = try await MessageScene(.gost256)
        let theirs = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let message = try scene.openssl.sign(Self.content, "-nodetach -md md_gost12_256")
        let countersigned = try await scene.countersign(message)
        var verifier = scene.verifier
        verifier.usesMessageCertificates = false
        verifier.certificates = [theirs]
        let unknown = try verifier.verify(countersigned).signers.first?.countersignatures.first
        #expect(unknown?.fault == .noCertificate && unknown?.certificate == nil)
        verifier = MessageVerifier(trusting: [theirs])
        verifier.allowsPartialChains = true
        let distrusted = try verifier.verify(countersigned).signers.first?.countersignatures.first
        #expect(distrusted?.fault == nil && distrusted?.certificate == scene.certificate.value)
        #expect(distrusted?.distrust?.reason == .unknownIssuer)
    }

    @Test("A message with a wrong countersignature is refused, and each changed byte makes an error or no difference")
    func damaged() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner(OpenSSL.p256)
        let message = try scene.openssl.sign(Self.content, "-nodetach -noattr -md sha256")
        let countersigned = try await scene.countersign(message)
        var wrong = countersigned
        // The last byte is the last one of the countersignature.
        wrong[wrong.count - 1] ^= 1
        #expect(await fault { _ = try scene.verifier.verify(wrong) } == .wrongCountersignature)
        #expect(await fault { _ = try await scene.add(to: wrong) } == .wrongCountersignature)
        for place in countersigned.indices {
            for bit in [0, 5] {
                var changed = countersigned
                changed[place] ^= 1 << bit
                guard let verified = try? scene.signatureVerifier.verify(changed) else { continue }
                #expect(verified.content == Self.content)
                #expect(verified.signers.count == 1)
                let found = verified.signers.flatMap(\.countersignatures)
                #expect(found.allSatisfy { $0.fault != nil || $0.certificate == scene.certificate.value })
            }
        }
    }

    @Test("A message may announce a countersigner's hash function, and no other")
    func announced() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner("rsa:2048")
        var verifier = scene.verifier
        verifier.requiresOrder = true
        let message = try await scene.countersign(
            try scene.openssl.sign(Self.content, "-nodetach -stream -md sha256"))
        #expect(throws: Never.self) { try verifier.verify(message) }
        // Streebog-256 and Streebog-512, as the last of the algorithms in a message of indefinite lengths.
        for (number, isAnnounced) in [(2, true), (3, false)] as [(UInt8, Bool)] {
            let set = try #require(message.firstRange(of: [0x02, 0x01, 0x01, 0x31])).upperBound
            var changed = message
            let further: [UInt8] = [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, number]
            changed.insert(contentsOf: further, at: set + 1 + Int(message[set]))
            changed[set] += UInt8(further.count)
            #expect(await fault { _ = try verifier.verify(changed) } == (isAnnounced ? nil : .notInOrder))
        }
    }

    @Test("A countersignature of another signer's signature is wrong")
    func moved() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner("rsa:2048")
        // Both signers have one key, and sign contents of their own: their parts are of the same length.
        let messages = try [[1, 2, 3], [1, 2, 4]].map { content in
            try scene.openssl.sign(content, "-nodetach -noattr -md sha256")
        }
        let countersigned = try await scene.countersign(messages[0])
        // The other message with the first one's countersignature.
        let signature = messages[0].suffix(256)
        let place = try #require(countersigned.firstRange(of: signature))
        var moved = countersigned
        moved.replaceSubrange(place, with: messages[1].suffix(256))
        let content = try #require(moved.firstRange(of: [4, 3, 1, 2, 3]))
        moved.replaceSubrange(content, with: [4, 3, 1, 2, 4])
        #expect(await fault { _ = try scene.verifier.verify(moved) } == .wrongCountersignature)
    }
}

extension MessageScene {
    /// Countersigns a message by the token's signer.
    @discardableResult
    fileprivate func countersign(
        _ message: [UInt8], content: [UInt8]? = nil, allowsRepetition: Bool = false,
        of isChosen: @escaping @Sendable (MessageSigner) -> Bool = { _ in true }
    ) async throws -> [UInt8] {
        let result = Lock<[UInt8]>([])
        let existing = ExistingMessage(content: content.map { .pieces(of: $0, 2) }) { .pieces(of: message, 1000) }
        try await token.countersign(existing, by: [certificate], allowsRepetition: allowsRepetition, of: isChosen) {
            bytes in
            result.withLock { $0 += bytes }
        }
        return result.withLock { $0 }
    }
}
