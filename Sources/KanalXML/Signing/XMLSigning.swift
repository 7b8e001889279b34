// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import KanalKit
import Secrets

/// A signature of a document, from its draft to its value.
struct XMLSigning {
    private let document: XMLDocument
    private let form: XMLSignatureForm
    private let method: SignatureMethod
    private let place: SignaturePlace
    private let placeNumber: Int
    /// What comes before the signature at its place: a token of Web Services Security.
    private let token: String
    private var markup: SignatureMarkup
    /// The elements that references name, in their order; nil for the document, and for properties of the signature.
    private let targets: [XMLElement?]

    /// - Throws: ``XMLFault``; `KanalError` for a key that cannot sign.
    init(_ bytes: [UInt8], _ form: XMLSignatureForm, _ certificate: [UInt8], kind: KeyKind) throws {
        document = try XMLDocument(bytes)
        self.form = form
        let identifiers = try Identifiers(document)
        let signed = try Self.signed(form, in: document, identifiers)
        place = try SignaturePlace(form, in: document, identifiers, signed: signed.map(\.element))
        placeNumber = try place.parent.number
        method = try SignatureMethod(of: kind)
        let digestMethod = try DigestMethod.identifier(of: method.digest, form.names)
        let canonical: Canonicalization = form.canonical == .exclusive ? .exclusive(prefixes: []) : .inclusive
        let signer = try SignerDescription(certificate)
        let unique = try Self.randomIdentifier()

        let whole = SignatureMarkup.Reference(uri: "", transforms: Self.transforms(form, canonical, isEnveloped: true))
        let place = place
        var references = signed.map { identifier, element in
            SignatureMarkup.Reference(
                uri: "#" + identifier,
                transforms: Self.transforms(form, canonical, isEnveloped: place.parent.isWithin(element)))
        }
        if references.isEmpty { references = [whole] }
        var targets: [XMLElement?] = signed.isEmpty ? [nil] : signed.map(\.element)
        let isToken = form.profile == .webServices
        var object = ""
        if form.profile == .xades {
            let properties = "properties-" + unique
            object = try signer.qualifyingProperties(
                of: "signature-" + unique, properties, method.digest, digestMethod, at: Int64(time(nil)))
            references.append(
                SignatureMarkup.Reference(
                    uri: "#" + properties, type: XMLName.signedProperties, transforms: [.canonical(canonical)]))
            targets.append(nil)
        }
        self.targets = targets
        token = isToken ? signer.token("token-" + unique) : ""
        markup = SignatureMarkup(
            identifier: form.profile == .xades ? "signature-" + unique : nil, canonical: canonical,
            method: try method.identifier(form.names), digestMethod: digestMethod, references: references,
            keyInformation: isToken
                ? SignerDescription.keyInformation(ofToken: "token-" + unique)
                : try signer.keyInformation(form.keyInformation), object: object)
    }

    /// The elements that are to be signed, by their identifiers.
    private static func signed(
        _ form: XMLSignatureForm, in document: XMLDocument, _ identifiers: Identifiers
    ) throws(XMLFault) -> [(identifier: String, element: XMLElement)] {
        var names = form.elements
        if form.profile == .webServices {
            let root = try document.root
            guard root.name == "Envelope", XMLName.envelopes.contains(root.namespace) else {
                throw .refused("the document is not a SOAP envelope, which Web Services Security signs")
            }
            if names.isEmpty { names = [try bodyIdentifier(of: root)] }
        }
        var found: [(identifier: String, element: XMLElement)] = []
        for name in names {
            guard let element = try identifiers.element(name) else { throw .noElement("#" + name) }
            found.append((name, element))
        }
        return found
    }

    private static func bodyIdentifier(of envelope: XMLElement) throws(XMLFault) -> String {
        let bodies = envelope.children("Body", envelope.namespace)
        guard bodies.count == 1, let body = bodies.first else { throw .noElement("{\(envelope.namespace)}Body") }
        let identifier = body.attributes.first { $0.name == "Id" && $0.namespace == XMLName.utility }?.value
        guard let identifier = identifier ?? body["Id"] ?? body["ID"] ?? body["id"], !identifier.isEmpty else {
            throw .refused("the body of the envelope has no wsu:Id, by which a signature could name it: give it one")
        }
        return identifier
    }

    private static func transforms(
        _ form: XMLSignatureForm, _ canonical: Canonicalization, isEnveloped: Bool
    ) -> [Transform] {
        (isEnveloped ? [.enveloped] : []) + [.canonical(canonical)] + (form.profile == .smev ? [.smev] : [])
    }

    private static func randomIdentifier() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        var span = bytes.mutableSpan
        try SystemRandom().fill(&span)
        return bytes.hexadecimal
    }

    /// The signed document.
    ///
    /// - Parameter sign: Signs the canonical bytes of what is signed, by the algorithm.
    mutating func document(
        signedBy sign: (_ bytes: [UInt8], _ algorithm: SigningAlgorithm) throws -> [UInt8]
    ) throws -> [UInt8] {
        let signature = try insert()
        guard let information = signature.children("SignedInfo", XMLName.signature).first else {
            throw XMLFault.malformedSignature("it has no SignedInfo")
        }
        let elements = information.children("Reference", XMLName.signature)
        for (index, (element, target)) in zip(elements, targets).enumerated() {
            let reference = markup.references[index]
            var top = target
            if reference.type != nil { top = try Identifiers(document).element(String(reference.uri.dropFirst())) }
            let (transforms, document) = (reference.transforms, document)
            let digest = try DigestMethod.digest(by: method.digest) { write in
                try transforms.apply(to: top, of: document, in: signature, write: write)
            }
            markup.references[index].digest = XMLText.base64(digest)
            try element.children("DigestValue", XMLName.signature).first?.set(text: XMLText.base64(digest))
        }
        let signed = try document.canonicalForm(of: information, by: markup.canonical)
        markup.value = XMLText.base64(try sign(signed, method.algorithm))
        return try place.document(document.bytes, with: text, inElement: placeNumber)
    }

    /// All that is put into the document.
    private var text: String { place.wrapper.start + token + markup.text + place.wrapper.end }

    /// Puts the signature into the document in memory.
    private func insert() throws(XMLFault) -> XMLElement {
        if place.wrapper.start.isEmpty {
            // What comes first is put in last, if it is to be the first of all.
            let parts = [token, markup.text].filter { !$0.isEmpty }
            let added = try (place.isFirst ? parts.reversed() : parts).map { part throws(XMLFault) in
                try place.parent.insert(part, isFirst: place.isFirst)
            }
            if let signature = added.first(where: { $0.isNamed("Signature", XMLName.signature) }) { return signature }
        } else {
            var signature: XMLElement?
            try place.parent.insert(text, isFirst: place.isFirst).forEach { element in
                if element.isNamed("Signature", XMLName.signature) { signature = element }
                return signature == nil
            }
            if let signature { return signature }
        }
        throw .malformedSignature("it is not in the document")
    }
}
