// SPDX-License-Identifier: Apache-2.0

/// The reason why no path leads from a certificate to a trusted one: the certificate of the path that is at fault.
package struct PathFault: Sendable, Equatable {
    /// Times are in seconds since 1970.
    package enum Reason: Sendable, Equatable {
        /// It was valid until then.
        case expired(Int)
        /// It is valid from then on.
        case notYetValid(Int)
        /// A list names it as revoked; nil for a time that cannot be read.
        case revoked(Int?)
        /// No list states that it is not revoked.
        case listMissing
        /// The list that states so was to be replaced then.
        case listOutdated(Int)
        /// It is not meant for signing messages.
        case notForSigning
        /// Its key is weak or not known here, or it has critical extensions that are not heeded.
        case notUnderstood
        /// It is neither trusted nor issued by one of the other certificates.
        case unknownIssuer
        /// The path is too long, or is not over all the certificates that the signer has named.
        case noPath
    }

    package let reason: Reason
    /// In DER.
    package let certificate: [UInt8]

    init(_ reason: Reason, _ certificate: [UInt8]) { (self.reason, self.certificate) = (reason, certificate) }
}

/// The causes that end the ways of a search. The causes of a way that has come far are more specific.
struct PathCauses {
    /// The most specific cause, of several the first seen.
    private(set) var first: PathFault?
    /// A certificate without an issuer that counts, and one of the issuer's name that does not.
    var unusableIssuer: (PathCandidate, PathCandidate)?

    mutating func add(_ reason: PathFault.Reason, _ candidate: PathCandidate) {
        guard first.map({ $0.reason.weight < reason.weight }) ?? true else { return }
        first = PathFault(reason, candidate.certificate.der)
    }
}

extension PathFault.Reason {
    /// Whether a statement about the revocation is missing, or out of date.
    var isOfMissingStatement: Bool {
        switch self {
        case .listMissing, .listOutdated: true
        default: false
        }
    }

    fileprivate var weight: Int {
        switch self {
        case .unknownIssuer: 0
        case .noPath: 1
        case .notUnderstood, .notForSigning: 2
        case .expired, .notYetValid: 3
        case .listMissing, .listOutdated: 4
        case .revoked: 5
        }
    }
}
