// SPDX-License-Identifier: Apache-2.0

/// The authority of a time stamp that counts.
package struct StampAuthority: Sendable, Equatable {
    /// In DER.
    package let certificate: [UInt8]
    /// The path to a trusted certificate at the time of the stamp; nil if none was asked for.
    package let evidence: PathEvidence?
}
