// SPDX-License-Identifier: Apache-2.0
import KanalKit
internal import Translation

/// One request to the other application.
struct AuthorizationRequest {
    /// The result of its success.
    enum Kind {
        case code
        case verification
        /// The whole address of the answer, which the caller reads.
        case address

        /// The name of the parameter that an answer of success has.
        var result: String { self == .verification ? "verify_token" : "code" }
    }

    enum Success: Sendable {
        case code(AuthorizationCode)
        case verification(BiometricVerification)
        case address(String)
    }

    typealias End = Result<Success, AuthorizationError>

    /// The name of the request's kind, before the parameters of the address.
    let name: String
    let kind: Kind
    let state: String
    /// The parameter of its kind: the page of the service to which the user goes, or the session that is authorised.
    private let subject: (name: String, value: String)

    /// A request of a session or an extended authorisation. A location without a state gets `state`.
    init(
        _ name: String, at location: String, state: String, kind: Kind = .code
    ) throws(AuthorizationError) {
        guard location.utf8.count <= Answer.limit, location.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            ["https://", "http://127.0.0.1:"].contains(where: location.lowercased().hasPrefix), !location.contains("#")
        else {
            throw .failed(.invalidArgument("the location is not an https address of at most \(Answer.limit) bytes"))
        }
        self.name = name
        self.kind = kind
        let query = location.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let states = query.split(separator: "&").filter { $0.hasPrefix("state=") }
        if states.isEmpty {
            self.state = state
            subject = ("location", location + (location.contains("?") ? "&" : "?") + "state=" + state)
        } else {
            let given = states.first.flatMap { PercentEncoding.decodedText($0.dropFirst(6)) }
            guard states.count == 1, let given, given.utf8.count >= Self.stateLength else {
                throw .failed(
                    .invalidArgument("the location's state is missing, or does not have \(Self.stateLength) characters")
                )
            }
            self.state = given
            subject = ("location", location)
        }
    }

    /// A request to authorise a session by biometrics.
    init(biometricsFor session: String, state: String) throws(AuthorizationError) {
        guard (1...255).contains(session.utf8.count), session.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .failed(.invalidArgument("the session is not 1 to 255 printable characters of ASCII"))
        }
        (name, kind, self.state, subject) = ("biometrics", .verification, state, ("session", session))
    }

    /// 128 bits in base64url.
    private static let stateLength = 22

    /// The address that the other application is opened with.
    func address(_ settings: Authorization.Settings, callback: String) throws(AuthorizationError) -> String {
        switch settings.application {
        case .browser:
            guard kind != .verification else { throw .notConfigured("a browser knows nothing of biometrics") }
            return subject.value
        case .handler(let scheme):
            var parameters = [subject, ("callback", callback), ("state", state)]
            if let title = settings.title { parameters.append(("title", title)) }
            parameters.append(("system", settings.informationSystem))
            let query = parameters.map { "\($0.0)=\(PercentEncoding.encoded($0.1.utf8))" }.joined(separator: "&")
            return "\(scheme)://\(name)?\(query)"
        }
    }
}

extension PercentEncoding {
    /// The decoded text; nil if the encoding is malformed, or decodes to control characters or invalid UTF-8.
    static func decodedText(_ text: Substring) -> String? {
        guard let bytes = decoded(text, plusIsSpace: true), let decoded = String(validating: bytes, as: UTF8.self)
        else {
            return nil
        }
        let isPlain = decoded.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPlain ? decoded : nil
    }
}
