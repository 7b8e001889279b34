// SPDX-License-Identifier: Apache-2.0

/// A signature whose references are right, and whose value is still to be verified.
struct ReadSignature: Sendable {
    let method: SignatureMethod
    /// The canonical bytes that are signed.
    let signed: [UInt8]
    let value: [UInt8]
    /// Those that came with it, in DER, unverified.
    let certificates: [[UInt8]]
    let covered: [CoveredElement]
    /// The signed properties of XAdES; nil without them.
    let properties: SignedProperties?
}
