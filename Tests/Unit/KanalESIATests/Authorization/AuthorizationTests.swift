// SPDX-License-Identifier: Apache-2.0
import KanalESIA
import KanalKit
import Locking
import Testing

@Suite("Authorisation by another application: what it gets, and how requests end")
struct AuthorizationTests {
    /// The three requests, with their result in one line.
    enum Request: String, CaseIterable {
        case session, extended, biometrics

        func make(_ authorization: Authorization) async throws(AuthorizationError) -> String {
            switch self {
            case .session: try await authorization.authorizeSession(at: StandIn.location()).code
            case .extended: try await authorization.authorizeExtended(at: StandIn.location()).code
            case .biometrics: try await authorization.authorizeSessionByBiometrics(session: "a&b").verifyToken
            }
        }

        var success: String { self == .biometrics ? "verify_token=result&expiry=1900000000" : "code=result" }
    }

    @Test("A request tells the location, the callback, a state, the title and the information system")
    func address() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization(), location = StandIn.location()
        let work = Task { try await authorization.authorizeSession(at: location) }
        let parameters = try await standIn.parameters()
        #expect(parameters.keys.sorted() == ["callback", "location", "state", "system", "title"])
        #expect(parameters["location"] == location)
        #expect(parameters["callback"] == "own:/authorization")
        #expect(parameters["state"].map(location.hasSuffix) == true)
        #expect(parameters["title"] == "A & b")
        #expect(parameters["system"] == "SYSTEM")
        try await standIn.answer("code=a%2Bb+c&state=\(parameters["state"] ?? "")&iss=x")
        let result = try await work.value
        #expect(result.code == "a+b c")
        #expect(result.state == parameters["state"])
        #expect("\(result)" == "an authorisation code")
    }

    @Test("A request without a state of the server gets one of 256 bits, which no other one has")
    func state() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        var states: Set<String> = []
        for _ in 0..<4 {
            let work = Task { try await authorization.authorizeExtended(at: "https://identity.example/start") }
            let parameters = try await standIn.parameters(), state = parameters["state"] ?? ""
            #expect(parameters["location"] == "https://identity.example/start?state=\(state)")
            #expect(state.utf8.count == 64)
            states.insert(state)
            try await standIn.answer("code=1&state=\(state)")
            #expect(try await work.value.state == state)
        }
        #expect(states.count == 4)
    }

    @Test("Biometrics give the token and its expiry")
    func biometrics() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let work = Task { try await authorization.authorizeSessionByBiometrics(session: "a&b") }
        let address = await standIn.opened() ?? ""
        #expect(address.hasPrefix("other://biometrics?session=a%26b&callback=own%3A%2Fauthorization&state="))
        let state = address.split(separator: "state=")[1].prefix { $0 != "&" }
        try await standIn.answer("verify_token=t&expiry=1900000000&state=\(state)")
        let result = try await work.value
        #expect(result.verifyToken == "t")
        #expect(result.expiry == 1_900_000_000)
        #expect(!"\(result)".contains("t&"))
    }

    @Test("Every error of an answer is told apart", arguments: Request.allCases)
    func errors(_ request: Request) async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let cases: [(String, AuthorizationError, Outcome)] = [
            ("access_denied", .cancelled, .cancel),
            ("identification_failed", .failed(.identificationFailed), .failure),
            ("unknown", .failed(.unknown(code: "unknown")), .failure),
            ("server_error", .failed(.unknown(code: "server_error")), .failure),
            (
                "not_configured",
                .notConfigured("the other application is not set up for this information system"), .notConfigured
            ),
        ]
        for (code, error, outcome) in cases {
            let work = Task { try await request.make(authorization) }
            try await standIn.answer("error=\(code)&state=\(standIn.state())")
            await #expect(throws: error) { try await work.value }
            #expect(error.outcome == outcome)
        }
    }

    @Test(
        "A request without an answer ends when its time is over, and an answer is too late", arguments: Request.allCases
    )
    func time(_ request: Request) async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let work = Task { try await request.make(authorization) }
        let state = try await standIn.state()
        standIn.endTime()
        await #expect(throws: AuthorizationError.failed(.timedOut)) { try await work.value }
        await #expect(throws: CallbackError.late) { try await standIn.answer("\(request.success)&state=\(state)") }
    }

    @Test("Cancelling the task ends the request at once, and an answer is too late", arguments: Request.allCases)
    func cancelling(_ request: Request) async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let work = Task { try await request.make(authorization) }
        let state = try await standIn.state()
        work.cancel()
        await #expect(throws: AuthorizationError.cancelled) { try await work.value }
        await #expect(throws: CallbackError.late) { try await standIn.answer("\(request.success)&state=\(state)") }
    }

    @Test("The installation of an application that cannot run is offered, once a request", arguments: Request.allCases)
    func offer(_ request: Request) async throws {
        let standIn = try StandIn(), asked = Lock<[String]>([]), consents = Lock(false)
        var settings = StandIn.settings(.loopback)
        settings.installationPage = "https://page.example/"
        let offer: Authorization.Offer = { page in
            asked.withLock { $0.append(page) }
            return consents.withLock { $0 }
        }
        standIn.schemes.withLock { _ = $0.remove("other") }
        let silent = standIn.authorization(settings), authorization = standIn.authorization(settings, offer: offer)
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(silent) }
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(authorization) }
        #expect(asked.withLock { $0 } == ["https://page.example/"])
        consents.withLock { $0 = true }
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(authorization) }
        // Nothing was opened without consent.
        #expect(await standIn.opened() == "https://page.example/")
        standIn.schemes.withLock { _ = $0.insert("other") }
        standIn.canRun.withLock { $0 = false }
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(authorization) }
        #expect(asked.withLock { $0.count } == 3)
        #expect(await standIn.opened()?.hasPrefix("other:") == true)
        #expect(await standIn.opened() == "https://page.example/")
    }

    @Test("Without a page, and for a browser that is missing, nothing is offered")
    func noOffer() async throws {
        let standIn = try StandIn(), asked = Lock(0)
        let offer: Authorization.Offer = { _ in
            asked.withLock { $0 += 1 }
            return true
        }
        standIn.schemes.withLock { $0 = [] }
        var settings = StandIn.settings(.loopback)
        for (application, page) in [
            (Authorization.OtherApplication.handler(scheme: "other"), nil), (.browser, "https://page.example/"),
        ] {
            (settings.application, settings.installationPage) = (application, page)
            let authorization = standIn.authorization(settings, offer: offer)
            let location = "https://identity.example/start?redirect_uri=\(try authorization.callback)"
            await #expect(throws: AuthorizationError.notInstalled) {
                try await authorization.authorizeSession(at: location)
            }
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("An application that is missing, or cannot run, is not installed", arguments: Request.allCases)
    func missing(_ request: Request) async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        #expect(await authorization.isInstalled)
        standIn.canRun.withLock { $0 = false }
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(authorization) }
        standIn.schemes.withLock { $0 = ["own"] }
        #expect(await !authorization.isInstalled)
        await #expect(throws: AuthorizationError.notInstalled) { try await request.make(authorization) }
        #expect(AuthorizationError.notInstalled.outcome == .notInstalled)
    }

    @Test("Without a way to ask or to answer, nothing is configured", arguments: Request.allCases)
    func unconfigured(_ request: Request) async throws {
        let standIn = try StandIn()
        var settings = [StandIn.settings(.scheme("https")), StandIn.settings(.scheme("")), StandIn.settings()]
        settings[2].title = ""
        settings.append(StandIn.settings(.scheme("nobody")))
        for settings in settings {
            let error = await #expect(throws: AuthorizationError.self) {
                try await request.make(standIn.authorization(settings))
            }
            #expect(error?.outcome == .notConfigured)
        }
        for runtime in [nil, "relative", "/nonexistent", "/tmp"] as [String?] {
            let error = await #expect(throws: AuthorizationError.self) {
                try await request.make(standIn.authorization(runtime: runtime))
            }
            #expect(error?.outcome == .notConfigured)
        }
    }

    @Test("A location has to be an https address with a state that nobody guesses, and is used once")
    func locations() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let location = StandIn.location()
        let wrong = [
            "", "file:///etc/passwd", "http://identity.example/", "javascript:1", location + "#f", location + " x",
            location + "&state=1", "https://identity.example/?state=123456789012345678901",
            location + String(repeating: "a", count: 8192),
        ]
        for location in wrong {
            let error = await #expect(throws: AuthorizationError.self) {
                try await authorization.authorizeSession(at: location)
            }
            #expect(error?.outcome == .failure)
        }
        let work = Task { try await authorization.authorizeSession(at: location) }
        let state = try await standIn.state()
        let error = AuthorizationError.failed(.invalidArgument("the location's state was used before"))
        await #expect(throws: error) { try await authorization.authorizeSession(at: location) }
        try await standIn.answer("code=1&state=\(state)")
        #expect(try await work.value.code == "1")
        await #expect(throws: error) { try await authorization.authorizeSession(at: location) }
    }

    @Test("A browser is opened with the location itself, and knows nothing of biometrics")
    func browser() async throws {
        let standIn = try StandIn(), location = StandIn.location()
        var settings = StandIn.settings(.loopback)
        settings.application = .browser
        settings.installationPage = "https://page.example/"
        let authorization = standIn.authorization(settings)
        #expect(try authorization.callback.hasPrefix("http://127.0.0.1:"))
        let work = Task { try await authorization.authorizeSession(at: location) }
        #expect(await standIn.opened() == location)
        work.cancel()
        await #expect(throws: AuthorizationError.cancelled) { try await work.value }
        let error = await #expect(throws: AuthorizationError.self) {
            try await authorization.authorizeSessionByBiometrics(session: "a&b")
        }
        #expect(error?.outcome == .notConfigured)
        try await authorization.openInstallationPage()
        #expect(await standIn.opened() == "https://page.example/")
        standIn.schemes.withLock { $0 = [] }
        await #expect(throws: AuthorizationError.notInstalled) { try await authorization.openInstallationPage() }
        await #expect(throws: AuthorizationError.notConfigured("no installation page is set")) {
            try await standIn.authorization().openInstallationPage()
        }
    }
}
