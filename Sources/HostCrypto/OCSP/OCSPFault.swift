// SPDX-License-Identifier: Apache-2.0

/// The reason why a response about a certificate's revocation counts for nothing. Times are in seconds since 1970.
package enum OCSPFault: Error, Sendable, Equatable {
    /// The response cannot be read.
    case malformed
    /// The responder did not answer the question.
    case refused(Refusal)
    /// The response is about other certificates.
    case wrongCertificate
    /// The response repeats a different nonce than the request had: it belongs to another request.
    case wrongNonce
    /// The response states the certificate's state from this time on only.
    case notYetValid(Int)
    /// A newer response was due at this time.
    case outdated(Int)
    /// The signer is neither the certificate's issuer nor has it the issuer's right to answer.
    case unauthorizedResponder
    /// The signature is wrong, or by a weak hash function or key.
    case wrongSignature
    /// libcrypto ran out of memory or is missing.
    case failure(HostCryptoError)

    /// OCSPResponseStatus (RFC 6960, 4.2.1).
    package enum Refusal: UInt8, Sendable {
        case malformedRequest = 1
        case internalError = 2
        case tryLater = 3
        case signatureRequired = 5
        case unauthorized = 6
    }
}
