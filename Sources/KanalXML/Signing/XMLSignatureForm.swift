// SPDX-License-Identifier: Apache-2.0

/// How a document is signed.
public struct XMLSignatureForm: Sendable, Equatable {
    /// The standard that the signature follows beside XML Signature.
    public enum Profile: Sendable, CaseIterable {
        /// XML Signature alone.
        case plain
        /// SMEV 3, version 3.5.0.27 of its methodical recommendations: with its transform.
        case smev
        /// Web Services Security 1.0: in the header of a SOAP envelope, with the certificate in a token beside it.
        case webServices
        /// XAdES-BES, with the time of signing and the certificate's name among what is signed.
        case xades
    }

    /// The canonical form of the document and of the signature.
    public enum Canonical: Sendable, CaseIterable {
        /// Exclusive: what is signed can be taken over into another document.
        case exclusive
        /// Canonical XML 1.0.
        case inclusive
    }

    /// The part of KeyInfo, by which recipients find the key. Web Services Security has a token instead.
    public enum KeyInformation: Sendable, CaseIterable {
        /// The certificate.
        case certificate
        /// The certificate's issuer and number.
        case issuerAndNumber
        /// Nothing.
        case none
    }

    /// The standard that the signature follows.
    public var profile = Profile.plain
    /// The identifiers of the elements to sign; empty for the whole document, and with Web Services Security for the body.
    public var elements: [String] = []
    /// The element that the signature is put in: `#ID`, `{namespace}name`, or from the root
    /// `/{namespace}name/{namespace}name[2]`; nil for that which the profile has.
    public var place: String?
    /// The canonical form of what is signed, and of the signature's own part.
    public var canonical = Canonical.exclusive
    /// The names by which the signature calls algorithms of GOST.
    public var names = AlgorithmNames.cryptoPro
    /// The part by which recipients find the key.
    public var keyInformation = KeyInformation.certificate

    /// An enveloped signature of the whole document.
    public init() {}
}
