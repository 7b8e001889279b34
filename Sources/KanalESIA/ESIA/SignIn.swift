// SPDX-License-Identifier: Apache-2.0
public import KanalKit
public import Logging

/// The sign-in of one user: a browser on this machine, whose answer returns at 127.0.0.1.
///
/// The listener is open from the beginning, so that ``service`` names its port before a request is signed. It is closed
/// when the object is released. ``code(for:)`` opens the browser and waits.
public final class SignIn: Sendable {
    /// The service, with the redirect address that this sign-in listens at.
    public let service: ESIAService
    private let authorization: Authorization

    /// Opens the listener.
    ///
    /// - Parameters:
    ///   - service: The service. Its redirect address is `http://127.0.0.1/PATH`, to which the port that the system
    ///     chooses is added (RFC 8252, 7.3), or `http://127.0.0.1:PORT/PATH`.
    ///   - title: The name of this program on the page that the browser shows at the end; nil for the service's name.
    ///   - timeLimit: The longest wait for the answer.
    ///   - log: Receives refused answers, without their content. Nil for none.
    ///   - open: Opens an address in place of the desktop's browser, or shows it to the user. Nil for the browser.
    /// - Throws: ``AuthorizationError/failed(_:)`` for another redirect address, and if the port is in use;
    ///   ``AuthorizationError/notConfigured(_:)``.
    public convenience init(
        to service: ESIAService, title: String? = nil, timeLimit: Duration = .seconds(300), log: Logger? = nil,
        open: (@Sendable (_ address: String) -> Void)? = nil
    ) throws(AuthorizationError) {
        let desktop = open.map { open in
            Desktop(
                handles: { _ in .success(true) },
                open: { address, _ in
                    open(address)
                    return .success(())
                })
        }
        try self.init(
            to: service, title: title, timeLimit: timeLimit, log: log, desktop: desktop ?? .system,
            sleep: { try await Task.sleep(for: $0) })
    }

    package init(
        to service: ESIAService, title: String?, timeLimit: Duration, log: Logger?, desktop: Desktop,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws(AuthorizationError) {
        guard let loopback = LoopbackAddress(service.redirectURI) else {
            throw .failed(.invalidArgument("the redirect address is not http://127.0.0.1/PATH, with or without a port"))
        }
        let settings = Authorization.Settings(
            application: .browser, answers: .loopback, title: title, informationSystem: service.clientID,
            timeLimit: timeLimit)
        let authorization = Authorization(
            settings, log: log, desktop: desktop, runtime: nil, loopback: loopback, sleep: sleep)
        var described = service
        described.redirectURI = try authorization.callback
        self.service = described
        self.authorization = authorization
    }

    /// Opens the browser with a request, waits for the answer, and reads it.
    ///
    /// - Parameter request: A request to ``service``. It is good for one sign-in.
    /// - Returns: The code, for `Session.tokenRequest`.
    /// - Throws: ``AuthorizationError``: no browser, no answer in time, a cancelled task; ``ESIAError``: the
    ///   service or the user has refused.
    public func code(for request: SignInRequest) async throws -> String {
        let answer = try await authorization.answer(to: request)
        return try service.code(from: answer, state: request.state)
    }
}

extension Token {
    /// Signs a user in: opens the browser with a signed request, waits for the answer at 127.0.0.1, exchanges it, and
    /// verifies the tokens. The token stays logged in while the user is in the browser.
    ///
    /// - Parameters:
    ///   - service: The service, with a redirect address as ``SignIn`` accepts it.
    ///   - certificate: The program's, which the service knows. Its private key is on the token.
    ///   - pin: The PIN. Nil if it was accepted before.
    ///   - certificates: The service's certificates, in DER, whose keys sign its tokens.
    ///   - timeLimit: The longest wait for the answer.
    ///   - send: Sends a request, and returns the reply's HTTP status and body.
    /// - Throws: `KanalError`, ``AuthorizationError``, ``ESIAError``; what `send` throws.
    public func signIn(
        to service: ESIAService, by certificate: TokenCertificate, pin: borrowing PIN? = nil,
        trusting certificates: [[UInt8]], timeLimit: Duration = .seconds(300),
        send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
    ) async throws -> ESIATokens {
        let signIn = try SignIn(to: service, timeLimit: timeLimit)
        return try await complete(signIn, certificate, pin, certificates, send)
    }

    /// The same with an existing PIN: a stored PIN stays where it is.
    public func signIn(
        to service: ESIAService, by certificate: TokenCertificate, pin: borrowing PIN,
        trusting certificates: [[UInt8]], timeLimit: Duration = .seconds(300),
        send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
    ) async throws -> ESIATokens {
        let signIn = try SignIn(to: service, timeLimit: timeLimit)
        return try await complete(signIn, certificate, PIN(sharing: pin), certificates, send)
    }

    package func complete(
        _ signIn: SignIn, _ certificate: TokenCertificate, _ pin: borrowing PIN?, _ certificates: [[UInt8]],
        _ send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
    ) async throws -> ESIATokens {
        let service = signIn.service
        let request = try await perform(pin: pin) { session in
            try session.signInRequest(to: service, by: certificate)
        }
        let code = try await signIn.code(for: request)
        let exchange = try await perform(pin: pin) { session in
            try session.tokenRequest(to: service, by: certificate, code: code)
        }
        let reply = try await send(exchange)
        return try service.tokens(
            from: reply.body, status: reply.status, state: exchange.state, trusting: certificates)
    }
}

extension AuthorizationRequest {
    /// The request of a sign-in, whose address is opened as it is.
    init(_ request: SignInRequest) throws(AuthorizationError) {
        try self.init("session", at: request.url, state: request.state, kind: .address)
        guard state == request.state else { throw .failed(.invalidArgument("the request has two states")) }
    }
}
