// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Messages with several signers", .usesGOSTEngine)
struct CoSigningTests {
    private static let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }

    @Test(
        "A signer is put into the program's message, which the program accepts; bytes of the other signer stay",
        arguments: MessageScene.kinds.map(\.kind))
    func theirsFirst(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        let theirs = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        for options in ["-nodetach", "-nodetach -stream", ""] {
            let isDetached = options.isEmpty
            let message = try scene.openssl.sign(Self.content, "-cades -md md_gost12_256 \(options)")
            for size in [1000, message.count] {
                let both = try await scene.add(
                    to: message, pieces: size, content: isDetached ? Self.content : nil)
                try scene.expectVerified(both, Self.content, isDetached: isDetached)
                let verified = try scene.verifier.verify(both, content: isDetached ? Self.content : nil)
                #expect(verified.content == Self.content)
                #expect(Set(verified.signers.map(\.certificate)) == [theirs, scene.certificate.value])
                #expect(both.starts(with: [0x30, 0x80]) == message.starts(with: [0x30, 0x80]))
                if !both.starts(with: [0x30, 0x80]) { #expect(try scene.openssl.encodedAgain() == both) }
                #expect(try both.holds(message.signer(behind: theirs)) && both.holds(theirs))
            }
        }
    }

    @Test("The program's signer is put into our message", arguments: MessageScene.kinds.map(\.kind))
    func oursFirst(_ kind: KeyKind) async throws {
        let scene = try await MessageScene(kind)
        // The program takes the content's digest from a signer with the same hash function.
        let own = try #require(MessageScene.kinds.first { $0.kind == kind })
        let theirs = try scene.openssl.makeSigner(own.newKey)
        let message = try await scene.sign(Self.content, length: Self.content.count)
        try scene.openssl.write(message, "ours")
        try scene.openssl.run(
            "cms -resign -cades -binary -nodetach -in ours -inform DER -signer theirs.pem -inkey theirs.key"
                + " -md \(own.digest) -outform DER -out both")
        let both = try scene.openssl.read("both")
        let verified = try scene.verifier.verify(both)
        #expect(Set(verified.signers.map(\.certificate)) == [theirs, scene.certificate.value])
        // The certificate may sign once more if that is wanted, with another signature.
        #expect(await fault { _ = try await scene.add(to: both) } == .alreadySigned)
        let thrice = try await scene.add(to: both, allowsRepetition: true)
        #expect(try scene.verifier.verify(thrice).signers.count == 3)
    }

    @Test("Several keys sign one message in one run, with its content in it and beside it")
    func several() async throws {
        let scene = try await MessageScene(.p256)
        let second = try await scene.second(.rsa(bits: 2048))
        let signers = [scene.certificate, second]
        for (isDetached, length) in [(false, Self.content.count), (false, nil), (true, nil)] {
            let message = Lock<[UInt8]>([])
            try await scene.token.signMessage(
                of: .pieces(of: Self.content, 999, length: length), by: signers, certificates: [scene.authority],
                isDetached: isDetached
            ) { bytes in message.withLock { $0 += bytes } }
            let bytes = message.withLock { $0 }
            try scene.expectVerified(bytes, Self.content, isDetached: isDetached)
            let found = try scene.verifier.verify(bytes, content: isDetached ? Self.content : nil).signers
            #expect(Set(found.map(\.certificate)) == Set(signers.map(\.value)))
            #expect(bytes.holds(scene.authority))
        }
    }

    @Test("A chain has the issuers whose keys have signed, up to the root, and none that only has the name")
    func chain() async throws {
        let openssl = try OpenSSL()
        let root = try openssl.makeAuthority("root")
        try openssl.run(
            "req -new -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -out ca.request -subj /CN=ca")
        try openssl.run("x509 -req -in ca.request -CA root.pem -CAkey root.key -set_serial 5 -out ca.pem -days 30")
        try openssl.run("x509 -in ca.pem -outform DER -out ca")
        let authority = try openssl.read("ca")
        let signer = try openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let namesake = try OpenSSL().makeAuthority("ca")
        let known = [root, namesake, signer, [1, 2, 3], authority, root]
        #expect(try CertificateChain.above(signer, among: known) == [authority, root])
        #expect(try CertificateChain.above(signer, among: [namesake, root]) == [])
        #expect(try CertificateChain.above(root, among: known) == [])
        #expect(throws: KanalError.self) { try CertificateChain.above([1], among: known) }
    }

    @Test("No signer is put into something else than a message whose signatures are good")
    func refusals() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let attached = try scene.openssl.sign(Self.content, "-nodetach -md md_gost12_256")
        let detached = try scene.openssl.sign(Self.content, "-md md_gost12_256")
        func refusal(_ message: [UInt8], _ content: [UInt8]? = nil) async -> MessageFault? {
            await fault { _ = try await scene.add(to: message, content: content) }
        }
        #expect(await refusal(scene.authority) == .malformed)
        #expect(await refusal([]) == .malformed)
        #expect(await refusal(attached.dropLast()) == .malformed)
        #expect(await refusal(attached + [1]) == .malformed)
        #expect(await refusal(detached) == .noContent)
        #expect(await refusal(attached, Self.content) == .ownContent)
        #expect(await refusal(detached, Self.content + [0]) == .wrongContent)
        try scene.openssl.run("crl2pkcs7 -nocrl -certfile ca.pem -outform DER -out bundle")
        #expect(await refusal(try scene.openssl.read("bundle"), []) == .noSigner)
        let alone = try scene.openssl.sign(Self.content, "-nodetach -nocerts -md md_gost12_256")
        #expect(await refusal(alone) == .noCertificate)
        let both = try await scene.add(to: alone, known: [try scene.openssl.read("theirs")])
        #expect(await fault { _ = try scene.verifier.verify(both) } == .noCertificate)
        let weak = try scene.openssl.sign(Self.content, "-nodetach -md sha1", key: "rsa:2048")
        #expect(await refusal(weak) == .weakAlgorithm)
    }

    @Test("Each byte of a message that is changed makes an error, or no difference to its signatures")
    func damaged() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner(OpenSSL.p256)
        let message = try scene.openssl.sign([1, 2, 3], "-nodetach -noattr -md sha256")
        for place in message.indices {
            var changed = message
            changed[place] ^= 1
            guard let both = try? await scene.add(to: changed) else { continue }
            // What no signature covers, such as a version, may have changed.
            #expect(throws: Never.self) { try scene.signatureVerifier.verify(changed) }
            #expect(try scene.signatureVerifier.verify(both).signers.count == 2)
        }
    }

    @Test("A message that changes between its two readings is refused")
    func exchanged() async throws {
        let scene = try await MessageScene(.gost256)
        _ = try scene.openssl.makeSigner("gost2012_256 -pkeyopt paramset:A")
        let messages = try [Self.content, Self.content.reversed()].map { content in
            try scene.openssl.sign(content, "-nodetach -noattr -md md_gost12_256")
        }
        let number = Lock(0)
        let message = ExistingMessage {
            let place = number.withLock { number in
                number += 1
                return number - 1
            }
            return .pieces(of: messages[place], 1000)
        }
        await #expect(throws: KanalError.self) {
            try await scene.token.addSigners([scene.certificate], to: message) { _ in }
        }
        #expect(number.withLock { $0 } == 2)
    }
}

extension MessageScene {
    /// A verifier that asks for no path.
    var signatureVerifier: MessageVerifier {
        var verifier = verifier
        verifier.checksSignatureOnly = true
        return verifier
    }

    /// A second key with its certificate.
    func second(_ kind: KeyKind) async throws -> TokenCertificate {
        let request = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [2], label: "second")
            return try session.certificationRequest(for: pair, subject: [RequestField("CN", "Second")])
        }
        try openssl.write(request, "request")
        try openssl.run(
            "x509 -req -in request -inform DER -CA ca.pem -CAkey ca.key -set_serial 4 -out second.pem -days 30")
        try openssl.run("x509 -in second.pem -outform DER -out second")
        let value = try openssl.read("second")
        return try await token.perform { session in
            try session.importCertificate(value, id: [2], label: "second")
        }
    }

    /// Puts the token's signer into a message that comes in pieces of this length.
    func add(
        to message: [UInt8], pieces: Int = 1000, content: [UInt8]? = nil, known: [[UInt8]] = [],
        allowsRepetition: Bool = false
    ) async throws -> [UInt8] {
        let result = Lock<[UInt8]>([])
        var existing = ExistingMessage(content: content.map { .pieces(of: $0, 999) }) { .pieces(of: message, pieces) }
        existing.certificates = known
        try await token.addSigners([certificate], to: existing, allowsRepetition: allowsRepetition) { bytes in
            result.withLock { $0 += bytes }
        }
        return result.withLock { $0 }
    }
}

extension OpenSSL {
    /// The file "message" as the program writes it: in DER, which sorts members of a SET OF.
    fileprivate func encodedAgain() throws -> [UInt8] {
        try run("cms -cmsout -in message -inform DER -outform DER -out again")
        return try read("again")
    }

    /// The program's message, signed with a new key.
    fileprivate func sign(_ content: [UInt8], _ options: String, key: String) throws -> [UInt8] {
        _ = try makeSigner(key)
        return try sign(content, options)
    }
}

extension [UInt8] {
    /// Whether bytes are somewhere in these.
    func holds(_ other: [UInt8]) -> Bool { Data(self).range(of: Data(other)) != nil }

    /// The SignerInfo of a message in DER with one signer and one certificate.
    fileprivate func signer(behind certificate: [UInt8]) throws -> [UInt8] {
        let range = try #require(Data(self).range(of: Data(certificate)))
        let rest = self[range.upperBound...]
        // Of indefinite lengths, the SET behind the end of the certificates begins later.
        let set = try #require(rest.firstRange(of: [0x31, 0x82]))
        let count = Int(self[set.upperBound]) << 8 | Int(self[set.upperBound + 1])
        return Array(self[(set.upperBound + 2)...].prefix(count))
    }
}
