// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Translation

/// The parameters of an answer. Only their form is verified: any program can have sent them.
struct Answer {
    /// The greatest length of an answer, in bytes.
    static let limit = 8192
    private static let parameterLimit = 32

    private let parameters: [String: String]
    let state: String
    /// The whole address.
    let url: String

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - url: The address that was opened.
    ///   - callback: The address that answers go to, without parameters.
    init(url: String, callback: String) throws(CallbackError) {
        guard url.utf8.count <= Self.limit else { throw .tooLong }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("it has characters that no address has")
        }
        guard !url.utf8.contains(UInt8(ascii: "#")) else { throw .malformed("it has a fragment") }
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.isSame(parts[0], callback) else { throw .malformed("it goes to another address than the callback") }
        parameters = try Self.parameters(parts.count == 2 ? parts[1] : "")
        guard let state = parameters["state"] else { throw .malformed("it has no state") }
        (self.state, self.url) = (state, url)
    }

    /// The end of a request that the answer means.
    func end(of kind: AuthorizationRequest.Kind) throws(CallbackError) -> AuthorizationRequest.End {
        if kind == .address {
            guard parameters["error"] != nil || !(parameters[kind.result] ?? "").isEmpty else {
                throw .malformed("it has neither \(kind.result) nor error")
            }
            return .success(.address(url))
        }
        if let code = parameters["error"] {
            guard parameters[kind.result] == nil else { throw .malformed("it has both a result and an error") }
            guard (1...64).contains(code.utf8.count), code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .malformed("the error field is not an error code")
            }
            return .failure(Self.error(code))
        }
        guard let result = parameters[kind.result], !result.isEmpty else {
            throw .malformed("it has neither \(kind.result) nor error")
        }
        switch kind {
        case .code, .address: return .success(.code(AuthorizationCode(code: result, state: state)))
        case .verification:
            guard let text = parameters["expiry"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let expiry = Int64(text)
            else { throw .malformed("it has no expiry in seconds") }
            return .success(.verification(BiometricVerification(verifyToken: result, expiry: expiry)))
        }
    }

    private static func error(_ code: String) -> AuthorizationError {
        switch code {
        case "access_denied": .cancelled
        case "identification_failed": .failed(.identificationFailed)
        case "not_configured": .notConfigured("the other application is not set up for this information system")
        default: .failed(.unknown(code: code))
        }
    }

    /// Whether an address without parameters is the callback. Desktops write `a:/b` as `a:///b`, and a scheme in any case.
    private static func isSame(_ address: Substring, _ callback: String) -> Bool {
        func normal(_ text: some StringProtocol) -> [UInt8]? {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let rest = text[colon...]
            let name = text[..<colon].lowercased()
            return Array((name + (rest.hasPrefix(":///") ? ":" + rest.dropFirst(3) : String(rest))).utf8)
        }
        return normal(address) == normal(callback)
    }

    private static func parameters(_ query: Substring) throws(CallbackError) -> [String: String] {
        var parameters: [String: String] = [:]
        for field in query.split(separator: "&") {
            guard parameters.count < parameterLimit else { throw .malformed("it has too many parameters") }
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PercentEncoding.decodedText(parts[0]),
                let value = PercentEncoding.decodedText(parts[1])
            else { throw .malformed("a parameter is not encoded as it has to be") }
            guard parameters[name] == nil else { throw .malformed("a parameter is repeated") }
            parameters[name] = value
        }
        return parameters
    }
}
