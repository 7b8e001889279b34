// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalESIA
import KanalKit
import Locking
import TestSupport
import Testing
import TokenScenes

@Suite("A sign-in as one call: the browser, the answer at 127.0.0.1, the exchange")
struct SignInTests {
    private static let service = ESIAService(
        clientID: "TESTSYS", scope: ["openid"], redirectURI: "http://127.0.0.1/back")

    private static func signIn(
        _ service: ESIAService = service, open: @escaping @Sendable (String) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(60)) }
    ) throws -> SignIn {
        try SignIn(
            to: service, title: nil, timeLimit: .seconds(300), log: nil,
            desktop: Desktop(
                handles: { _ in .success(true) },
                open: { address, _ in
                    open(address)
                    return .success(())
                }),
            sleep: sleep)
    }

    /// Lets a browser go to an address.
    ///
    /// - Returns: The reply's status.
    @discardableResult
    private static func visit(_ address: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        process.arguments = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "20", address]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        process.waitUntilExit()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    private static func parameters(_ address: String) -> [String: String] {
        (URLComponents(string: address)?.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    /// A request as a token would make it.
    private static func request(_ signIn: SignIn) -> SignInRequest {
        let state = UUID().uuidString
        return SignInRequest(
            url: "https://esia.example/ac?redirect_uri=\(signIn.service.redirectURI)&state=\(state)", state: state)
    }

    @Test("The redirect address has its port before a request is signed, and two sign-ins have different ones")
    func ports() throws {
        let first = try Self.signIn(), second = try Self.signIn()
        for signIn in [first, second] {
            let components = try #require(URLComponents(string: signIn.service.redirectURI))
            #expect(components.host == "127.0.0.1" && components.path == "/back" && (components.port ?? 0) > 0)
        }
        #expect(first.service.redirectURI != second.service.redirectURI)
    }

    @Test("A port that another sign-in listens at is refused, and is free again when that one has ended")
    func samePort() throws {
        var service = Self.service
        var first: SignIn? = try Self.signIn()
        service.redirectURI = try #require(first?.service.redirectURI)
        let error = #expect(throws: AuthorizationError.self) { try Self.signIn(service) }
        #expect("\(error as Any)".contains("nothing can listen at 127.0.0.1:"))
        first = nil
        let deadline = ContinuousClock.now + .seconds(20)
        while (try? Self.signIn(service)) == nil { try #require(ContinuousClock.now < deadline) }
    }

    @Test(
        "Another redirect address than one of 127.0.0.1 is refused",
        arguments: [
            "", "https://127.0.0.1/back", "http://127.0.0.1", "http://127.0.0.1:0/a", "http://127.0.0.1:65536/a",
            "http://127.0.0.1:+1/a", "http://127.0.0.1:/a", "http://127.0.0.1.example/a", "http://localhost/a",
            "http://127.0.0.1/a?b", "http://127.0.0.1/a#b", "http://127.0.0.1/a b", "http://127.0.0.1@example/a",
        ])
    func addresses(_ address: String) {
        var service = Self.service
        service.redirectURI = address
        #expect(throws: AuthorizationError.self) { try Self.signIn(service) }
    }

    @Test("The answer of one sign-in ends no other, and each ends with its own")
    func two() async throws {
        let first = try Self.signIn(), second = try Self.signIn()
        let requests = [Self.request(first), Self.request(second)]
        async let one = first.code(for: requests[0])
        async let other = second.code(for: requests[1])
        for signIn in [first, second] {
            // Until it waits, no answer is awaited; a foreign one is refused in each case.
            #expect(try Self.visit(signIn.service.redirectURI + "?code=x&state=\(UUID().uuidString)") == "400")
        }
        // Beside all other tests, each wait of a task is as long as they are.
        let deadline = ContinuousClock.now + .seconds(900)
        for (index, signIn) in [first, second].enumerated() {
            #expect(try Self.visit(signIn.service.redirectURI + "?code=x&state=\(requests[1 - index].state)") == "400")
            let answer = "\(signIn.service.redirectURI)?code=c\(index)&state=\(requests[index].state)"
            // A task that waits needs the thread that this one would keep.
            while try Self.visit(answer) != "200" {
                try #require(ContinuousClock.now < deadline)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await one == "c0")
        #expect(try await other == "c1")
    }

    @Test("A browser that never answers ends the sign-in after its time")
    func silence() async throws {
        let signIn = try Self.signIn(sleep: { _ in })
        await #expect(throws: AuthorizationError.failed(.timedOut)) { try await signIn.code(for: Self.request(signIn)) }
    }

    @Test("The user's refusal and the service's are told apart")
    func refusals() async throws {
        for (text, isUsers) in [("ESIA-007004: no", true), ("ESIA-007053: wrong", false)] {
            let signIn = try Self.signIn(open: { opened in
                let values = Self.parameters(opened)
                Thread.detachNewThread {
                    let words = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    _ = try? Self.visit(
                        "\(values["redirect_uri"] ?? "")?error=access_denied&error_description=\(words)&state=\(values["state"] ?? "")"
                    )
                }
            })
            let error = await #expect(throws: ESIAError.self) {
                try await signIn.code(for: Self.request(signIn))
            }
            #expect(error?.isUsersRefusal == isUsers)
        }
    }

    @Test("The one call signs both requests with the same redirect address, and sends the code", .usesGOSTEngine)
    func whole() async throws {
        let scene = try await TokenScene(.gost256)
        let signIn = try Self.signIn(open: { opened in
            let values = Self.parameters(opened)
            Thread.detachNewThread {
                _ = try? Self.visit("\(values["redirect_uri"] ?? "")?code=abc&state=\(values["state"] ?? "")")
            }
        })
        let sent = Lock<[String: String]>([:])
        await #expect(throws: ESIAError.self) {
            let pin: PIN? = TokenScene.pin
            _ = try await scene.token.complete(signIn, scene.certificate, pin, [scene.certificate.value]) { request in
                sent.withLock { $0 = Self.parameters("?" + String(decoding: request.body, as: UTF8.self)) }
                return (400, Array("{\"error\":\"invalid_request\"}".utf8))
            }
        }
        #expect(sent.withLock { $0["code"] } == "abc")
        #expect(sent.withLock { $0["redirect_uri"] } == signIn.service.redirectURI)
    }
}
