// SPDX-License-Identifier: Apache-2.0

/// One request to the other application.
struct AuthorizationRequest {
    /// The result of its success.
    enum Kind {
        case code
        case verification

        /// The name of the parameter that an answer of success has.
        var result: String { self == .code ? "code" : "verify_token" }
    }

    enum Success: Sendable {
        case code(AuthorizationCode)
        case verification(BiometricVerification)
    }

    typealias End = Result<Success, AuthorizationError>

    /// The name of the request's kind, before the parameters of the address.
    let name: String
    let kind: Kind
    let state: String
    /// The page of the service to which the user goes.
    let location: String?

    /// A request of a session or an extended authorisation. A location without a state gets `state`.
    init(_ name: String, at location: String, state: String) throws(AuthorizationError) {
        guard location.utf8.count <= Answer.limit, location.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            ["https://", "http://127.0.0.1:"].contains(where: location.lowercased().hasPrefix), !location.contains("#")
        else {
            throw .failed(.invalidArgument("the location is not an https address of at most \(Answer.limit) bytes"))
        }
        self.name = name
        kind = .code
        let query = location.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let states = query.split(separator: "&").filter { $0.hasPrefix("state=") }
        if states.isEmpty {
            self.state = state
            self.location = location + (location.contains("?") ? "&" : "?") + "state=" + state
        } else {
            let given = states.first.flatMap { PercentEncoding.decoded($0.dropFirst(6), plusIsSpace: true) }
            guard states.count == 1, let given, given.utf8.count >= Self.stateLength else {
                throw .failed(
                    .invalidArgument("the location's state is missing, or does not have \(Self.stateLength) characters")
                )
            }
            self.state = given
            self.location = location
        }
    }

    /// A request of an authorisation by biometrics.
    init(biometricsOf state: String) {
        (name, kind, self.state, location) = ("biometrics", .verification, state, nil)
    }

    /// 128 bits in base64url.
    private static let stateLength = 22

    /// The address that the other application is opened with.
    func address(_ settings: Authorization.Settings, callback: String) throws(AuthorizationError) -> String {
        switch settings.application {
        case .browser:
            guard let location else { throw .notConfigured("a browser knows nothing of biometrics") }
            return location
        case .handler(let scheme):
            var parameters = [("callback", callback), ("state", state)]
            parameters += [("title", settings.title), ("system", settings.informationSystem)]
            if let location { parameters.insert(("location", location), at: 0) }
            let query = parameters.map { "\($0.0)=\(PercentEncoding.encoded($0.1))" }.joined(separator: "&")
            return "\(scheme)://\(name)?\(query)"
        }
    }
}
