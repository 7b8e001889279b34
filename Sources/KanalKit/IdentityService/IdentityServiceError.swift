// SPDX-License-Identifier: Apache-2.0
package import Translation

/// Why the state's identity service has not signed a user in. ``description`` has neither a code nor a token in it.
public enum IdentityServiceError: Error, Sendable, Equatable {
    /// The service has refused: the error's name (RFC 6749, 4.1.2.1 and 5.2) and the service's description.
    case refused(String, description: String?)
    /// The answer does not belong to this request: its `state` differs.
    case wrongState
    /// An answer or a reply that cannot be read, for this reason.
    case malformed(Explanation)
    /// A token in the reply is not accepted.
    case tokenRefused(WebTokenFault)
    /// A certificate of the service that the program gave cannot be used.
    case unusableCertificate
    /// libcrypto has failed.
    case failed

    /// Whether the user has said no.
    public var isUsersRefusal: Bool {
        if case .refused("access_denied", let text?) = self { text.hasPrefix("ESIA-007004") } else { false }
    }
}

/// A fault of a token of the identity service.
public enum WebTokenFault: Error, Sendable, Equatable {
    /// It is not a signed token (RFC 7519) of the service's form.
    case malformed
    /// It is signed by an algorithm that is not accepted, or by none, or by one that fits no given key.
    case wrongAlgorithm
    /// No given key has made the signature.
    case wrongSignature
    /// Another service has made it.
    case wrongIssuer
    /// It is for another program.
    case wrongAudience
    /// It is about a person other than that of the access token.
    case wrongSubject
    /// It is not valid any more.
    case expired
    /// It is not valid yet, or was made in the future.
    case notYetValid
}

extension IdentityServiceError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .refused(let name, let text): "the identity service refuses: \(text.map { "\($0) (\(name))" } ?? name)"
        case .wrongState: "the answer is to another request: its state is not the one that was sent"
        case .malformed(let reason): reason.phrase
        case .tokenRefused(let fault): "the token that the identity service gave is not accepted: \(fault.explanation)"
        case .unusableCertificate: "a certificate of the identity service cannot be used"
        case .failed: "libcrypto has failed"
        }
    }
}

extension WebTokenFault: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .malformed: "it cannot be read"
        case .wrongAlgorithm: "none of the service's certificates is for its algorithm"
        case .wrongSignature: "its signature is wrong"
        case .wrongIssuer: "another service has made it"
        case .wrongAudience: "it is for another program"
        case .wrongSubject: "it tells of another person than the token of access"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        }
    }
}
