// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Signed messages", .usesGOSTEngine)
struct MessageTests {
    private static let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    @Test("The program and the verifier accept what keys of each kind sign", arguments: MessageScene.kinds.map(\.kind))
    func ours(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        let (certificate, content, verifier) = (scene.certificate, Self.content, scene.verifier)
        // The clock that signing times come from may be a tick behind.
        let start = Int64(Date().timeIntervalSince1970) - 1
        for isDetached in [false, true] {
            let message = try await scene.token.perform { session in
                try session.signedMessage(of: content, by: certificate, isDetached: isDetached)
            }
            try scene.expectVerified(message, content, isDetached: isDetached)
            let verified = try verifier.verify(message, content: isDetached ? content : nil)
            #expect(verified.content == content)
            #expect(verified.signers.map(\.certificate) == [certificate.value])
            let time = try #require(verified.signers.first?.signingTime)
            #expect((start...Int64(Date().timeIntervalSince1970)).contains(time))
        }
    }

    @Test(
        "A content that comes in pieces is signed as one in one piece is, in a message that is whole DER if its length is known",
        arguments: MessageScene.kinds.map(\.kind))
    func streamed(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        let content = Self.content
        for (isDetached, length) in [(false, content.count), (false, nil), (true, content.count), (true, nil)] {
            let progress = Recorder()
            let message = try await scene.sign(content, length: length, isDetached: isDetached, progress: progress)
            #expect(progress.count == 5 && progress.isComplete(content.count, isKnown: length != nil))
            try scene.expectVerified(message, content, isDetached: isDetached)
            if isDetached {
                let read = Recorder()
                let source = ByteSource.pieces(of: content, 7, length: content.count, read)
                let signers = try await scene.verifier.verify(message, content: source)
                #expect(signers.map(\.certificate) == [scene.certificate.value] && read.isComplete(content.count))
            } else {
                try await expectContent(of: message, scene.verifier, signer: scene.certificate.value)
            }
            // A message in pieces is not DER.
            guard isDetached || length != nil else { continue }
            #expect(try scene.verifier.verify(message, content: isDetached ? content : nil).content == content)
        }
    }

    @Test(
        "A message for a PDF file has no attributes but type, digest and certificate, and is good for the program",
        arguments: MessageScene.kinds.map(\.kind))
    func pdf(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        try scene.openssl.run("x509 -in ca.pem -outform DER -out ca")
        for authority in [nil, try Stamper(scene.openssl).authority(scene.verifier)] {
            let message = Lock<[UInt8]>([])
            try await scene.token.signMessage(
                of: .pieces(of: Self.content, 7), by: scene.certificate, isDetached: true, profile: .pades,
                stampedBy: authority
            ) { bytes in message.withLock { $0 += bytes } }
            let der = message.withLock { $0 }
            try scene.expectVerified(der, Self.content, isDetached: true)
            try scene.openssl.run("cms -cmsout -print -noout -inform DER -in message -out printed")
            let text = String(decoding: try scene.openssl.read("printed"), as: UTF8.self)
            let signed = text.components(separatedBy: " signedAttrs:").last?.components(separatedBy: "unsignedAttrs:")
                .first
            let objects = (signed ?? "").split(separator: "\n").filter { $0.contains("object: ") }.compactMap {
                $0.split(separator: " ").dropFirst().first.map(String.init)
            }
            #expect(Set(objects) == ["contentType", "messageDigest", "id-smime-aa-signingCertificateV2"], "\(text)")
            let signer = try #require(scene.verifier.verify(der, content: Self.content).signers.first)
            #expect(signer.signingTime == nil && signer.level == (authority == nil ? .bes : .t))
        }
    }

    @Test("A message for a PDF file that is not detached, or has two signers, is refused")
    func wrongPDF() async throws {
        let scene = try await MessageScene(.gost256)
        await #expect(throws: KanalError.invalidArgument("a message for a PDF file is detached, and has one signer")) {
            try await scene.token.signMessage(
                of: .pieces(of: [1], 1), by: scene.certificate, profile: .pades
            ) { _ in }
        }
        await #expect(throws: KanalError.invalidArgument("a message for a PDF file is detached, and has one signer")) {
            try await scene.token.signMessage(
                of: .pieces(of: [1], 1), by: [scene.certificate, scene.certificate], certificates: [], isDetached: true,
                profile: .pades
            ) { _ in }
        }
    }

    @Test("An empty content is signed in every form")
    func empty() async throws {
        let scene = try await MessageScene(.gost256)
        for (isDetached, length) in [(false, 0), (false, nil), (true, 0)] {
            let progress = Recorder()
            let message = try await scene.sign([], length: length, isDetached: isDetached, progress: progress)
            #expect(progress.isComplete(0) == (length != nil))
            try scene.expectVerified(message, [], isDetached: isDetached)
            guard !isDetached else { continue }
            let output = Lock<[UInt8]>([])
            let signers = try await scene.verifier.verify(.pieces(of: message, 100)) { piece in
                output.withLock { $0 += piece }
            }
            #expect(signers.count == 1 && output.withLock { $0.isEmpty })
        }
    }

    /// Verifies a message with its content in pieces of several lengths.
    private func expectContent(of message: [UInt8], _ verifier: MessageVerifier, signer: [UInt8]) async throws {
        for size in [1, 7, 1000, message.count] {
            let (output, progress) = (Lock<[UInt8]>([]), Recorder())
            let source = ByteSource.pieces(of: message, size, length: message.count, progress)
            let signers = try await verifier.verify(source) { piece in output.withLock { $0 += piece } }
            #expect(signers.map(\.certificate) == [signer] && progress.isComplete(message.count))
            #expect(output.withLock { $0 } == Self.content)
        }
    }

    @Test("The verifier accepts what the program signs", arguments: MessageScene.kinds.map(\.newKey))
    func theirs(_ newKey: String) async throws {
        let openssl = try OpenSSL()
        let verifier = MessageVerifier(trusting: [try openssl.makeAuthority("ca")])
        let signer = try openssl.makeSigner(newKey)
        let digest = try #require(MessageScene.kinds.first { $0.newKey == newKey }?.digest)
        let content = Self.content
        for options in ["-cades -md \(digest)", "-md \(digest)", "-noattr -nosmimecap -md \(digest)"] {
            let attached = try openssl.sign(content, "-nodetach \(options)")
            let verified = try verifier.verify(attached)
            #expect(verified.content == content && verified.signers.map(\.certificate) == [signer])
            #expect((verified.signers.first?.signingTime == nil) == options.contains("noattr"))
            try await expectContent(of: attached, verifier, signer: signer)
            let detached = try openssl.sign(content, options)
            let known = try verifier.verify(detached, content: content).signers
            #expect(known.map(\.certificate) == [signer])
            let signers = try await verifier.verify(detached, content: .pieces(of: content, 999))
            #expect(signers == known)
            // In pieces of indefinite length.
            let streamed = try openssl.sign(content, "-nodetach -stream \(options)")
            #expect(streamed.starts(with: [0x30, 0x80]))
            try await expectContent(of: streamed, verifier, signer: signer)
            #expect(try verifier.verify(streamed).content == content)
        }
    }

    @Test("While a content is read and hashed, others work with the token")
    func others() async throws {
        let scene = try await MessageScene(.gost256)
        let (token, isDone) = (scene.token, Lock(false))
        let rest = Lock([[UInt8]](repeating: Self.content, count: 2))
        let source = ByteSource {
            let piece = rest.withLock { $0.popLast() }
            if piece == nil {
                Task {
                    _ = try await token.perform { session in try session.randomBytes(8) }
                    isDone.withLock { $0 = true }
                }
                // The last piece comes only when the other work is done. Other tests may hold all threads of tasks.
                for _ in 0..<60_000 where !isDone.withLock({ $0 }) { Clocks.system.pause(.milliseconds(10)) }
            }
            return piece
        }
        let message = Lock<[UInt8]>([])
        try await token.signMessage(of: source, by: scene.certificate) { piece in message.withLock { $0 += piece } }
        #expect(isDone.withLock { $0 })
        try scene.expectVerified(message.withLock { $0 }, Self.content + Self.content, isDetached: false)
    }

    @Test("Cancelling ends the work between two pieces", arguments: ["sign", "sign beside", "verify", "verify beside"])
    func cancelling(_ work: String) async throws {
        let scene = try await MessageScene(.gost256)
        let message = try await scene.sign(Self.content, isDetached: work == "verify beside")
        let pieces = work == "verify" ? message : Self.content
        let (task, count) = (Lock<Task<Void, any Error>?>(nil), Lock(0))
        let source = ByteSource {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 3 {
                // The task is known when the work has begun long ago.
                for _ in 0..<60_000 where task.withLock({ $0 == nil }) { Clocks.system.pause(.milliseconds(10)) }
                task.withLock { $0 }?.cancel()
            }
            return Array(pieces.dropFirst(10 * (number - 1)).prefix(10))
        }
        let (token, certificate, verifier) = (scene.token, scene.certificate, scene.verifier)
        let new = Task {
            switch work {
            case "verify": _ = try await verifier.verify(source) { _ in }
            case "verify beside": _ = try await verifier.verify(message, content: source)
            default:
                try await token.signMessage(of: source, by: certificate, isDetached: work == "sign beside") { _ in }
            }
        }
        task.withLock { $0 = new }
        await #expect(throws: KanalError.cancelled) { try await new.value }
        #expect(count.withLock { $0 } == 3)
    }
}
