// SPDX-License-Identifier: Apache-2.0

/// A path from a certificate to a trusted one, and with it the statements that its certificates are not revoked.
package struct PathEvidence: Sendable, Equatable {
    /// A statement that a certificate is not revoked, which was verified.
    package enum State: Sendable, Equatable {
        /// A list of the issuer's, in DER, and when it was made; nil if it states a later revocation.
        case list([UInt8], asOf: Int?)
        /// A BasicOCSPResponse in DER, the certificate of its signer, the issuer's own or a responder's, and when the
        /// answer was right; nil if it states a later revocation.
        case response([UInt8], signer: [UInt8], asOf: Int?)
    }

    /// A certificate of the path.
    package struct Link: Sendable, Equatable {
        /// In DER.
        package let certificate: [UInt8]
        /// nil if no statement was given, and for the last certificate, of which none is asked for.
        package let state: State?
    }

    /// The certificates from the first to the trusted one. Each was issued by the next.
    package let links: [Link]
}
