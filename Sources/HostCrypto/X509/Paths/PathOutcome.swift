// SPDX-License-Identifier: Apache-2.0

/// The result of the search for a path from one certificate.
package enum PathOutcome: Sendable, Equatable {
    case found(PathEvidence)
    /// The reason why no path was found.
    case notFound(PathFault)

    package var evidence: PathEvidence? { if case .found(let evidence) = self { evidence } else { nil } }
    package var fault: PathFault? { if case .notFound(let fault) = self { fault } else { nil } }
}
