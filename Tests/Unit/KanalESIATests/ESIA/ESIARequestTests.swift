// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalESIA
import KanalKit
import TestSupport
import Testing
import TokenScenes

@Suite("What the state's identity service is asked")
struct ESIARequestTests {
    private static let service = ESIAService(
        clientID: "TESTSYS", scope: ["openid", "fullname"], redirectURI: "https://example.org/back?a=1&b=%20")
    private static let code = "code/+= é"

    /// Parameters by their names, each of which is there once.
    private static func parameters(_ text: String) throws -> [String: String] {
        let items = try #require(URLComponents(string: "?" + text)?.queryItems)
        return try Dictionary(
            items.map { ($0.name, try #require($0.value)) }, uniquingKeysWith: { "\($0) and \($1)" })
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let digits = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        return Array(try #require(Data(base64Encoded: digits + padding)))
    }

    private static func source(_ text: String) -> ByteSource { ByteSource(Array(text.utf8)) }

    @Test(
        "From version 2.90 on the certificate's key signs all parameters, and the code if there is one",
        .usesGOSTEngine, arguments: [KeyKind.gost256, .rsa(bits: 2048)])
    func second(_ kind: KeyKind) async throws {
        let scene = try await TokenScene(kind)
        let (service, certificate) = (Self.service, scene.certificate)
        let (url, body, states) = try await scene.token.perform(pin: TokenScene.pin) { session in
            let first = try session.signInRequest(to: service, by: certificate, at: 1_774_958_400)
            let second = try session.tokenRequest(to: service, by: certificate, code: Self.code, at: 951_782_399)
            #expect(second.url == "https://esia.gosuslugi.ru/aas/oauth2/v3/te")
            return (first.url, second.body, [first.state, second.state])
        }
        #expect(url.hasPrefix("https://esia.gosuslugi.ru/aas/oauth2/v2/ac?"))
        #expect(states[0] != states[1] && states.allSatisfy { UUID(uuidString: $0)?.uuidString.lowercased() == $0 })
        let key = try PublicKey(of: certificate.value)
        let texts = [
            String(try #require(url.split(separator: "?", maxSplits: 1).last)), String(decoding: body, as: UTF8.self),
        ]
        let times = ["2026.03.31 12:00:00 +0000", "2000.02.28 23:59:59 +0000"]
        for (index, text) in texts.enumerated() {
            let values = try Self.parameters(text)
            #expect(values["client_id"] == "TESTSYS" && values["scope"] == "openid fullname")
            #expect(values["timestamp"] == times[index] && values["state"] == states[index])
            #expect(values["redirect_uri"] == service.redirectURI)
            let hash = try certificate.fingerprint().map { String(format: "%02X", $0) }.joined()
            #expect(values["client_certificate_hash"] == hash)
            let code = index == 0 ? "" : Self.code
            let signed = "TESTSYSopenid fullname\(times[index])\(states[index])\(service.redirectURI)\(code)"
            let signature = try Self.bytes(try #require(values["client_secret"]))
            #expect(signature.count == (kind == .gost256 ? 64 : 256))
            #expect(try await key.verify(signature, of: Self.source(signed)))
            #expect(try await !key.verify(signature, of: Self.source(signed + " ")))
            let rest: [String: String] =
                index == 0
                ? ["response_type": "code", "access_type": "online"]
                : ["code": Self.code, "grant_type": "authorization_code", "token_type": "Bearer"]
            for (name, value) in rest { #expect(values[name] == value) }
            #expect(values.count == 7 + rest.count)
        }
    }

    @Test("Before version 2.90 a message beside the parameters is signed", .usesGOSTEngine)
    func first() async throws {
        let scene = try await TokenScene(.gost256)
        let certificate = scene.certificate
        var service = ESIAService(
            clientID: "TESTSYS", scope: ["openid"], redirectURI: "https://example.org/back",
            host: "https://test.example",
            generation: .first)
        service.isOffline = true
        let described = service
        let (request, second) = try await scene.token.perform(pin: TokenScene.pin) { session in
            (
                try session.signInRequest(to: described, by: certificate, at: 0),
                try session.tokenRequest(to: described, by: certificate, code: Self.code, at: 253_402_300_799)
            )
        }
        #expect(request.url.hasPrefix("https://test.example/aas/oauth2/ac?"))
        #expect(second.url == "https://test.example/aas/oauth2/te")
        let text = String(try #require(request.url.split(separator: "?").last))
        for (text, state, time) in [
            (text, request.state, "1970.01.01 00:00:00 +0000"),
            (String(decoding: second.body, as: UTF8.self), second.state, "9999.12.31 23:59:59 +0000"),
        ] {
            let values = try Self.parameters(text)
            let message = try Self.bytes(try #require(values["client_secret"]))
            let signed = "openid\(time)TESTSYS\(state)"
            #expect(values["timestamp"] == time && values["client_certificate_hash"] == nil)
            try scene.expectVerified(message, Array(signed.utf8))
        }
        #expect(try Self.parameters(text)["access_type"] == "offline")
    }

    @Test("Keys that the service does not know sign nothing", .usesGOSTEngine, arguments: [KeyKind.gost512, .p256])
    func otherKeys(_ kind: KeyKind) async throws {
        let scene = try await TokenScene(kind)
        let certificate = scene.certificate
        try await scene.token.perform(pin: TokenScene.pin) { session in
            for generation in ESIAService.Generation.allCases {
                var service = Self.service
                service.generation = generation
                #expect(
                    throws: KanalError.invalidArgument(
                        "the identity service accepts GOST keys of 256 bits and RSA keys")
                ) { try session.signInRequest(to: service, by: certificate) }
            }
        }
    }

    @Test("A service that is not described as one is refused before anything is signed", .usesGOSTEngine)
    func descriptions() async throws {
        let scene = try await TokenScene(.gost256)
        let certificate = scene.certificate
        var wrong: [ESIAService] = []
        func add(_ change: (inout ESIAService) -> Void) {
            var service = Self.service
            change(&service)
            wrong.append(service)
        }
        for text in ["", "a b", "é", "a\n", "a\0", String(repeating: "a", count: 2049)] {
            add { $0.clientID = text }
            add { $0.scope = ["openid", text] }
            add { $0.redirectURI = "https://example.org/" + (text.isEmpty ? "#" : text) }
        }
        add { $0.scope = [] }
        add { $0.redirectURI = "back" }
        for host in ["", "esia", "http://esia", "https://", "https://a/b", "https://a@b", "https://a?b", "HTTPS://a"] {
            add { $0.host = host }
        }
        for path in ["", "a", "//a", "/a?b", "/a#b", "/a b"] {
            add { $0.authorizationPath = path }
            add { $0.tokenPath = path }
        }
        let services = wrong
        try await scene.token.perform(pin: TokenScene.pin) { session in
            for service in services {
                #expect(throws: KanalError.self, "\(service)") {
                    try session.signInRequest(to: service, by: certificate, at: 0)
                }
            }
            for time: Int64 in [-1, 253_402_300_800, .min, .max] {
                #expect(throws: KanalError.self) {
                    try session.signInRequest(to: Self.service, by: certificate, at: time)
                }
            }
        }
    }
}
