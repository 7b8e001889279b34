// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Responses about revocation, OCSP", .usesGOSTEngine)
struct OCSPTests {
    static let algorithms = ["gost2012_256 -pkeyopt paramset:A", "rsa:2048"]
    private let now = Int(Date().timeIntervalSince1970)

    /// The program as the responder of a chain's authority.
    struct Responder {
        let chain: TrustStoreTests.Chain

        init(_ newKey: String = OpenSSL.p256) throws {
            chain = try TrustStoreTests.Chain(newKey)
            try chain.issue("responder", by: "authority", "extendedKeyUsage=OCSPSigning\nkeyUsage=digitalSignature")
            try index()
        }

        /// The authority's records; the signer's serial number is 3.
        func index(_ state: String = "V\t301231235959Z\t\t03\tunknown\t/CN=signer") throws {
            try chain.openssl.write([UInt8](state + "\n"), "index")
        }

        /// A reply to our own request.
        func reply(
            nonce: [UInt8] = [1, 2, 3, 4], about name: String = "signer", signer: String = "responder",
            _ options: String = "-ndays 1"
        ) throws -> [UInt8] {
            let request = try OCSPRequest(
                chain.openssl.read(name), issuer: chain.openssl.read("authority"), nonce: nonce)
            try chain.openssl.write(request.der, "request.der")
            try chain.openssl.run(
                "ocsp -index index -CA authority.pem -rsigner \(signer).pem -rkey \(signer).key -reqin request.der"
                    + " -respout reply \(options)")
            return try chain.openssl.read("reply")
        }

        func state(
            _ reply: [UInt8], of name: String = "signer", at time: Int, nonce: [UInt8] = [1, 2, 3, 4]
        ) throws -> OCSPAnswer.State {
            try OCSPResponse(reply: reply).state(
                of: chain.openssl.read(name), issuer: chain.openssl.read("authority"), at: time, nonce: nonce
            ).state
        }
    }

    @Test("the program's answer to our request counts: good, revoked, unknown", arguments: algorithms)
    func states(_ newKey: String) throws {
        let responder = try Responder(newKey)
        #expect(try responder.state(responder.reply(), at: now) == .good)
        #expect(try responder.state(responder.reply(signer: "authority"), at: now) == .good)
        #expect(try responder.state(responder.reply(signer: "authority", "-ndays 1 -resp_key_id"), at: now) == .good)
        try responder.index("R\t301231235959Z\t260101000000Z\t03\tunknown\t/CN=signer")
        #expect(try responder.state(responder.reply(), at: now) == .revoked(1_767_225_600))
        try responder.index("V\t301231235959Z\t\t09\tunknown\t/CN=other")
        #expect(try responder.state(responder.reply(), at: now) == .unknown)
    }

    @Test("a response to another request, about another certificate or of another time does not count")
    func others() throws {
        let responder = try Responder()
        let reply = try responder.reply()
        #expect(throws: OCSPFault.wrongNonce) { try responder.state(reply, at: now, nonce: [1, 2, 3]) }
        #expect(try responder.state(responder.reply(nonce: []), at: now) == .good)
        #expect(throws: OCSPFault.wrongCertificate) { try responder.state(reply, of: "responder", at: now) }
        // A true response of an authority that has not issued the certificate.
        let chain = responder.chain.openssl
        let (signer, root) = (try chain.read("signer"), try chain.read("root"))
        try chain.write(OCSPRequest(signer, issuer: root, nonce: []).der, "request.der")
        try chain.run(
            "ocsp -index index -CA root.pem -rsigner root.pem -rkey root.key -reqin request.der -respout reply -ndays 1"
        )
        #expect(throws: OCSPFault.wrongCertificate) {
            try OCSPResponse(reply: chain.read("reply")).state(of: signer, issuer: root, at: now)
        }
        let day = 86_400
        #expect { try responder.state(reply, at: now - day) } throws: {
            guard case .notYetValid(let time)? = $0 as? OCSPFault else { return false }
            return abs(time - now) < 600
        }
        #expect { try responder.state(reply, at: now + 2 * day) } throws: {
            guard case .outdated(let time)? = $0 as? OCSPFault else { return false }
            return abs(time - now - day) < 600
        }
        // Without nextUpdate a response counts for a day.
        let endless = try responder.reply("")
        #expect(try responder.state(endless, at: now + day - 600) == .good)
        #expect { try responder.state(endless, at: now + 2 * day) } throws: { $0 is OCSPFault }
    }

    @Test("a responder needs the issuer's own signature and the purpose")
    func responders() throws {
        let responder = try Responder()
        try responder.chain.issue("plain", by: "authority", "keyUsage=digitalSignature")
        try responder.chain.issue("strange", by: "root", "extendedKeyUsage=OCSPSigning")
        for name in ["plain", "strange", "signer"] {
            let reply = try responder.reply(signer: name)
            #expect(throws: OCSPFault.unauthorizedResponder) { try responder.state(reply, at: now) }
        }
    }

    @Test(
        "a response for another key of the issuer's name, by a weak hash function or an expired responder does not count"
    )
    func weakResponses() throws {
        let (responder, other) = (try Responder(), try Responder())
        // Names and serial numbers are the same.
        let reply = try other.reply(signer: "authority")
        #expect(throws: OCSPFault.wrongCertificate) { try responder.state(reply, at: now) }
        #expect(throws: OCSPFault.wrongSignature) {
            try responder.state(responder.reply(signer: "authority", "-ndays 1 -rmd sha1"), at: now)
        }
        let openssl = responder.chain.openssl
        // A responder's certificate by the other key.
        for file in ["pem", "key"] {
            try openssl.write(other.chain.openssl.read("responder.\(file)"), "strange.\(file)")
        }
        #expect(throws: OCSPFault.unauthorizedResponder) {
            try responder.state(responder.reply(signer: "strange"), at: now)
        }
        try openssl.write([UInt8]("extendedKeyUsage=OCSPSigning"), "extensions")
        try openssl.run("req -newkey \(OpenSSL.p256) -nodes -keyout former.key -out request -subj /CN=former")
        try openssl.run(
            "x509 -req -in request -CA authority.pem -CAkey authority.key -set_serial 77 -days -1"
                + " -extfile extensions -out former.pem")
        #expect(throws: OCSPFault.unauthorizedResponder) {
            try responder.state(responder.reply(signer: "former"), at: now)
        }
    }

    @Test("a responder's certificate needs its issuer's name, a strong key and hash function, and its time")
    func weakResponders() throws {
        let responder = try Responder()
        let openssl = responder.chain.openssl
        try openssl.write([UInt8]("extendedKeyUsage=OCSPSigning"), "extensions")
        try openssl.run("req -x509 -key authority.key -out alias.pem -days 30 -subj /CN=alias")
        for (name, key, issuer, options) in [
            ("alias-of-issuer", OpenSSL.p256, "alias", ""), ("hash", OpenSSL.p256, "authority", "-sha1"),
            ("short", "rsa:512", "authority", ""),
        ] {
            try openssl.run("req -newkey \(key) -nodes -keyout \(name).key -out request -subj /CN=\(name)")
            try openssl.run(
                "x509 -req -in request -CA \(issuer).pem -CAkey authority.key -set_serial 78 -days 10 \(options)"
                    + " -extfile extensions -out \(name).pem")
        }
        try openssl.write(
            [UInt8](
                "[ca]\ndefault_ca = own\n[own]\ndatabase = issued\nnew_certs_dir = .\nrand_serial = yes\npolicy = any\n"
                    + "default_md = sha256\nx509_extensions = use\n[any]\ncommonName = supplied\n[use]\n"
                    + "extendedKeyUsage = OCSPSigning\n"), "issuing.cnf")
        try openssl.write([], "issued")
        try openssl.run("req -newkey \(OpenSSL.p256) -nodes -keyout future.key -out request -subj /CN=future")
        try openssl.run(
            "ca -batch -notext -config issuing.cnf -in request -cert authority.pem -keyfile authority.key"
                + " -startdate 20400101000000Z -enddate 20410101000000Z -out future.pem")
        for name in ["alias-of-issuer", "hash", "short", "future"] {
            let reply = try responder.reply(signer: name)
            #expect(throws: OCSPFault.unauthorizedResponder, "\(name)") { try responder.state(reply, at: now) }
        }
        let short = try Responder("rsa:512")
        #expect(throws: OCSPFault.unauthorizedResponder) { try short.state(short.reply(signer: "authority"), at: now) }
    }

    @Test("the signature is by the responder that the response names, and by the algorithm of its key")
    func signatures() throws {
        let responder = try Responder("rsa:2048")
        let openssl = responder.chain.openssl
        let reply = try responder.reply(nonce: [], signer: "authority", "-ndays 1 -resp_no_certs")
        let parts = try fields(try OCSPResponse(reply: reply).der, [.sequence, .sequence, .bitString])
        try responder.chain.issue("second", by: "authority", "extendedKeyUsage=OCSPSigning")
        let named = try responder.reply(nonce: [], signer: "second", "-ndays 1 -resp_no_certs")
        try openssl.write(parts[0], "content")
        func state(by name: String, _ algorithm: [UInt8], _ certificates: [UInt8]) throws -> OCSPAnswer.State {
            try openssl.run("dgst -sha256 -sign \(name).key -out signature content")
            let signature = DERTag.bitString.element([0] + (try openssl.read("signature")))
            return try OCSPResponse(der: DERTag.sequence.element(parts[0] + algorithm + signature + certificates))
                .state(
                    of: openssl.read("signer"), issuer: openssl.read("authority"), at: now
                ).state
        }
        #expect(try state(by: "authority", parts[1], []) == .good)
        let own = DERTag.context0.element(DERTag.sequence.element(try openssl.read("responder")))
        #expect(throws: OCSPFault.wrongSignature) { try state(by: "responder", parts[1], own) }
        // One that the response does not name.
        let second = try fields(try OCSPResponse(reply: named).der, [.sequence, .sequence, .bitString])
        let strange = try OCSPResponse(der: DERTag.sequence.element(second.joined() + own))
        #expect(throws: OCSPFault.unauthorizedResponder) {
            _ = try strange.state(of: openssl.read("signer"), issuer: openssl.read("authority"), at: now)
        }
        // ecdsa-with-SHA256.
        let other = DERTag.sequence.element([0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
        #expect(throws: OCSPFault.wrongSignature) { try state(by: "authority", other, []) }
    }

    @Test("an error of the responder is named, and no byte can be changed")
    func bytes() throws {
        for refusal in [OCSPFault.Refusal.tryLater, .unauthorized] {
            #expect(throws: OCSPFault.refused(refusal)) {
                try OCSPResponse(reply: [0x30, 3, 0x0A, 1, refusal.rawValue])
            }
        }
        let responder = try Responder()
        // By the issuer, without certificates: all is signed, the signature, or beside them the parameters of its algorithm.
        let reply = try responder.reply(signer: "authority", "-ndays 1 -resp_no_certs")
        #expect(try responder.state(reply, at: now) == .good)
        #expect(throws: OCSPFault.wrongSignature) { try responder.state(reply.changed(at: reply.count - 1), at: now) }
        var unnoticed: [Int] = []
        for index in reply.indices {
            #expect(throws: OCSPFault.self, "byte \(index)") { try OCSPResponse(reply: Array(reply.prefix(index))) }
            if (try? responder.state(reply.changed(at: index), at: now)) != nil { unnoticed.append(index) }
        }
        #expect(unnoticed.count <= 2, "bytes \(unnoticed)")
    }

    /// The place of an extension in a response.
    enum ExtensionPlace: CaseIterable {
        case response, answer
    }

    /// The fields of a DER structure: each of the tags, in their order.
    private func fields(_ der: [UInt8], _ tags: [DERTag]) throws(GOSTError) -> [[UInt8]] {
        var outer = DERReader(der.span)
        var reader = try outer.nested(.sequence)
        var found: [[UInt8]] = []
        for tag in tags { found.append([UInt8](copying: try reader.element(tag))) }
        try reader.end()
        return found
    }

    @Test(
        "a response with a critical extension that is not known counts for nothing, one that is not critical is passed over",
        arguments: ExtensionPlace.allCases)
    func criticalExtensions(_ place: ExtensionPlace) throws {
        let responder = try Responder()
        let openssl = responder.chain.openssl
        let reply = try responder.reply(nonce: [], signer: "authority", "-ndays 1 -resp_no_certs")
        let parts = try fields(try OCSPResponse(reply: reply).der, [.sequence, .sequence, .bitString])
        let data = try fields(parts[0], [.context1, .generalizedTime, .sequence])
        let answers = try fields(data[2], [.sequence])
        let answer = try fields(answers[0], [.sequence, .contextPrimitive0, .generalizedTime, .context0])
        func state(with extensions: [UInt8]) throws -> OCSPAnswer.State {
            let single = DERTag.sequence.element(answer.joined() + (place == .answer ? extensions : []))
            let content = DERTag.sequence.element(
                data[0] + data[1] + DERTag.sequence.element(single) + (place == .response ? extensions : []))
            try openssl.write(content, "content")
            try openssl.run("dgst -sha256 -sign authority.key -out signature content")
            let signature = DERTag.bitString.element([0] + (try openssl.read("signature")))
            let response = try OCSPResponse(der: DERTag.sequence.element(content + parts[1] + signature))
            return try response.state(
                of: openssl.read("signer"), issuer: openssl.read("authority"), at: now
            ).state
        }
        // 1.2.643.7.1.99, which nobody has.
        let name = DERTag.objectIdentifier.element([0x2A, 0x85, 0x03, 0x07, 0x01, 0x63])
        func list(_ criticality: [UInt8]) -> [UInt8] {
            let value = DERTag.sequence.element(name + criticality + DERTag.octetString.element([0x05, 0x00]))
            return DERTag.context1.element(DERTag.sequence.element(value))
        }
        #expect(try state(with: []) == .good)
        #expect(try state(with: list([])) == .good)
        #expect(throws: OCSPFault.malformed) { try state(with: list(DERTag.boolean.element([0xFF]))) }
    }

    @Test("a path needs a good answer where lists are asked for, and none leads over a revoked certificate")
    func paths() throws {
        let responder = try Responder()
        let good = try responder.reply(nonce: [])
        try responder.index("R\t301231235959Z\t260101000000Z\t03\tunknown\t/CN=signer")
        let revoked = try responder.reply(nonce: [])
        let chain = responder.chain
        #expect(try !chain.trusts { $0.revocationCheck = .leaf })
        #expect(
            try chain.trusts {
                $0.revocationCheck = .leaf
                $0.ocspResponses = [good]
            })
        #expect(try !chain.trusts { $0.ocspResponses = [good, revoked] })
        // Responses that take up all signatures hide none behind them.
        #expect(try !chain.trusts { $0.ocspResponses = Array(repeating: good, count: 40) + [revoked] })
        // Responses of another day, and damaged ones, count for nothing.
        #expect(try chain.trusts(days: 3) { $0.ocspResponses = [revoked] })
        #expect(try chain.trusts { $0.ocspResponses = [revoked.changed(at: revoked.count - 1)] })
        #expect(
            try !chain.trusts(days: 3) {
                $0.revocationCheck = .leaf
                $0.ocspResponses = [good]
            })
    }
}
