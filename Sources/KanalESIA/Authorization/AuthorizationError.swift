// SPDX-License-Identifier: Apache-2.0
public import KanalKit
package import Translation

/// Why an authorisation by another application came to nothing.
public enum AuthorizationError: Error, Sendable, Equatable {
    /// The user refused in the other application, or the task was cancelled.
    case cancelled
    /// It was tried and did not succeed.
    case failed(Failure)
    /// No application handles the scheme of the other application, or its handler cannot run.
    case notInstalled
    /// No way to ask, or for the answer to return, is configured; or the other application reports that it is not set
    /// up. The associated value names what is missing.
    case notConfigured(Explanation)

    /// The step that did not succeed.
    public enum Failure: Sendable, Equatable {
        /// The other application did not recognise the person.
        case identificationFailed
        /// The other application, or the service, returned a different error: its code, 1 to 64 characters of ASCII,
        /// such as `server_error`.
        case unknown(code: String)
        /// No answer came in time.
        case timedOut
        /// A value that the application passed is not usable.
        case invalidArgument(Explanation)
        /// The operating system failed.
        case system(Explanation)
    }

    /// Which of the outcomes this is.
    public var outcome: Outcome {
        switch self {
        case .cancelled: .cancel
        case .failed: .failure
        case .notInstalled: .notInstalled
        case .notConfigured: .notConfigured
        }
    }
}

extension AuthorizationError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .cancelled: "it was cancelled"
        case .failed(.identificationFailed): "the person was not recognised"
        case .failed(.unknown(let code)): "the other application failed: \(code)"
        case .failed(.timedOut): "no answer came in time"
        case .failed(.invalidArgument(let reason)), .failed(.system(let reason)): reason.phrase
        case .notInstalled: "the other application is not installed, or cannot run"
        case .notConfigured(let reason): reason.phrase
        }
    }
}
