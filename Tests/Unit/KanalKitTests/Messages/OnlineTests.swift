// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostCrypto
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Answers that are fetched from certificates' addresses", .usesGOSTEngine)
struct OnlineTests {
    /// Authorities that the program answers for, without a network: a root, an authority below it, and a signer.
    private final class Scene: Sendable {
        let openssl: OpenSSL
        let root: [UInt8]
        private let newKey: String
        private let state = Lock(State())

        struct State {
            var requests: [AuthorityRequest.Kind] = []
            var kept: [String: (answer: [UInt8], until: Int64)] = [:]
            /// Changes an answer, or has it fail.
            var change: @Sendable (AuthorityRequest, [UInt8]) throws -> [UInt8] = { $1 }
        }

        init(_ newKey: String = "gost2012_256 -pkeyopt paramset:A") throws {
            openssl = try OpenSSL()
            self.newKey = newKey
            try openssl.run(
                "req -x509 -newkey \(newKey) -nodes -keyout root.key -out root.pem -subj /CN=root -days 30"
                    + " -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign,cRLSign")
            try openssl.run("x509 -in root.pem -outform DER -out root")
            root = try openssl.read("root")
            try issue(
                "middle", by: "root", 2,
                "basicConstraints=CA:true\nkeyUsage=keyCertSign,cRLSign\ncrlDistributionPoints=URI:http://a/root.crl")
            try issue("signer", by: "middle", 3, Self.signer)
            try issue("responder", by: "middle", 4, "extendedKeyUsage=OCSPSigning\nkeyUsage=digitalSignature")
            try issue("other", by: "middle", 5, Self.signer)
            try issue("bare", by: "middle", 6, "keyUsage=digitalSignature")
            let digest = newKey.hasPrefix("rsa") ? "sha256" : "md_gost12_256"
            let settings = "[ca]\ndefault_ca = all\n[all]\ndatabase = none\ndefault_md = \(digest)\n"
            try openssl.write(Array(settings.utf8), "ca.cnf")
            try openssl.write([], "none")
            try index("V\t301231235959Z\t")
            for authority in ["root", "middle"] { try revocationList(of: authority) }
        }

        static let signer = """
            keyUsage=digitalSignature
            authorityInfoAccess=OCSP;URI:http://a/ocsp,caIssuers;URI:http://a/middle.cer
            crlDistributionPoints=URI:http://a/middle.crl
            """

        func issue(_ name: String, by issuer: String, _ number: Int, _ extensions: String) throws {
            try openssl.run("req -newkey \(newKey) -nodes -keyout \(name).key -out request -subj /CN=\(name)")
            try openssl.write(Array(extensions.utf8), "extensions")
            try openssl.run(
                "x509 -req -in request -CA \(issuer).pem -CAkey \(issuer).key -set_serial \(number) -days 20"
                    + " -extfile extensions -out \(name).pem")
            try openssl.run("x509 -in \(name).pem -outform DER -out \(name)")
        }

        /// A list that was made an hour ago, so that it counts in the second in which it was made.
        func revocationList(of authority: String, next: Int = 86_400) throws {
            func text(_ shift: Int) -> String {
                let format = DateFormatter()
                format.locale = Locale(identifier: "en_US_POSIX")
                format.timeZone = TimeZone(identifier: "UTC")
                format.dateFormat = "yyyyMMddHHmmss'Z'"
                return format.string(from: Date() + TimeInterval(shift))
            }
            try openssl.run(
                "ca -config ca.cnf -gencrl -cert \(authority).pem -keyfile \(authority).key -out list.pem"
                    + " -crl_lastupdate \(text(-7200)) -crl_nextupdate \(text(next))")
            try openssl.run("crl -in list.pem -outform DER -out \(authority).crl")
        }

        /// The authority's record of the signer.
        func index(_ state: String, number: String = "03") throws {
            try openssl.write(Array("\(state)\t\(number)\tunknown\t/CN=signer\n".utf8), "index")
        }

        func message(by signer: String = "signer") throws -> [UInt8] {
            try openssl.write(Array("content".utf8), "content")
            try openssl.run(
                "cms -sign -binary -nodetach -cades -in content -signer \(signer).pem -inkey \(signer).key"
                    + " -outform DER -out message")
            return try openssl.read("message")
        }

        func respond(to request: [UInt8], by signer: String = "responder", _ options: String = "-ndays 1") throws
            -> [UInt8]
        {
            try openssl.write(request, "request.der")
            try openssl.run(
                "ocsp -index index -CA middle.pem -rsigner \(signer).pem -rkey \(signer).key -reqin request.der"
                    + " -respout reply \(options)")
            return try openssl.read("reply")
        }

        func answer(_ request: AuthorityRequest) throws -> [UInt8] {
            let change = state.withLock { state in
                state.requests.append(request.kind)
                return state.change
            }
            let answer =
                switch request.url {
                case "http://a/ocsp": try respond(to: request.body)
                case "http://a/middle.cer": try openssl.read("middle")
                default: try openssl.read(String(request.url.dropFirst("http://a/".count)))
                }
            return try change(request, answer)
        }

        func change(_ change: @escaping @Sendable (AuthorityRequest, [UInt8]) throws -> [UInt8]) {
            state.withLock { $0.change = change }
        }

        /// The requests since the last time.
        func requests() -> [AuthorityRequest.Kind] {
            state.withLock { state in
                defer { state.requests = [] }
                return state.requests
            }
        }

        var kept: [String: (answer: [UInt8], until: Int64)] { state.withLock { $0.kept } }

        func verifier(isCaching: Bool = false) -> MessageVerifier {
            var verifier = MessageVerifier(trusting: [root])
            verifier.online = AuthorityAnswers(cache: isCaching ? Cache(scene: self) : nil) { try self.answer($0) }
            return verifier
        }

        private struct Cache: AnswerCache {
            let scene: Scene

            func answer(to request: AuthorityRequest) -> [UInt8]? { scene.kept[request.name]?.answer }

            func keep(_ answer: [UInt8], to request: AuthorityRequest, until: Int64) {
                scene.state.withLock { $0.kept[request.name] = (answer, until) }
            }
        }
    }

    private func signers(_ message: [UInt8], _ verifier: MessageVerifier) async throws -> [MessageSigner] {
        try await verifier.verify(.pieces(of: message, 1000, length: nil, Recorder())) { _ in }
    }

    /// The reason why a message is not accepted.
    private func distrust(_ message: [UInt8], _ verifier: MessageVerifier) async throws -> Distrust? {
        do {
            _ = try await signers(message, verifier)
            return nil
        } catch KanalError.messageRefused(.untrusted(let signers)) {
            return signers.first?.distrust
        }
    }

    @Test(
        "A missing issuer, a response about the signer and a list about the issuer are fetched, and no more",
        arguments: ["gost2012_256 -pkeyopt paramset:A", "rsa:2048"])
    func all(_ newKey: String) async throws {
        let scene = try Scene(newKey)
        let message = try scene.message()
        #expect(try await signers(message, scene.verifier()).count == 1)
        #expect(scene.requests() == [.certificates, .response, .list])
        // What is given is not asked for.
        var verifier = scene.verifier()
        verifier.certificates = [try scene.openssl.read("middle")]
        verifier.revocationLists = try ["root.crl", "middle.crl"].map { try scene.openssl.read($0) }
        #expect(try await signers(message, verifier).count == 1)
        #expect(scene.requests() == [])
        // A certificate without addresses is judged as without a network.
        #expect(try await distrust(scene.message(by: "bare"), scene.verifier())?.reason == .unknownIssuer)
        verifier.revocationLists = []
        #expect(try await signers(scene.message(by: "bare"), verifier).count == 1)
        #expect(scene.requests() == [.list])
    }

    @Test("A revoked signer or authority is refused, by a response or a list that was fetched")
    func revoked() async throws {
        let scene = try Scene()
        let message = try scene.message()
        try scene.index("R\t301231235959Z\t260101000000Z")
        #expect(try await distrust(message, scene.verifier())?.reason == .revoked(1_767_225_600))
        // Without a responder the list counts.
        scene.change { request, answer in
            guard request.kind == .response else { return answer }
            throw KanalError.cancelled
        }
        #expect(try await distrust(message, scene.verifier()) == nil)
        try scene.openssl.write(Array("R\t301231235959Z\t260101000000Z\t03\tunknown\t/CN=signer\n".utf8), "none")
        try scene.revocationList(of: "middle")
        #expect(try await distrust(message, scene.verifier())?.reason == .revoked(1_767_225_600))
        try scene.index("V\t301231235959Z\t")
        scene.change { $1 }
        try scene.openssl.write(Array("R\t301231235959Z\t260101000000Z\t02\tunknown\t/CN=middle\n".utf8), "none")
        try scene.revocationList(of: "root")
        #expect(try await distrust(message, scene.verifier())?.certificate == scene.openssl.read("middle"))
    }

    @Test("An answer that does not count is none: the state is unknown, with the address and the cause")
    func wrongAnswers() async throws {
        let scene = try Scene()
        let message = try scene.message()
        func causes(_ change: @escaping @Sendable (AuthorityRequest, [UInt8]) throws -> [UInt8]) async throws
            -> [String]
        {
            scene.change { request, answer in
                // The list of the signer's issuer is always another one's.
                if request.url == "http://a/middle.crl" { return try scene.openssl.read("root.crl") }
                return request.kind == .response ? try change(request, answer) : answer
            }
            let distrust = try await distrust(message, scene.verifier())
            #expect(distrust?.reason == .listMissing)
            let causes = distrust?.causes.map(\.description) ?? []
            #expect(causes.count == 2 && causes.last?.hasSuffix("not signed by the certificate's issuer") == true)
            #expect(causes.first?.hasPrefix("http://a/ocsp: ") == true)
            return causes
        }
        func expect(
            _ words: String, _ change: @escaping @Sendable (AuthorityRequest, [UInt8]) throws -> [UInt8]
        ) async throws {
            let first = try await causes(change).first
            #expect(first?.contains(words) == true, "\(first ?? "")")
        }
        try await expect("no right to answer") { request, _ in try scene.respond(to: request.body, by: "other") }
        try await expect("its nonce differs") { request, _ in
            guard let place = request.body.firstRange(of: [0x04, 0x12, 0x04, 0x10]) else { return [] }
            return try scene.respond(to: Self.changed(request.body, at: place.upperBound))
        }
        try await expect("signature of the response is wrong") { _, answer in
            guard let place = answer.firstRange(of: Array("responder".utf8)) else { return [] }
            return Self.changed(answer, at: place.upperBound + 15)
        }
        try await expect("is no response") { _, _ in Array("<html>".utf8) }
        try await expect("too long") { _, _ in [UInt8](repeating: 0, count: (64 << 10) + 1) }
        try await expect("broken") { _, _ in throw Broken() }
        try await expect("refuses to answer") { _, _ in [0x30, 3, 0x0A, 1, 2] }
        try await expect("about another certificate") { _, _ in
            try scene.openssl.run(
                "ocsp -index index -CA middle.pem -issuer middle.pem -cert other.pem -rsigner responder.pem"
                    + " -rkey responder.key -no_nonce -respout reply -ndays 1")
            return try scene.openssl.read("reply")
        }
        try scene.index("V\t301231235959Z\t", number: "09")
        try await expect("does not know the certificate") { $1 }
        // One without a nonce counts.
        try scene.index("V\t301231235959Z\t")
        scene.change { request, answer in
            guard request.kind == .response else { return answer }
            return try scene.respond(to: request.body, "-ndays 1 -no_nonce")
        }
        #expect(try await distrust(message, scene.verifier()) == nil)
    }

    private static func changed(_ bytes: [UInt8], at index: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 1
        return bytes
    }

    private struct Broken: Error, CustomStringConvertible {
        let description = "broken"
    }

    @Test("A list that is out of date or damaged does not count")
    func lists() async throws {
        let scene = try Scene()
        let message = try scene.message()
        try scene.revocationList(of: "middle", next: -3600)
        scene.change { request, answer in
            guard request.kind == .response else { return answer }
            throw Broken()
        }
        let old = try await distrust(message, scene.verifier())
        #expect(old?.reason == .listMissing && old?.causes.last?.description.contains("is out of date since") == true)
        try scene.openssl.write(Array("list".utf8), "middle.crl")
        let damaged = try await distrust(message, scene.verifier())
        #expect(damaged?.causes.last?.description.contains("is no list of revoked certificates") == true)
    }

    @Test("Answers are kept until the next is due, at most for a week, and used instead of asking")
    func cache() async throws {
        let scene = try Scene()
        let message = try scene.message()
        let now = Int64(Date().timeIntervalSince1970)
        try scene.revocationList(of: "root", next: 30 * 86_400)
        #expect(try await distrust(message, scene.verifier(isCaching: true)) == nil)
        #expect(scene.requests() == [.certificates, .response, .list])
        let ends: [Int64] = scene.kept.values.map { $0.until - now }.sorted()
        try #require(ends.count == 3)
        // Times are counted from when each answer came.
        let spent = Int64(Date().timeIntervalSince1970) - now
        let (day, week): (ClosedRange<Int64>, ClosedRange<Int64>) = (
            86_000...86_600 + spent, 604_799...604_900 + spent
        )
        #expect(day.contains(ends[0]))
        #expect(week.contains(ends[1]))
        #expect(week.contains(ends[2]))
        scene.change { _, _ in throw Broken() }
        #expect(try await distrust(message, scene.verifier(isCaching: true)) == nil)
        #expect(scene.requests() == [])
        // Wrong answers are not kept, and a kept one is verified.
        let foreign = try Scene()
        foreign.change { request, answer in request.kind == .response ? try scene.respond(to: request.body) : answer }
        try scene.index("V\t301231235959Z\t", number: "09")
        #expect(try await distrust(foreign.message(), foreign.verifier(isCaching: true)) == nil)
        let strange = Set(scene.kept.values.map(\.answer))
        for kept in foreign.kept.values { #expect(!strange.contains(kept.answer)) }
        #expect(foreign.kept.count == 3)
    }

    @Test("Nobody is asked about a certificate without a trusted path, of another time, or more than a few times")
    func limits() async throws {
        let (scene, foreign) = (try Scene(), try Scene())
        let message = try scene.message()
        var verifier = scene.verifier()
        verifier.trusted = [foreign.root]
        verifier.certificates = [try scene.openssl.read("middle")]
        let untrusted = try await distrust(message, verifier)
        #expect(untrusted?.reason == .unknownIssuer, "\(String(describing: untrusted))")
        #expect(scene.requests() == [])
        verifier = scene.verifier()
        verifier.certificates = [try scene.openssl.read("middle")]
        verifier.time = Int64(Date().timeIntervalSince1970) + 60
        #expect(try await distrust(message, verifier) == nil)
        verifier.time = nil
        verifier.checksSignatureOnly = true
        #expect(try await distrust(message, verifier) == nil)
        verifier.checksSignatureOnly = false
        verifier.online = nil
        #expect(try await distrust(message, verifier) == nil)
        #expect(scene.requests() == [])
        verifier = scene.verifier()
        verifier.online?.requestLimit = 1
        let refused = try await distrust(message, verifier)
        #expect(refused?.causes.first?.description.contains("may not need so many requests") == true)
        #expect(scene.requests() == [.certificates])
    }

    @Test("The state of a time stamp's authority is fetched, too")
    func stamps() async throws {
        let scene = try Scene()
        try scene.issue("tsa", by: "middle", 3, Self.Scene.signer + "\nextendedKeyUsage=critical,timeStamping")
        try scene.openssl.configureStamps("md_gost12_256", "ess_cert_id_alg = sha256")
        try scene.openssl.write(Array("1000\n".utf8), "tsa.serial")
        let content = ByteSource.pieces(of: Array("content".utf8), 3, length: nil, Recorder())
        var trusting = MessageVerifier(trusting: [scene.root])
        trusting.certificates = [try scene.openssl.read("middle")]
        let authority = TimeStampAuthority(trusting: trusting) { query in try scene.openssl.stamp(query) }
        let (_, reply) = try await authority.stamp(content)
        let again = { ByteSource.pieces(of: Array("content".utf8), 3, length: nil, Recorder()) }
        _ = try await scene.verifier().verify(timeStamp: reply, of: again())
        #expect(scene.requests() == [.certificates, .response, .list])
        try scene.index("R\t301231235959Z\t260101000000Z")
        await #expect(throws: KanalError.self) {
            _ = try await scene.verifier().verify(timeStamp: reply, of: again())
        }
        scene.change { request, answer in
            if request.kind == .certificates { return answer }
            throw Broken()
        }
        let error = await #expect(throws: KanalError.self) {
            _ = try await scene.verifier().verify(timeStamp: reply, of: again())
        }
        guard case .timeStampRefused(.untrusted(let distrust))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(distrust.reason == .listMissing && distrust.causes.count == 2)
    }

    @Test(
        "A message is raised to X Long type 1 with what is fetched about all certificates, and not if that does not come"
    )
    func raised() async throws {
        let scene = try Scene()
        try scene.issue("tsa", by: "middle", 3, Self.Scene.signer + "\nextendedKeyUsage=critical,timeStamping")
        try scene.openssl.configureStamps("md_gost12_256", "ess_cert_id_alg = sha256")
        try scene.openssl.write(Array("1000\n".utf8), "tsa.serial")
        let message = try scene.message()
        var trusting = scene.verifier()
        trusting.certificates = [try scene.openssl.read("middle")]
        let authority = TimeStampAuthority(trusting: trusting) { query in try scene.openssl.stamp(query) }
        let raiser = MessageRaiser(trusting: trusting, stampedBy: authority)
        let raised = Lock<[UInt8]>([])
        try await raiser.raise(ExistingMessage(message), to: .xLongType1) { bytes in raised.withLock { $0 += bytes } }
        let bytes = raised.withLock { $0 }
        let signer = try SignedData(ber: bytes.span).signers[0]
        let values = try RevocationValues(der: try #require(try signer.value(of: .revocationValues)))
        // Responses about the signer and the authority, each asked for on its own, and the root's list.
        #expect(values.lists.count == 1 && values.responses.count >= 2)
        let certificates = try CertificateValues(der: try #require(try signer.value(of: .certificateValues)))
        #expect(
            try Set(certificates.certificates).isSuperset(of: ["middle", "root", "responder"].map(scene.openssl.read)))

        scene.change { _, _ in throw Broken() }
        let error = await #expect(throws: KanalError.self) {
            try await raiser.raise(ExistingMessage(message), to: .xLongType1) { _ in Issue.record("it is written") }
        }
        guard case .messageRefused(.untrusted(let signers))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(signers.first?.distrust?.reason == .listMissing)
    }
}
