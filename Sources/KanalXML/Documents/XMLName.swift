// SPDX-License-Identifier: Apache-2.0

/// The namespaces and names of signatures.
enum XMLName {
    /// XML Signature 1.1.
    static let signature = "http://www.w3.org/2000/09/xmldsig#"
    /// XAdES (ETSI TS 101 903).
    static let xades = "http://uri.etsi.org/01903/v1.3.2#"
    /// Web Services Security 1.0: the header with signatures.
    static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    /// Web Services Security 1.0: identifiers and times.
    static let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
    /// SOAP 1.1 and 1.2.
    static let envelopes = ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
    /// The prefix `xml`.
    static let xml = "http://www.w3.org/XML/1998/namespace"

    /// The value type of a token that is an X.509 certificate.
    static let certificateToken =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
    /// The encoding of such a token.
    static let base64Token =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
    /// The type of a reference to the signed properties of XAdES.
    static let signedProperties = "http://uri.etsi.org/01903#SignedProperties"
}
