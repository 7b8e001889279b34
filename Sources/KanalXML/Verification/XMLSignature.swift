// SPDX-License-Identifier: Apache-2.0
public import KanalKit

/// A signature of a document, which is good.
public struct XMLSignature: Sendable, Equatable {
    /// The signer's certificate in DER.
    public let certificate: [UInt8]
    /// The time of signing that the signer states (XAdES), in seconds since 1970; nil if not stated.
    public let signingTime: Int64?
    /// The elements that it covers. Everything else in the document may be of any author.
    public let covered: [CoveredElement]
    /// Why the certificate leads to no trusted one; nil if it does, or if that was not asked for.
    public let distrust: Distrust?

    /// Whether the signature is good now.
    public var verdict: Verdict { distrust?.reason.verdict ?? .good }
}
