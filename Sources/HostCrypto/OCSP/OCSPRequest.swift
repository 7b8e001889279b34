// SPDX-License-Identifier: Apache-2.0

import GOST

/// A request for the state of one certificate (RFC 6960, 4.1), without a signature.
package struct OCSPRequest: Sendable {
    /// The OCSPRequest in DER.
    package let der: [UInt8]

    /// - Parameters:
    ///   - certificate: The certificate in question, in DER.
    ///   - issuer: The certificate of its issuer, in DER.
    ///   - nonce: 1 to 32 random bytes (RFC 9654, 2.1), which the response should repeat; none for a response that may be
    ///     made beforehand.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a certificate that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    package init(_ certificate: [UInt8], issuer: [UInt8], nonce: [UInt8] = []) throws(HostCryptoError) {
        // Responders need know no hash function but SHA-1 (RFC 5019, 2.1.1): the digests find a certificate, and prove nothing.
        let identifier = try OCSPCertificateID(
            Certificate(der: certificate.span), issuer: Certificate(der: issuer.span), .sha1)
        let list = DERTag.sequence.element(DERTag.sequence.element(identifier.der))
        var extensions: [UInt8] = []
        if !nonce.isEmpty {
            let value = DERTag.octetString.element(DERTag.octetString.element(nonce))
            let all = DERTag.sequence.element(DERTag.sequence.element(Self.nonceType + value))
            extensions = DERTag.context2.element(all)
        }
        der = DERTag.sequence.element(DERTag.sequence.element(list + extensions))
    }

    /// id-pkix-ocsp-nonce.
    static let nonceType: [UInt8] = pkixOCSP(2)

    /// 1.3.6.1.5.5.7.48.1 and an arc, in DER.
    static func pkixOCSP(_ arc: UInt8) -> [UInt8] { [0x06, 9, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, arc] }
}
