// SPDX-License-Identifier: Apache-2.0

import Secrets

/// Why a GOST primitive refused its input or could not do its work.
package enum GOSTError: Error, Sendable, Equatable {
    /// A key of the wrong length.
    case invalidKeyLength
    /// An initialisation vector of the wrong length.
    case invalidIVLength
    /// Data, a digest or an output of a length that the primitive does not take.
    case invalidLength
    /// A parameter outside the range that its standard allows.
    case invalidParameter
    /// Coordinates that are not reduced, not on the curve, or not in the subgroup of order q.
    case invalidPoint
    /// A private scalar outside 1…q − 1.
    case invalidScalar
    /// A MAC or tag that does not belong to the data under this key.
    case authenticationFailed
    /// Malformed DER.
    case invalidEncoding
    /// The operating system could not deliver random bytes.
    case randomUnavailable
    /// Out of memory for a computation on a curve. A later call may succeed.
    case outOfMemory
    /// A curve that nothing here computes on, or a failure that no input explains.
    case libraryFailure
}
