// SPDX-License-Identifier: Apache-2.0

/// The reason why a time stamp counts for nothing. Times are in seconds since 1970.
package enum TimeStampFault: Error, Sendable, Equatable {
    /// The reply or the stamp cannot be read.
    case malformed
    /// The authority did not stamp.
    case refused(Refusal)
    /// The stamp repeats a different nonce than the request had, or none: it belongs to another request.
    case wrongNonce
    /// The stamp is of other bytes, or by another hash function.
    case wrongImprint
    /// The stamp follows another policy than was asked for.
    case wrongPolicy
    /// The stamp's hash function or the authority's key or signature algorithm is weak or not known here.
    case weakAlgorithm
    /// The stamp is of this time, which is to come.
    case future(Int)
    /// The stamp is of this time, long before it was asked for.
    case past(Int)
    /// The certificate of the authority is missing, or differs from the certificate that the stamp names.
    case noCertificate
    /// The certificate is not for time stamps, or not for them alone, or its extended key usage is not critical.
    case notForTimeStamps([UInt8])
    /// The signature is wrong.
    case wrongSignature
    /// The stamp is, by its index of hashes, of a certificate, a list or an attribute that is not there.
    case wrongIndex
    /// The stamp is of a content whose digest by its hash function is not known.
    case notSupported
    /// The authority's certificate leads to no trusted one.
    case untrusted(PathFault)
    /// libcrypto ran out of memory or is missing.
    case failure(HostCryptoError)

    /// An authority's status that is not "granted" (RFC 3161, 2.4.2).
    package struct Refusal: Sendable, Equatable {
        /// PKIStatus.
        package let status: UInt8
        /// PKIFailureInfo, if it is known here.
        package let reason: Reason?
        /// The authority's own words.
        package let text: String?

        /// The numbers of the bits of PKIFailureInfo.
        package enum Reason: Int, Sendable, CaseIterable {
            case badAlgorithm = 0
            case badRequest = 2
            case badDataFormat = 5
            case timeNotAvailable = 14
            case unacceptedPolicy = 15
            case unacceptedExtension = 16
            case informationNotAvailable = 17
            case systemFailure = 25
        }
    }

    init(_ fault: SignerVerification.Fault?) {
        self =
            switch fault {
            case .certificate: .noCertificate
            case .signature, .content: .wrongSignature
            case .weakAlgorithm, .unannouncedHash: .weakAlgorithm
            case .noSigner, .attributes, .limit, .order, nil: .malformed
            }
    }
}
