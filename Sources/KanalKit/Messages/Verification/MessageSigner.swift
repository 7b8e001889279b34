// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto

/// A signer of a message.
public struct MessageSigner: Sendable, Equatable {
    /// The signer's certificate in DER.
    public let certificate: [UInt8]
    /// The time of signing that the signer states, in seconds since 1970; nil if not stated.
    public let signingTime: Int64?
    /// The reason why the certificate leads to no trusted one; nil if it does, and for a verifier with
    /// ``MessageVerifier/checksSignatureOnly``.
    public internal(set) var distrust: Distrust?
    /// The countersignatures: others have signed this signer's signature.
    public internal(set) var countersignatures: [Countersignature]
    /// The form of the signature; nil if it does not cover the name of the signer's certificate.
    public var level: SignatureLevel?
    /// The time stamps of the signature, also those that count for nothing (``TimeStamp/fault``).
    public var timeStamps: [TimeStamp] = []
    /// The last second, since 1970, at which a good time stamp lets the signature have been made; nil without such a stamp.
    /// ``distrust`` is about this time.
    public var provenTime: Int64?
    /// The path to a trusted certificate, at ``provenTime`` or else at the verifier's time; nil if none was found or asked for.
    @Uncompared var evidence: PathEvidence? = nil
    /// Whether it is also good without its time stamps, by the certificate's present state.
    var isGoodNow = true
    /// The time, in seconds since 1970, as of which a list or a response states that the certificate is not revoked; nil without one.
    public var statedTime: Int64?
}
