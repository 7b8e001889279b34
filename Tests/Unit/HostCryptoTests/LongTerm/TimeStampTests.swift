// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("Time stamps, RFC 3161", .usesGOSTEngine)
struct TimeStampTests {
    private static let algorithms: [(String, DigestAlgorithm)] = [
        ("rsa:2048", .sha256), ("rsa:2048", .streebog512), ("gost2012_256 -pkeyopt paramset:A", .streebog256),
        ("gost2012_512 -pkeyopt paramset:A", .streebog512),
    ]
    private let now = Int(Date().timeIntervalSince1970)

    @Test("the stamp of the program for our request counts, with its time and authority", arguments: algorithms)
    func program(_ newKey: String, _ digest: DigestAlgorithm) throws {
        let made = try MadeTimeStamps(newKey)
        // Those of ESSCertID and those of ESSCertIDv2.
        for settings in ["ess_cert_id_alg = sha256", "ess_cert_id_alg = sha1"] {
            try made.configure(settings)
            let request = try made.request(digest)
            let token = try TimeStampResponse(reply: made.reply(to: request)).token
            let authority = try token.verify(answering: request, trusting: made.store(), now: now + 2)
            #expect(try authority.certificate == made.chain.openssl.read("tsa"))
            let path = try made.chain.certificates(["tsa", "authority", "root"])
            #expect(authority.evidence?.links.map(\.certificate) == path)
            #expect(abs(token.time.seconds - now) < 60)
            #expect(token.time.accuracy == 1_500_100)
            #expect(try token.verify(imprint: request.imprint, trusting: made.store(), now: now + 2) == authority)
        }
    }

    /// The fault of a reply.
    private func fault(
        _ made: MadeTimeStamps, _ reply: [UInt8], to request: TimeStampRequest, days: Int = 0,
        _ change: (inout TrustStore) throws -> Void = { _ in }
    ) throws -> TimeStampFault? {
        do throws(TimeStampFault) {
            _ = try TimeStampResponse(reply: reply).token.verify(
                answering: request, trusting: try? made.store(change), now: now + 2 + days * 86_400)
            return nil
        } catch {
            return error
        }
    }

    @Test("a stamp that was granted with modifications is granted; any other status is a refusal with its reason")
    func statuses() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        for status in UInt8(0)...1 {
            let reply = try made.reply(to: request) { $0.status = status }
            #expect(try fault(made, reply, to: request) == nil)
        }
        for status in UInt8(2)...5 {
            let reply = try made.reply(to: request) { $0.status = status }
            #expect {
                try TimeStampResponse(reply: reply)
            } throws: { error in
                guard case .refused(let refusal)? = error as? TimeStampFault else { return false }
                return refusal.status == status && refusal.reason == nil && refusal.text == nil
            }
        }
        // The program refuses a policy that it does not have.
        let other = try made.request(policy: "1.2.3.4.6")
        #expect {
            try TimeStampResponse(reply: made.reply(to: other))
        } throws: { error in
            guard case .refused(let refusal)? = error as? TimeStampFault else { return false }
            return refusal.status == 2 && refusal.reason == .unacceptedPolicy && refusal.text?.isEmpty == false
        }
    }

    @Test("a stamp for another request does not count: nonce, imprint, policy")
    func otherRequests() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let reply = try made.reply(to: request)
        #expect(try fault(made, reply, to: request) == nil)
        #expect(try fault(made, reply, to: made.request(nonce: Array(MadeTimeStamps.nonce.reversed()))) == .wrongNonce)
        #expect(try fault(made, reply, to: made.request(of: "other")) == .wrongImprint)
        #expect(try fault(made, reply, to: made.request(.streebog256)) == .wrongImprint)
        #expect(try fault(made, reply, to: made.request(policy: "1.2.3.4.5")) == .wrongPolicy)
        let demanded = try made.request(policy: "1.2.3.4.5")
        #expect(try fault(made, made.reply(to: demanded), to: demanded) == nil)
        let without = try made.reply(to: request) { $0.rest = [] }
        #expect(try fault(made, without, to: request) == .wrongNonce)
        // The same digest, but by another hash function.
        let mixed = try made.request(.streebog256)
        #expect(try fault(made, made.reply(to: mixed, by: "tsa"), to: mixed) == .wrongImprint)
        let token = try TimeStampResponse(reply: reply).token
        #expect(throws: TimeStampFault.wrongImprint) {
            try token.verify(imprint: [UInt8](repeating: 0, count: 32), trusting: made.store(), now: now)
        }
    }

    @Test("a stamp has one signer, is of its type, and by a hash function that resists collisions")
    func forms() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let two = "-cades -signer signer.pem -inkey signer.key"
        #expect(try fault(made, made.reply(to: request, options: two), to: request) == .malformed)
        #expect(try fault(made, made.reply(to: request, type: "1.2.840.113549.1.7.1"), to: request) == .malformed)
        let unknown = DERTag.sequence.element(
            [0x06, 3, 0x2A, 3, 4] + DERTag.boolean.element([0xFF]) + DERTag.octetString.element([]))
        let critical = try made.reply(to: request) { $0.rest += DERTag.context1.element(unknown) }
        #expect(try fault(made, critical, to: request) == .malformed)
        #expect(try fault(made, made.reply(to: request) { $0.version = 2 }, to: request) == .malformed)
        #expect(try fault(made, made.reply(to: request) { $0.digest.removeLast() }, to: request) == .malformed)
        let weak = try made.reply(to: request) { info in
            (info.algorithm, info.digest) = ([0x06, 5, 0x2B, 0x0E, 3, 2, 0x1A], [UInt8](repeating: 7, count: 20))
        }
        let token = try TimeStampResponse(reply: weak).token
        #expect(throws: TimeStampFault.weakAlgorithm) {
            try token.verify(imprint: token.imprint, trusting: made.store(), now: now + 2)
        }
    }

    @Test("a stamp of a time to come does not count, nor a reply from before its request")
    func times() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let now = Int(Date().timeIntervalSince1970)
        let cases: [(Int, TimeStampFault?)] = [
            (0, nil), (120, nil), (3600, .future(now + 3600)), (-3600, .past(now - 3600)),
        ]
        for (shift, expected) in cases {
            let date = Date(timeIntervalSince1970: Double(now + shift))
            let reply = try made.reply(to: request) { $0.time = StampInfo.text(date) }
            #expect(try fault(made, reply, to: request) == expected)
        }
    }

    @Test("times have fractions of a second, and an accuracy")
    func fractions() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        func time(_ text: String, _ rest: [UInt8] = []) throws -> StampedTime? {
            let reply = try made.reply(to: request) { ($0.time, $0.rest) = (text, rest) }
            return try? TimeStampResponse(reply: reply).token.time
        }
        let second = 1_709_287_200
        let whole = try #require(try time("20240301100000Z"))
        #expect(whole.seconds == second && whole.nanoseconds == 0 && whole.accuracy == nil && whole.latest == second)
        let part = try #require(try time("20240301100000.123456789012Z", DERTag.sequence.element([0x80, 2, 3, 0x78])))
        #expect(part.seconds == second && part.nanoseconds == 123_456_789 && part.accuracy == 888_000)
        #expect(part.latest == second + 2)
        let long = try #require(try time("20240301100000.5Z", DERTag.sequence.element([2, 1, 60, 0x81, 1, 1])))
        #expect(long.accuracy == 60_000_001 && long.latest == second + 61)
        for text in [
            "20240301100000", "20240301100000.Z", "20240301100000,5Z", "20240230100000Z", "240301100000Z", "Z",
        ] {
            #expect(try time(text) == nil, "\(text)")
        }
    }

    @Test("the authority's certificate is for time stamps alone, and critically so")
    func purposes() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let cases = [
            "keyUsage=digitalSignature", "extendedKeyUsage=timeStamping",
            "extendedKeyUsage=critical,timeStamping,emailProtection", "extendedKeyUsage=critical,anyExtendedKeyUsage",
        ]
        for extensions in cases {
            try made.chain.issue("strange", by: "authority", extensions)
            let reply = try made.reply(to: request, by: "strange")
            let expected = TimeStampFault.notForTimeStamps(try made.chain.openssl.read("strange"))
            #expect(try fault(made, reply, to: request) == expected, "\(extensions)")
        }
        try made.chain.issue(
            "strange", by: "authority", "extendedKeyUsage=critical,timeStamping\nkeyUsage=keyEncipherment")
        #expect {
            try fault(made, made.reply(to: request, by: "strange"), to: request).map { throw $0 }
        } throws: { error in
            guard case .untrusted(let fault)? = error as? TimeStampFault else { return false }
            return fault.reason == .notForSigning
        }
        // A stamp of an authority proves nothing about messages.
        #expect(try !made.chain.trusts("tsa"))
    }

    @Test("a stamp names its certificate, by signed attributes that are its own")
    func names() throws {
        let made = try MadeTimeStamps("rsa:2048")
        let request = try made.request()
        #expect(try fault(made, made.reply(to: request, options: ""), to: request) == .malformed)
        // Another certificate of the same key and name.
        let reply = try made.reply(to: request)
        let certificate = try made.chain.openssl.read("tsa")
        try made.chain.openssl.run("req -new -key tsa.key -subj /CN=tsa -out request")
        try made.chain.openssl.run(
            "x509 -req -in request -CA authority.pem -CAkey authority.key -set_serial 4 -days 29 -extfile extensions"
                + " -outform DER -out again")
        let again = try made.chain.openssl.read("again")
        #expect(again.count == certificate.count && again != certificate)
        var other = reply
        other.replaceSubrange(try #require(reply.firstRange(of: certificate)), with: again)
        #expect(try fault(made, other, to: request) == .noCertificate)
    }

    @Test("a path leads from the authority to a trusted certificate at the time of the stamp")
    func paths() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let reply = try made.reply(to: request)
        let token = try TimeStampResponse(reply: reply).token
        // All certificates have expired since.
        let later = now + 60 * 86_400
        #expect(throws: Never.self) { try token.verify(imprint: token.imprint, trusting: made.store(), now: later) }
        func reason(_ change: (inout TrustStore) throws -> Void) throws -> PathFault.Reason? {
            guard case .untrusted(let found)? = try fault(made, reply, to: request, change) else { return nil }
            return found.reason
        }
        #expect(try reason { $0.trusted = [] } == .unknownIssuer)
        #expect(try reason { $0.revocationCheck = .leaf } == .listMissing)
        let list = try made.chain.revocationList(of: "authority")
        #expect(try reason { ($0.revocationCheck, $0.revocationLists) = (.leaf, [list]) } == nil)
        let old = try made.reply(to: request) { $0.time = "20240301100000Z" }
        let early = try TimeStampResponse(reply: old).token
        #expect {
            try early.verify(imprint: early.imprint, trusting: made.store(), now: now)
        } throws: { error in
            guard case .untrusted(let fault)? = error as? TimeStampFault, case .notYetValid = fault.reason else {
                return false
            }
            return true
        }
    }

    @Test("an authority that was revoked after its stamp was good at the time, one that was before is not")
    func revocations() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let token = try TimeStampResponse(reply: made.reply(to: request)).token
        func isGood(_ revoked: Int?, _ reason: String? = "superseded") throws -> Bool {
            let date = revoked.map {
                String(StampInfo.text(Date(timeIntervalSince1970: Double($0))).dropFirst(2))
                    + (reason.map { ",\($0)" } ?? "")
            }
            let serial = "04"
            let line = date.map { "R\t301231235959Z\t\($0)\t\(serial)\tunknown\t/CN=tsa\n" } ?? ""
            try made.chain.openssl.write(Array(line.utf8), "index")
            let list = try made.chain.revocationList(of: "authority", days: 100)
            let store = try made.store { ($0.revocationCheck, $0.revocationLists) = (.leaf, [list]) }
            return (try? token.verify(imprint: token.imprint, trusting: store, now: now + 3600)) != nil
        }
        #expect(try isGood(nil))
        #expect(try !isGood(now - 600))
        // RFC 3161, 4: without a reason, and with another one, the key may have been stolen, and any time be made up.
        for reason in ["unspecified", "affiliationChanged", "superseded", "cessationOfOperation"] {
            #expect(try isGood(now + 600, reason), "\(reason)")
            #expect(try !isGood(now - 600, reason), "\(reason)")
        }
        for reason in [nil, "keyCompromise", "CACompromise", "certificateHold"] {
            #expect(try !isGood(now + 600, reason), "\(reason ?? "none")")
        }
    }

    @Test("no byte of a stamp can be changed so that it says something else, and none can be left out")
    func bytes() throws {
        let made = try MadeTimeStamps()
        let request = try made.request()
        let reply = try made.reply(to: request)
        let token = try TimeStampResponse(reply: reply).token
        for index in reply.indices {
            #expect(throws: TimeStampFault.self, "byte \(index)") {
                try TimeStampResponse(reply: Array(reply.prefix(index)))
            }
            guard let changed = try? TimeStampResponse(reply: reply.changed(at: index)).token else { continue }
            let isGood = (try? changed.verify(answering: request, trusting: made.store(), now: now + 2)) != nil
            // Versions, names of algorithms and the status beside the stamp are not signed.
            #expect(!isGood || (changed.time == token.time && changed.imprint == token.imprint), "byte \(index)")
        }
    }
}
