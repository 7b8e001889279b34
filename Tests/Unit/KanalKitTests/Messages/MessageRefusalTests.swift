// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Signed messages that are not accepted", .usesGOSTEngine)
struct MessageRefusalTests {
    private static let content = Array("the content of the message".utf8)

    /// Messages of the program's.
    private struct Theirs {
        let openssl: OpenSSL
        let authority, signer: [UInt8]
        let verifier: MessageVerifier

        init() throws {
            openssl = try OpenSSL()
            authority = try openssl.makeAuthority("ca")
            signer = try openssl.makeSigner(OpenSSL.p256)
            verifier = MessageVerifier(trusting: [authority])
        }

        /// Why a message is not accepted that is read as a whole, and one that is read in pieces.
        func faults(_ message: [UInt8], _ verifier: MessageVerifier? = nil) async -> [MessageFault?] {
            let verifier = verifier ?? self.verifier
            return [
                await fault { _ = try verifier.verify(message) },
                await fault { _ = try await verifier.verify(.pieces(of: message, 50)) { _ in } },
            ]
        }

        /// The reasons why its signers are not trusted, if nothing else is wrong with it, read in whichever way.
        func reasons(_ message: [UInt8], _ verifier: MessageVerifier) async -> [Distrust.Reason?] {
            let faults = await faults(message, verifier)
            guard case .untrusted(let signers)? = faults[0], faults[1] == faults[0] else { return [] }
            #expect(signers.map(\.certificate) == [signer])
            return signers.map(\.distrust?.reason)
        }
    }

    @Test("What is changed is told apart: content, signature, hash function, certificate")
    func changes() async throws {
        let theirs = try Theirs()
        let message = try theirs.openssl.sign(Self.content, "-nodetach -cades")
        var changed = message
        changed[try #require(message.firstRange(of: Self.content)).lowerBound] ^= 1
        #expect(await theirs.faults(changed) == [.wrongContent, .wrongContent])
        changed = message
        changed[message.count - 1] ^= 1
        #expect(await theirs.faults(changed) == [.wrongSignature, .wrongSignature])
        let weak = try theirs.openssl.sign(Self.content, "-nodetach -md sha1")
        #expect(await theirs.faults(weak) == [.weakAlgorithm, .weakAlgorithm])
        let bare = try theirs.openssl.sign(Self.content, "-nodetach -cades -nocerts")
        #expect(await theirs.faults(bare) == [.noCertificate, .noCertificate])
        var verifier = theirs.verifier
        verifier.certificates = [theirs.signer]
        #expect(await theirs.faults(bare, verifier) == [nil, nil])
        verifier = theirs.verifier
        verifier.usesMessageCertificates = false
        #expect(await theirs.faults(message, verifier) == [.noCertificate, .noCertificate])
        // A content whose bytes are those of the attributes of another message.
        let attributes = try theirs.openssl.sign([0x31, 7, 0x30, 5, 6, 1, 0x2A, 0x31, 0], "-nodetach -noattr")
        #expect(await theirs.faults(attributes) == [.wrongAttributes, .wrongAttributes])
    }

    @Test("A signer whom nobody trusts is told with the refusal, and accepted if only the signature counts")
    func foreign() async throws {
        let theirs = try Theirs()
        let message = try theirs.openssl.sign(Self.content, "-nodetach -cades")
        let signers = try theirs.verifier.verify(message).signers
        var foreign = MessageVerifier(trusting: [try theirs.openssl.makeAuthority("other")])
        #expect(await theirs.reasons(message, foreign) == [.unknownIssuer])
        foreign.checksSignatureOnly = true
        #expect(await theirs.faults(message, foreign) == [nil, nil])
        #expect(try foreign.verify(message).signers == signers)

        var direct = MessageVerifier(trusting: [theirs.signer])
        #expect(await theirs.reasons(message, direct) == [.unknownIssuer])
        direct.allowsPartialChains = true
        #expect(await theirs.faults(message, direct) == [nil, nil])
        var verifier = theirs.verifier
        verifier.time = 4_000_000_000
        let end = try #require(try CertificateSummary(of: theirs.signer).notAfter)
        #expect(await theirs.reasons(message, verifier) == [.expired(end)])
        verifier.time = nil
        for check in [MessageVerifier.RevocationCheck.signers, .all] {
            verifier.revocationCheck = check
            #expect(await theirs.reasons(message, verifier) == [.listMissing])
        }
    }

    @Test("A list of revoked certificates counts, and what cannot be read of the application's is its error")
    func lists() async throws {
        let theirs = try Theirs()
        let message = try theirs.openssl.sign(Self.content, "-nodetach -cades")
        var verifier = theirs.verifier
        verifier.revocationCheck = .all
        verifier.revocationLists = [try list(theirs.openssl, revoked: false)]
        #expect(await theirs.faults(message, verifier) == [nil, nil])
        verifier.revocationCheck = .none
        verifier.revocationLists = [try list(theirs.openssl, revoked: true)]
        #expect(await theirs.reasons(message, verifier) == [.revoked(1_735_689_600)])
        let reason = KanalError.invalidArgument(
            "a certificate, a list of revoked ones or a response about them cannot be read")
        verifier.revocationLists = [[1]]
        #expect(throws: reason) { try verifier.verify(message) }
        let broken = MessageVerifier(trusting: [[1]])
        await #expect(throws: reason) { _ = try await broken.verify(.pieces(of: message, 50)) { _ in } }
    }

    /// A list by the authority "ca", with or without the certificate of the file theirs.pem.
    private func list(_ openssl: OpenSSL, revoked: Bool) throws -> [UInt8] {
        let settings = "[ca]\ndefault_ca = all\n[all]\ndatabase = index\ndefault_md = md_gost12_256\n"
        try openssl.write(Array(settings.utf8), "ca.cnf")
        try openssl.write(
            Array((revoked ? "R\t350101000000Z\t250101000000Z\t03\tunknown\t/CN=Theirs\n" : "").utf8), "index")
        try openssl.run(
            "ca -config ca.cnf -engine gost -gencrl -cert ca.pem -keyfile ca.key -crldays 30 -out list.pem")
        try openssl.run("crl -in list.pem -outform DER -out list")
        return try openssl.read("list")
    }

    @Test("Another content beside a message, a second one and none are refused")
    func contents() async throws {
        let theirs = try Theirs()
        let verifier = theirs.verifier
        let detached = try theirs.openssl.sign(Self.content, "-cades")
        let attached = try theirs.openssl.sign(Self.content, "-nodetach -cades")
        let others: [[UInt8]] = [Self.content + [0], Self.content.dropLast(), []]
        for wrong in others {
            #expect(await fault { _ = try verifier.verify(detached, content: wrong) } == .wrongContent)
            #expect(
                await fault { _ = try await verifier.verify(detached, content: .pieces(of: wrong, 5)) } == .wrongContent
            )
        }
        #expect(await theirs.faults(detached) == [.noContent, .noContent])
        #expect(await fault { _ = try verifier.verify(attached, content: Self.content) } == .ownContent)
        #expect(
            await fault { _ = try await verifier.verify(attached, content: .pieces(of: Self.content, 5)) }
                == .ownContent)
        #expect(try verifier.verify(detached, content: Self.content).signers.count == 1)
    }

    @Test("A message that is cut, with something behind it, or with a length that does not fit is refused")
    func malformed() async throws {
        let theirs = try Theirs()
        let verifier = theirs.verifier
        for options in ["", "-stream"] {
            let message = try theirs.openssl.sign(Self.content, "-nodetach -cades \(options)")
            for count in message.indices {
                let cut = ByteSource.pieces(of: Array(message.prefix(count)), 50)
                #expect(await fault { _ = try await verifier.verify(cut) { _ in } } == .malformed, "\(count) bytes")
            }
            #expect(await theirs.faults(message + [0]) == [.malformed, .malformed])
            #expect(await theirs.faults(message + [0, 0]) == [.malformed, .malformed])
            // Every byte before the content and at its end is required unchanged.
            let content = try #require(message.firstRange(of: Self.content))
            let ends = options.isEmpty ? content.upperBound : content.upperBound + 8
            // But for the version, which says nothing.
            let version = try #require(message.firstRange(of: [2, 1, 1, 0x31])).lowerBound + 2
            let places = Array(0..<content.lowerBound) + Array(content.upperBound..<ends)
            for place in places where place != version {
                var changed = message
                changed[place] ^= 0x41
                let source = ByteSource.pieces(of: changed, 50)
                #expect(await fault { _ = try await verifier.verify(source) { _ in } } != nil, "byte \(place)")
            }
        }
        for message in [[], Self.content, theirs.authority] {
            #expect(await theirs.faults(message) == [.malformed, .malformed])
        }
    }

    @Test("Where order is required, no bit of a message may be another one")
    func order() async throws {
        let theirs = try Theirs()
        var verifier = theirs.verifier
        verifier.requiresOrder = true
        for options in ["-nodetach -cades", "-nodetach -cades -stream", "-nodetach -cades -md sha512"] {
            let message = try theirs.openssl.sign(Self.content, options)
            let faults = await theirs.faults(message, verifier)
            #expect(faults == [nil, nil])
            for place in message.indices {
                var changed = message
                changed[place] ^= 1 << UInt8(place % 8)
                let source = ByteSource.pieces(of: changed, 50)
                #expect(await fault { _ = try await verifier.verify(source) { _ in } } != nil, "byte \(place)")
                #expect(await fault { _ = try verifier.verify(changed) } != nil, "byte \(place)")
            }
        }
        let message = try theirs.openssl.sign(Self.content, "-nodetach -cades")
        var careless = message
        careless[try #require(message.firstRange(of: [2, 1, 1, 0x31])).lowerBound + 2] = 3
        #expect(await theirs.faults(careless) == [nil, nil])
        #expect(await theirs.faults(careless, verifier) == [.notInOrder, .notInOrder])
    }

    @Test("A content of another length than was said, and one that is too long, are not signed")
    func lengths() async throws {
        let scene = try await MessageScene(.gost256)
        for (length, isDetached) in [(5, false), (5, true), (50, false), (50, true)] {
            let error = await #expect(throws: KanalError.self) {
                _ = try await scene.sign(Self.content, pieces: 4, length: length, isDetached: isDetached)
            }
            guard case .invalidArgument = error else { throw error ?? .notFound }
        }
        let isRead = Lock(false)
        let long = ByteSource(length: 1 << 32) {
            isRead.withLock { $0 = true }
            return nil
        }
        await #expect(throws: KanalError.self) {
            try await scene.token.signMessage(of: long, by: scene.certificate) { _ in isRead.withLock { $0 = true } }
        }
        #expect(!isRead.withLock { $0 })
    }

    @Test("A certificate without its key is refused before the content is read")
    func noKey() async throws {
        let scene = try await MessageScene(.p256)
        try await scene.token.perform { session in
            for pair in try session.keyPairs() { try session.delete(pair) }
        }
        let isRead = Lock(false)
        let source = ByteSource {
            isRead.withLock { $0 = true }
            return nil
        }
        await #expect(throws: KanalError.objectNotFound) {
            try await scene.token.signMessage(of: source, by: scene.certificate) { _ in }
        }
        #expect(!isRead.withLock { $0 })
    }
}
