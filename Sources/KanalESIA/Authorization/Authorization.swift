// SPDX-License-Identifier: Apache-2.0
import HostProcess
import KanalKit
import Locking
public import Logging
import Secrets
import Translation

/// Authorisation by another application: the user is handed over to it, and its answer comes back.
///
/// The other application is the user's desktop's handler for a scheme of addresses, or the browser. Each request
/// waits for its answer in the task that makes it: for the time limit at most, and not after the task is cancelled.
/// An answer counts if it has the state of a request that waits. Others are refused and logged, and requests wait on.
///
/// <doc:OtherApplications> describes what the other application receives, and how it answers.
public final class Authorization: Sendable {
    private let settings: Settings
    private let desktop: Desktop
    private let requests: PendingRequests
    private let entrance = Lock<CallbackReceiver?>(nil)
    private let runtime: String?
    private let loopback: LoopbackAddress
    private let sleep: @Sendable (Duration) async throws -> Void
    private let offer: Offer?

    /// Asks the user whether to open the page from which the other application is installed.
    public typealias Offer = @Sendable (_ page: String) async -> Bool

    /// Requests by these settings.
    ///
    /// - Parameters:
    ///   - log: Receives refused answers, without their content. Nil for none.
    ///   - offer: Called by a request if the other application is missing and the settings have an installation page,
    ///     which is opened if it returns true. The request ends with ``AuthorizationError/notInstalled`` in each case.
    ///     Nil to ask nothing and open nothing.
    public convenience init(_ settings: Settings, log: Logger? = nil, offeringInstallation offer: Offer? = nil) {
        self.init(
            settings, log: log, desktop: .system, runtime: Environment.variable("XDG_RUNTIME_DIR"),
            sleep: { try await Task.sleep(for: $0) }, offer: offer)
    }

    package init(
        _ settings: Settings, log: Logger? = nil, desktop: Desktop, runtime: String?,
        loopback: LoopbackAddress = LoopbackAddress(), sleep: @escaping @Sendable (Duration) async throws -> Void,
        offer: Offer? = nil
    ) {
        self.loopback = loopback
        self.offer = offer
        (self.settings, self.desktop, self.runtime, self.sleep) = (settings, desktop, runtime, sleep)
        requests = PendingRequests(log: log)
    }

    /// The address that answers return to, without parameters. It stays the same for as long as this object is kept.
    ///
    /// Services call it `redirect_uri`. In a flow through the browser, the location of a request has to name it.
    ///
    /// - Throws: ``AuthorizationError/notConfigured(_:)`` if nothing can take answers, for instance because
    ///   `XDG_RUNTIME_DIR` is not set; ``AuthorizationError/failed(_:)``.
    public var callback: String {
        get throws(AuthorizationError) {
            try settings.check()
            return try entrance.withLock { entrance throws(AuthorizationError) in
                if let entrance { return entrance.callback }
                let opened: CallbackReceiver
                switch settings.answers {
                case .loopback:
                    opened = try LoopbackReceiver.open(
                        requests, at: loopback, title: settings.title ?? settings.informationSystem)
                case .scheme(let scheme): opened = try SchemeReceiver.open(requests, scheme: scheme, in: runtime)
                }
                entrance = opened
                return opened.callback
            }
        }
    }

    /// Begins a session with the identity service.
    ///
    /// - Parameter location: The service's authorisation page, as the application's server sent it: an https address
    ///   of at most 8192 bytes. Its parameter `state` is the server's and is used once; without one, a random one is
    ///   added.
    /// - Returns: The code and the state, for the server.
    /// - Throws: ``AuthorizationError``.
    public func authorizeSession(at location: String) async throws(AuthorizationError) -> AuthorizationCode {
        try await code("session", at: location)
    }

    /// Extends the authorisation of a session.
    ///
    /// - Parameter location: As of ``authorizeSession(at:)``.
    /// - Returns: The code and the state, for the server.
    /// - Throws: ``AuthorizationError``.
    public func authorizeExtended(at location: String) async throws(AuthorizationError) -> AuthorizationCode {
        try await code("extended", at: location)
    }

    /// Authorises a session by biometrics of the user.
    ///
    /// - Parameter session: The identifier of the session that the server wants authorised, which the other application
    ///   verifies: 1 to 255 printable characters of ASCII.
    /// - Returns: The token with which a server verifies that.
    /// - Throws: ``AuthorizationError``: ``AuthorizationError/Failure/identificationFailed`` if the person was not
    ///   recognised, ``AuthorizationError/notConfigured(_:)`` with a browser.
    public func authorizeSessionByBiometrics(
        session: String
    ) async throws(AuthorizationError) -> BiometricVerification {
        let request = try AuthorizationRequest(biometricsFor: session, state: Self.randomState())
        guard case .verification(let verification) = try await success(of: request) else {
            throw .failed(.unknown(code: "no_verification"))
        }
        return verification
    }

    /// Whether the desktop has an application for the scheme of the other application. False also if that is unknown,
    /// for instance because xdg-utils are missing.
    public var isInstalled: Bool {
        get async { (try? await desktop.handles(settings.application.scheme)) ?? false }
    }

    /// Opens the page from which the other application is installed, in the browser.
    ///
    /// - Throws: ``AuthorizationError/notConfigured(_:)`` without such a page, ``AuthorizationError/notInstalled`` without
    ///   a browser, ``AuthorizationError/failed(_:)``.
    public func openInstallationPage() async throws(AuthorizationError) {
        try settings.check()
        guard let page = settings.installationPage else { throw .notConfigured("no installation page is set") }
        guard try await desktop.handles("https") else { throw .notInstalled }
        try desktop.open(page, { _ in }).get()
    }

    /// Delivers an answer to the program of this user that waits for it, which may be this one: for the program
    /// that the desktop starts with an address of the application's scheme, as the command `kanal callback` does.
    ///
    /// - Parameter url: The address.
    /// - Throws: ``CallbackError``.
    public static func process(_ url: String) async throws(CallbackError) {
        try await process(url, in: Environment.variable("XDG_RUNTIME_DIR"))
    }

    package static func process(_ url: String, in runtime: String?) async throws(CallbackError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Void, CallbackError>.self)
        let isStarted = BlockingThread.start {
            continuation.yield(Result { () throws(CallbackError) in try SchemeReceiver.deliver(url, in: runtime) })
        }
        guard isStarted else { throw .unreachable("the system creates no more threads") }
        for await result in stream { return try result.get() }
        throw .unreachable("it was cancelled")
    }
}

extension Authorization {
    /// Opens the address of a sign-in, and waits for the address of its answer.
    func answer(to request: SignInRequest) async throws(AuthorizationError) -> String {
        guard case .address(let answer) = try await success(of: AuthorizationRequest(request)) else {
            throw .failed(.unknown(code: "no_answer"))
        }
        return answer
    }

    private func code(_ name: String, at location: String) async throws(AuthorizationError) -> AuthorizationCode {
        let request = try AuthorizationRequest(name, at: location, state: Self.randomState())
        guard case .code(let code) = try await success(of: request) else { throw .failed(.unknown(code: "no_code")) }
        return code
    }

    /// The answer to a request. If the other application is missing, its installation is offered.
    private func success(
        of request: AuthorizationRequest
    ) async throws(AuthorizationError) -> AuthorizationRequest.Success {
        do throws(AuthorizationError) { return try await received(request) } catch {
            if error == .notInstalled { await offerInstallation() }
            throw error
        }
    }

    private func offerInstallation() async {
        // Without a browser no page can be opened.
        guard settings.application != .browser, let offer, let page = settings.installationPage else { return }
        if await offer(page) { try? await openInstallationPage() }
    }

    private func received(
        _ request: AuthorizationRequest
    ) async throws(AuthorizationError) -> AuthorizationRequest.Success {
        let address = try request.address(settings, callback: callback)
        if case .scheme(let scheme) = settings.answers, try await !desktop.handles(scheme) {
            throw .notConfigured("the desktop has no application for \(scheme): addresses, by which the answer returns")
        }
        guard try await desktop.handles(settings.application.scheme) else { throw .notInstalled }
        guard let (number, end) = requests.begin(request) else {
            throw .failed(.invalidArgument("the location's state was used before"))
        }
        let timer = Task { [requests, sleep, limit = settings.timeLimit] in
            do { try await sleep(limit) } catch { return }
            requests.end(number, .failed(.timedOut))
        }
        defer {
            timer.cancel()
            requests.end(number, .cancelled)
        }
        try desktop.open(address) { [requests] isOpened in
            if !isOpened { requests.end(number, .notInstalled) }
        }.get()
        for await result in end { return try result.get() }
        throw .cancelled
    }

    /// 256 bits in hexadecimal digits.
    private static func randomState() throws(AuthorizationError) -> String {
        guard let bytes = try? SystemRandom().bytes(32) else { throw .failed(.system("there are no random numbers")) }
        return bytes.hexadecimal
    }
}
