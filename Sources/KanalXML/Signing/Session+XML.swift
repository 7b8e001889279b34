// SPDX-License-Identifier: Apache-2.0
public import KanalKit

extension Session {
    /// Signs an XML document with the key of a certificate.
    ///
    /// The host computes digests and canonical forms, by libxml2. The document's bytes outside the signature stay as they were.
    /// The signature covers the whole document or elements of it, as the form says: ``XMLVerifier`` shows which.
    ///
    /// - Parameters:
    ///   - document: In UTF-8, windows-1251, KOI8-R or ISO 8859, of at most 64 MiB, without a document type. No entity is
    ///     resolved, and nothing is read from elsewhere.
    ///   - certificate: The signer's. Its private key is on the token: of GOST, RSA or ECDSA on P-256.
    ///   - form: What is signed, and how.
    /// - Returns: The document with the signature in it.
    /// - Throws: ``XMLFault``; `KanalError`.
    public func signedXML(
        _ document: [UInt8], by certificate: TokenCertificate, form: XMLSignatureForm = XMLSignatureForm()
    ) throws -> [UInt8] {
        let key = try keyPair(of: certificate)
        var signing = try XMLSigning(document, form, certificate.value, kind: key.kind)
        return try signing.document { bytes, algorithm in try sign(bytes.span, with: key, algorithm: algorithm) }
    }
}
