// SPDX-License-Identifier: Apache-2.0

/// The text of a signature, before its values are known or with them.
struct SignatureMarkup {
    /// A part of what is signed.
    struct Reference {
        /// `#ID`, or empty for the document.
        let uri: String
        var type: String?
        let transforms: [Transform]
        /// In base64.
        var digest = ""
    }

    /// The identifier of the signature, if something refers to it.
    var identifier: String?
    let canonical: Canonicalization
    let method: String
    let digestMethod: String
    var references: [Reference]
    /// In base64.
    var value = ""
    /// KeyInfo; empty for none.
    let keyInformation: String
    /// An Object; empty for none.
    var object = ""

    var text: String {
        let name = identifier.map { " Id=\"\($0)\"" } ?? ""
        let references = references.map(text(of:)).joined()
        return """
            <ds:Signature xmlns:ds="\(XMLName.signature)"\(name)><ds:SignedInfo>\
            <ds:CanonicalizationMethod Algorithm="\(canonical.identifier)"/>\
            <ds:SignatureMethod Algorithm="\(method)"/>\(references)</ds:SignedInfo>\
            <ds:SignatureValue>\(value)</ds:SignatureValue>\(keyInformation)\(object)</ds:Signature>
            """
    }

    private func text(of reference: Reference) -> String {
        let type = reference.type.map { " Type=\"\($0)\"" } ?? ""
        let transforms = reference.transforms.map { "<ds:Transform Algorithm=\"\($0.identifier)\"/>" }.joined()
        return """
            <ds:Reference\(type) URI="\(XMLText.escaped(reference.uri))"><ds:Transforms>\(transforms)</ds:Transforms>\
            <ds:DigestMethod Algorithm="\(digestMethod)"/><ds:DigestValue>\(reference.digest)</ds:DigestValue>\
            </ds:Reference>
            """
    }
}
