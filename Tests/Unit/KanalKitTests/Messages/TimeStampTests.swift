// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Signatures and files with time stamps", .usesGOSTEngine)
struct TimeStampTests {
    private static let content = [UInt8]("content".utf8)

    @Test(
        "A stamped message is CAdES-T, and good at its time when all certificates have expired",
        arguments: MessageScene.kinds)
    func levelT(_ kind: KeyKind, _ newKey: String, _ digest: String) async throws {
        let scene = try await MessageScene(kind)
        let stamper = try Stamper(scene.openssl)
        let now = Int64(Date().timeIntervalSince1970)
        for isDetached in [false, true] {
            let message = try await scene.sign(
                Self.content, isDetached: isDetached, by: stamper.authority(scene.verifier))
            try scene.expectVerified(message, Self.content, isDetached: isDetached)
            var verifier = scene.verifier
            for time in [nil, now + 60 * 86_400] {
                verifier.time = time
                let signers = try verifier.verify(message, content: isDetached ? Self.content : nil).signers
                let signer = try #require(signers.first)
                #expect(signer.level == .t && signer.distrust == nil && signer.timeStamps.count == 1)
                #expect(signer.verdict == (time == nil ? .good : .goodAtItsTime))
                #expect(try signer.timeStamps.first?.authority == scene.openssl.read("tsa"))
                let proven = try #require(signer.provenTime)
                #expect((now - 5...Int64(Date().timeIntervalSince1970) + 120).contains(proven))
            }
        }
        // Without a stamp it ends with the certificate.
        let plain = try await scene.sign(Self.content, by: nil)
        #expect(try scene.verifier.verify(plain).signers.first?.level == .bes)
        var later = scene.verifier
        later.time = now + 60 * 86_400
        let error = #expect(throws: KanalError.self) { try later.verify(plain) }
        #expect(error?.verdict == .unknown)
    }

    @Test("A wrong stamp makes no message better: it is judged as of now, and the stamp is shown with its cause")
    func wrongStamps() async throws {
        let scene = try await MessageScene(.gost256)
        let stamper = try Stamper(scene.openssl)
        let authority = stamper.authority(scene.verifier)
        let message = try await scene.sign(Self.content, by: authority)
        _ = try await scene.sign(Array("other".utf8), by: authority)
        let stamps = stamper.stamps.withLock { $0 }
        #expect(stamps[0].count == stamps[1].count)
        var swapped = message
        swapped.replaceSubrange(try #require(message.firstRange(of: stamps[0])), with: stamps[1])
        var damaged = message
        damaged[try #require(message.firstRange(of: stamps[0])).upperBound - 1] ^= 1
        let now = Int64(Date().timeIntervalSince1970)
        let cases: [(message: [UInt8], fault: TimeStamp.Fault)] = [
            (swapped, .wrongImprint), (damaged, .wrongSignature),
        ]
        for (message, fault) in cases {
            let signer = try #require(try scene.verifier.verify(message).signers.first)
            #expect(signer.level == .bes && signer.provenTime == nil && signer.timeStamps.map(\.fault) == [fault])
            var later = scene.verifier
            later.time = now + 60 * 86_400
            let error = #expect(throws: KanalError.self) { try later.verify(message) }
            guard case .messageRefused(.untrusted(let signers))? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            guard case .expired? = signers.first?.distrust?.reason else {
                Issue.record("\(signers)")
                continue
            }
            #expect(error?.description.contains("the time stamp counts for nothing: \(fault)") == true)
            #expect(error?.verdict == .wrong)
        }
        // A stamp from a time to come.
        var earlier = scene.verifier
        earlier.time = now - 3600
        let error = #expect(throws: KanalError.self) { try earlier.verify(message) }
        #expect(error?.description.contains("to come") == true)
        // An authority that is not trusted.
        let foreign = try OpenSSL().makeAuthority("ca")
        var other = scene.verifier
        other.trusted = [scene.certificate.value]
        other.allowsPartialChains = true
        let signer = try #require(try other.verify(message).signers.first)
        #expect(signer.level == .bes && signer.distrust == nil && signer.verdict == .good)
        guard case .untrusted? = signer.timeStamps.first?.fault else {
            Issue.record("\(signer.timeStamps)")
            return
        }
        #expect(signer.timeStamps.first?.fault?.verdict == .unknown)
        let unknown = #expect(throws: KanalError.self) { try MessageVerifier(trusting: [foreign]).verify(message) }
        #expect(unknown?.verdict == .unknown)
    }

    @Test("A certificate that was revoked after the stamp was good at its time, one that was before is not")
    func revocations() async throws {
        let scene = try await MessageScene(.gost256)
        let stamper = try Stamper(scene.openssl)
        let message = try await scene.sign(Self.content, by: stamper.authority(scene.verifier))
        let now = Int64(Date().timeIntervalSince1970)
        func signer(revokedAt time: Int64) throws -> MessageSigner? {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "yyMMddHHmmss'Z'"
            let date = formatter.string(from: Date(timeIntervalSince1970: Double(time)))
            let line = "R\t401231235959Z\t\(date)\t02\tunknown\t/CN=Signer\n"
            let list = try stamper.revocationList(line)
            var verifier = scene.verifier
            verifier.revocationLists = [list]
            verifier.revocationCheck = .signers
            verifier.time = now + 86_400
            return try verifier.verify(message).signers.first
        }
        let revokedLater = try signer(revokedAt: now + 3600)
        #expect(revokedLater?.level == .t && revokedLater?.verdict == .goodAtItsTime)
        let error = #expect(throws: KanalError.self) { try signer(revokedAt: now - 3600) }
        guard case .messageRefused(.untrusted(let signers))? = error, case .revoked? = signers.first?.distrust?.reason
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.verdict == .wrong)
    }

    @Test("Of several signers and files the worst counts: wrong, not known, good at its time, good")
    func verdicts() {
        let order: [Verdict] = [.good, .goodAtItsTime, .unknown, .wrong]
        #expect(order.reversed().sorted() == order)
        #expect(MessageFault.untrusted([]).verdict == .unknown && MessageFault.noCertificate.verdict == .unknown)
        for fault in [MessageFault.wrongContent, .wrongSignature, .malformed, .weakAlgorithm, .wrongCountersignature] {
            #expect(fault.verdict == .wrong)
        }
    }

    @Test("A stamped message has a content of any length in it, in BER if it is too long to be kept")
    func long() async throws {
        let scene = try await MessageScene(.gost256)
        let stamper = try Stamper(scene.openssl)
        let content = (0..<(16 << 20) + 1).map { UInt8(truncatingIfNeeded: $0 / 251) }
        for (count, header) in [(16 << 20, [0x30, 0x84]), (content.count, [0x30, 0x80])] as [(Int, [UInt8])] {
            for size in [1 << 20, 17 << 20] {
                let part = Array(content.prefix(count))
                let message = try await scene.sign(
                    part, inPiecesOf: size, by: stamper.authority(scene.verifier))
                #expect(Array(message.prefix(2)) == header)
                try scene.expectVerified(message, part, isDetached: false)
                #expect(try scene.verifier.verify(message).signers.map(\.level) == [.t])
            }
        }
    }

    @Test(
        "A list that was made after the end of a certificate, which it may leave out, does not state that it is not revoked"
    )
    func laterLists() async throws {
        let scene = try await MessageScene(.gost256)
        let stamper = try Stamper(scene.openssl)
        let message = try await scene.sign(Self.content, by: stamper.authority(scene.verifier))
        var verifier = scene.verifier
        verifier.time = Int64(Date().timeIntervalSince1970) + 60 * 86_400
        verifier.revocationCheck = .signers
        // The certificate ends after 30 days.
        verifier.revocationLists = [try stamper.revocationList(from: 20)]
        #expect(try verifier.verify(message).signers.first?.verdict == .goodAtItsTime)
        verifier.revocationLists = [try stamper.revocationList(from: 40)]
        let error = #expect(throws: KanalError.self) { try verifier.verify(message) }
        // The authority's certificate ends with it.
        guard case .messageRefused(.untrusted(let signers))? = error,
            case .untrusted(let distrust)? = signers.first?.timeStamps.first?.fault
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(distrust.reason == .listMissing)
    }

    @Test("Nothing is written unless the authority's reply is good")
    func replies() async throws {
        let scene = try await MessageScene(.gost256)
        let stamper = try Stamper(scene.openssl)
        let good = try stamper.reply(to: try #require(try await query(scene)))
        let foreign = MessageVerifier(trusting: [try OpenSSL().makeAuthority("ca")])
        for authority in [
            stamper.authority(scene.verifier, answer: good), stamper.authority(scene.verifier, answer: []),
            stamper.authority(scene.verifier, answer: [UInt8](repeating: 0, count: 1 << 21)),
            stamper.authority(foreign),
        ] {
            let written = Lock(0)
            let error = await #expect(throws: KanalError.self) {
                try await scene.token.signMessage(
                    of: .pieces(of: Self.content, 3, length: nil, Recorder()), by: scene.certificate,
                    stampedBy: authority
                ) { bytes in written.withLock { $0 += bytes.count } }
            }
            guard case .timeStampRefused? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(written.withLock { $0 } == 0)
        }
    }

    /// A query of ours for other bytes.
    private func query(_ scene: MessageScene) async throws -> [UInt8]? {
        let seen = Lock<[UInt8]?>(nil)
        let authority = TimeStampAuthority(trusting: scene.verifier) { query in
            seen.withLock { $0 = query }
            return []
        }
        _ = try? await authority.stamp(.pieces(of: [1], 1, length: 1, Recorder()))
        return seen.withLock { $0 }
    }

    @Test("A file is stamped by itself, and its stamp verified", arguments: TimeStampAuthority.HashFunction.allCases)
    func files(_ hash: TimeStampAuthority.HashFunction) async throws {
        let openssl = try OpenSSL()
        let verifier = MessageVerifier(trusting: [try openssl.makeAuthority("ca")])
        let stamper = try Stamper(openssl)
        let authority = stamper.authority(verifier)
        func content(_ text: String) -> ByteSource { .pieces(of: Array(text.utf8), 3, length: nil, Recorder()) }
        guard hash != .sha384 && hash != .sha512 else {
            // The authority does not know them.
            let error = await #expect(throws: KanalError.self) {
                try await authority.stamp(content("text"), hash: hash)
            }
            #expect(error?.description.contains("does not know the hash function") == true)
            return
        }
        let (stamp, reply) = try await authority.stamp(content("text"), hash: hash)
        let token = try #require(stamper.stamps.withLock { $0.first })
        for bytes in [reply, token] {
            #expect(try await verifier.verify(timeStamp: bytes, of: content("text")) == stamp)
            await #expect(throws: KanalError.timeStampRefused(.wrongImprint)) {
                try await verifier.verify(timeStamp: bytes, of: content("other"))
            }
        }
        // The program accepts it, too.
        try openssl.write(reply, "file.tsr")
        try openssl.write(Array("text".utf8), "file")
        try openssl.run("ts -verify -data file -in file.tsr -CAfile ca.pem")
    }
}

extension KanalError {
    /// The verdict on a message that is refused.
    var verdict: Verdict? {
        guard case .messageRefused(let fault) = self else { return nil }
        return fault.verdict
    }
}
