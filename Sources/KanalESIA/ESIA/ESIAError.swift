// SPDX-License-Identifier: Apache-2.0

public import KanalKit
package import Translation

/// Why the state's identity service has not signed a user in. ``description`` has neither a code nor a token in it.
public enum ESIAError: Error, Sendable, Equatable {
    /// The service has refused: the error's name (RFC 6749, 4.1.2.1 and 5.2) and the service's description.
    case refused(String, description: String?)
    /// The answer does not belong to this request: its `state` differs.
    case wrongState
    /// An answer or a reply that cannot be read, for this reason.
    case malformed(Explanation)
    /// A token in the reply is not accepted.
    case tokenRefused(WebTokenFault)
    /// A certificate of the service that the program passed cannot be used.
    case unusableCertificate
    /// libcrypto has failed.
    case failed

    /// Whether the user has refused.
    public var isUsersRefusal: Bool {
        if case .refused("access_denied", let text?) = self { text.hasPrefix("ESIA-007004") } else { false }
    }
}

extension ESIAError: CustomStringConvertible {
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
