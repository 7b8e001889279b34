// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalESIA
import KanalKit
import Secrets
import TestSupport
import Testing

@Suite("What the state's identity service answers")
struct ESIAReplyTests {
    private let vectors: JSON
    private let time: Int64
    private let service = ESIAService(
        clientID: "TESTSYS", scope: ["openid", "fullname"], redirectURI: "https://example.org/back")

    init() throws {
        vectors = try JSON(vectors: "webtokens.json")
        time = Int64(try #require(vectors.time.number))
    }

    private func certificate(_ name: String) -> [UInt8] { vectors.certificates[name].bytes }

    private var good: String { vectors.vectors[0].token.text ?? "" }

    /// The tokens of a reply.
    private func tokens(
        _ reply: String, status: Int = 200, trusting names: [String] = ["service"]
    ) throws -> ESIATokens {
        try service.tokens(
            from: Array(reply.utf8), status: status, state: "s-1", trusting: names.map(certificate), at: time)
    }

    private func fault(_ reply: String, status: Int = 200, trusting names: [String] = ["service"])
        -> ESIAError?
    {
        do {
            _ = try tokens(reply, status: status, trusting: names)
            return nil
        } catch {
            return error as? ESIAError
        }
    }

    private func reply(_ token: String, _ more: String = "") -> String {
        let text = token.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
        return #"{"access_token":"\#(text)","token_type":"Bearer","expires_in":3600\#(more)}"#
    }

    @Test(
        "Tokens of OpenSSL's gost engine are accepted or refused for the right reason, also those that tell of a person"
    )
    func vectorsOfOpenSSL() throws {
        for vector in vectors.vectors.list {
            let (id, token) = (vector.id.text ?? "", try #require(vector.token.text))
            let trusted = [try #require(vector.certificate.text)]
            let expected = vector.fault.text
            let found = fault(reply(token), trusting: trusted)
            #expect(found.map(name) == expected, "\(id): \(String(describing: found))")
            guard trusted == ["service"] else { continue }
            let second = fault(reply(good, #","id_token":"\#(token.filter { !$0.isNewline })""#))
            if id != "line break" { #expect(second.map(name) == expected, "\(id): \(String(describing: second))") }
        }
        #expect(vectors.vectors.list.count == 70)
    }

    /// The fault's name in the vectors.
    private func name(_ error: ESIAError) -> String {
        switch error {
        case .tokenRefused(.malformed): "malformed"
        case .tokenRefused(.wrongAlgorithm): "wrongAlgorithm"
        case .tokenRefused(.wrongSignature): "wrongSignature"
        case .tokenRefused(.wrongIssuer): "wrongIssuer"
        case .tokenRefused(.wrongAudience): "wrongAudience"
        case .tokenRefused(.expired): "expired"
        case .tokenRefused(.notYetValid): "notYetValid"
        default: "\(error)"
        }
    }

    @Test("No bit of a token can be changed")
    func everyBit() throws {
        let bytes = Array(good.utf8)
        for index in bytes.indices {
            for bit in 0..<7 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let text = String(decoding: changed, as: UTF8.self)
                guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x5C && $0 < 0x7F }) else { continue }
                #expect(fault(reply(text)) != nil, "bit \(bit) of \(index)")
            }
        }
    }

    @Test("What tokens claim is told, and the tokens themselves are given unchanged")
    func claims() throws {
        let person = try #require(vectors.vectors.list.first { $0.id.text == "aud text" }?.token.text)
        let tokens = try tokens(reply(good, #","id_token":"\#(person)","refresh_token":"r\"\\","state":"s-1""#))
        #expect(text(tokens.access) == good && tokens.identityToken.map(text) == person)
        #expect(tokens.renewal.map(text) == #"r"\"#)
        #expect(tokens.accessClaims.subject == "1000299654" && tokens.accessClaims.expiry == time + 3600)
        #expect(tokens.identity?.subject == "1")
        #expect(tokens.identity?.claims["name"] == .text("Анна \"Я\" \u{1F511}"))
        let nested = try #require(vectors.vectors.list.first { $0.id.text == "null and nested" }?.token.text)
        let other = try self.tokens(reply(nested))
        #expect(other.accessClaims.claims["a"] == .null && other.identity == nil && other.renewal == nil)
        #expect(
            other.accessClaims.claims["b"]
                == .object(["c": .list([.number("1"), .number("-2500.0"), .flag(true), .list([])])]))
        #expect(text(try self.tokens(reply(good), trusting: ["rsa", "other", "service"]).access) == good)
    }

    private func text(_ token: BearerToken) -> String {
        token.withBytes { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
    }

    /// Signs tokens with a key of the program's, as a service does.
    private struct Signer {
        let openssl: OpenSSL
        let certificate: [UInt8]

        init() throws {
            openssl = try OpenSSL()
            try openssl.run(
                "req -x509 -newkey rsa:2048 -nodes -keyout key -outform DER -out certificate -subj /CN=service")
            certificate = try openssl.read("certificate")
        }

        func token(_ claims: String) throws -> String {
            let text = [#"{"alg":"RS256"}"#, claims].map { Self.encoded(Array($0.utf8)) }.joined(separator: ".")
            try openssl.write(Array(text.utf8), "text")
            try openssl.run("dgst -sha256 -sign key -out signature text")
            return text + "." + Self.encoded(try openssl.read("signature"))
        }

        private static func encoded(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
    }

    @Test("Names of the service and of programs are the same byte for byte, however Unicode sees them")
    func bytes() throws {
        let signer = try Signer()
        var service = service
        service.clientID = "TESTKEY"
        service.issuer = "http://K/"
        func fault(_ claims: String) throws -> ESIAError? {
            let body = Array(reply(try signer.token(#"{"exp":\#(time + 60),"sub":"1",\#(claims)}"#)).utf8)
            do throws(ESIAError) {
                _ = try service.tokens(from: body, status: 200, state: "s", trusting: [signer.certificate], at: time)
                return nil
            } catch {
                return error
            }
        }
        #expect(try fault(#""iss":"http://K/","aud":"TESTKEY""#) == nil)
        #expect(try fault(#""iss":"http://\u212A/","aud":"TESTKEY""#) == .tokenRefused(.wrongIssuer))
        for claim in [#""aud":"TEST\u212AEY""#, #""aud":["TEST\u212AEY"]"#, #""client_id":"TEST\u212AEY""#] {
            #expect(try fault(#""iss":"http://K/",\#(claim)"#) == .tokenRefused(.wrongAudience), "\(claim)")
        }
        let back = "https://example.org/K"
        service.redirectURI = back
        #expect(try service.code(from: back + "?state=s&code=c", state: "s") == "c")
        #expect(throws: ESIAError.self) {
            try service.code(from: "https://example.org/\u{212A}?state=s&code=c", state: "s")
        }
    }

    @Test("Both tokens of a reply are of the same person")
    func persons() throws {
        let signer = try Signer()
        func isAccepted(_ access: String, _ identity: String) throws -> Bool {
            let texts = try [access, identity].map { claims in
                try signer.token(
                    #"{"exp":\#(time + 60),"iss":"http://esia.gosuslugi.ru/","aud":"TESTSYS"\#(claims)}"#)
            }
            let body = Array(reply(texts[0], #","id_token":"\#(texts[1])""#).utf8)
            do throws(ESIAError) {
                _ = try service.tokens(from: body, status: 200, state: "s", trusting: [signer.certificate], at: time)
                return true
            } catch {
                #expect(error == .tokenRefused(.wrongSubject))
                return false
            }
        }
        let (one, two) = (#","urn:esia:sbj_id":1"#, #","sub":"1""#)
        for (access, identity) in [(one, one), (two, two), (one, two), (one, one + two), ("", "")] {
            #expect(try isAccepted(access, identity), "\(access) \(identity)")
        }
        let others = [#","urn:esia:sbj_id":2"#, #","sub":"2""#, #","sub":"1 ""#, ""]
        for other in others { #expect(try !isAccepted(one, other) && !isAccepted(other, two), "\(other)") }
        #expect(try !isAccepted(one + two, one + #","sub":"2""#))
    }

    @Test("A reply that is none, or of another request, is refused")
    func replies() throws {
        let malformed = [
            "", "<html>", "[]", "{", "null", reply(good) + "x", #"{"access_token":1}"#, "{}", #"{"access_token":null}"#,
            reply(good, #","access_token":"x""#), reply(good, #","id_token":7"#),
            reply(good, #","refresh_token":"\n""#),
            reply(good).replacing("Bearer", with: "mac"), String(repeating: " ", count: 1 << 20) + reply(good),
            String(repeating: "[", count: 1 << 20),
        ]
        for text in malformed {
            guard case .malformed? = fault(text) else {
                Issue.record("\(text.prefix(80)): \(String(describing: fault(text)))")
                continue
            }
        }
        #expect(fault(reply(good), status: 500) == .malformed("the identity service replies with the status 500"))
        #expect(fault(reply(good, #","state":"s-2""#)) == .wrongState)
        #expect(fault(reply(good, #","state":null"#)) == .wrongState)
        let refusal = #"{"error":"invalid_request","error_description":"ESIA-007003: \u0434\u0430","state":"x"}"#
        #expect(fault(refusal, status: 400) == .refused("invalid_request", description: "ESIA-007003: да"))
        for name in ["weak", "ec", "long", "none"] {
            #expect(fault(reply(good), trusting: ["service", name]) == .unusableCertificate, "\(name)")
        }
        #expect(fault(reply(good), trusting: []) == .unusableCertificate)
    }

    @Test("A code is read from the answer to the request alone")
    func answers() throws {
        let address = "https://example.org/back"
        #expect(try service.code(from: address + "?state=s%2D1&code=a%2Fb+c%C3%A9", state: "s-1") == "a/b cé")
        #expect(try service.code(from: address + "?code=c&x&state=s-1#part", state: "s-1") == "c")
        for answer in ["?state=s-2&code=c", "?code=c", "?state=&code=c", "?state=s-1x&code=c", "?error=access_denied"] {
            #expect(throws: ESIAError.wrongState) { try service.code(from: address + answer, state: "s-1") }
        }
        #expect(throws: ESIAError.wrongState) {
            try service.code(from: address + "?state=&code=c", state: "")
        }
        let none = ESIAError.malformed("the answer is not an address of this program, or cannot be read")
        let malformed = [
            "", "?", "state=s-1&code=c", "https://example.com/back?state=s-1&code=c", address + "x?state=s-1&code=c",
            address + "#state=s-1&code=c", address + "?state=s-1&state=s-1&code=c", address + "?state=s-1&code=%",
            address + "?state=s-1&code=%g0", address + "?state=s-1&code=%+1", address + "?state=s-1&code=%ff",
            address + "?state=s-1&code=" + String(repeating: "c", count: 1 << 14),
        ]
        for answer in malformed {
            #expect(throws: none, "\(answer.prefix(80))") { try service.code(from: answer, state: "s-1") }
        }
        #expect(throws: ESIAError.malformed("the answer has no code in it")) {
            try service.code(from: address + "?state=s-1&code=", state: "s-1")
        }
        let refusal = ESIAError.refused("access_denied", description: "ESIA-007004: no")
        #expect(refusal.isUsersRefusal)
        #expect(throws: refusal) {
            try service.code(
                from: address + "?error=access_denied&error_description=ESIA-007004%3A+no&state=s-1", state: "s-1")
        }
        var other = service
        other.redirectURI += "?a=1"
        #expect(try other.code(from: address + "?a=1&state=s-1&code=c", state: "s-1") == "c")
        #expect(throws: none) { try other.code(from: address + "?a=1?state=s-1&code=c", state: "s-1") }
    }
}
