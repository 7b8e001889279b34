// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import KanalKit

/// Reads the signatures of a document, and compares the digests of what they name.
struct SignatureReader {
    private let document: XMLDocument
    private let identifiers: Identifiers

    private static let referenceLimit = 32
    /// A reference, and what it names.
    private struct Reference {
        let identifier: String?
        /// nil for the document.
        let target: XMLElement?
        let transforms: [Transform]
        let isOfProperties: Bool
    }

    /// - Throws: ``XMLFault``.
    init(_ bytes: [UInt8]) throws(XMLFault) {
        document = try XMLDocument(bytes)
        identifiers = try Identifiers(document)
        guard !identifiers.signatures.isEmpty else { throw .noSignature }
        // Each reference has a canonical form, and each visit of a large document lasts.
        var count = 0
        for signature in identifiers.signatures {
            for information in signature.children("SignedInfo", XMLName.signature) {
                count += information.children("Reference", XMLName.signature).count
            }
        }
        guard count <= Markup.formLimit / document.longestForm else {
            throw .refused("the document has \(count) references, which are too many for one of its size")
        }
    }

    /// The signatures, each of whose references is right.
    ///
    /// - Parameter required: Ways to elements that must be covered.
    /// - Throws: ``XMLFault``; `KanalError`.
    func signatures(covering required: [(text: String, path: ElementPath)]) throws -> [ReadSignature] {
        var all: [(signature: XMLElement, reference: Reference)] = []
        let found = try identifiers.signatures.map { signature in
            let (result, references) = try self.read(signature)
            all += references.map { (signature, $0) }
            return result
        }
        for (text, path) in required {
            let elements = try path.elements(in: document, identifiers)
            guard !elements.isEmpty else { throw XMLFault.noElement(text) }
            let areCovered = elements.allSatisfy { element in
                all.contains { signature, reference in
                    guard reference.target.map(element.isWithin) ?? true else { return false }
                    return !reference.transforms.contains(.enveloped) || !element.isWithin(signature)
                }
            }
            guard areCovered else { throw XMLFault.notCovered(text) }
        }
        return found
    }

    private func read(_ signature: XMLElement) throws -> (ReadSignature, [Reference]) {
        var children = signature.children[...]
        guard let information = children.popFirst(), information.isNamed("SignedInfo", XMLName.signature),
            let value = children.popFirst(), value.isNamed("SignatureValue", XMLName.signature)
        else { throw XMLFault.malformedSignature("SignedInfo and SignatureValue do not come first in it") }
        guard !information.hasRemarks else {
            throw XMLFault.malformedSignature("SignedInfo has a comment or a processing instruction in it")
        }
        var keyInformation: XMLElement?
        if let next = children.first, next.isNamed("KeyInfo", XMLName.signature) {
            keyInformation = next
            children = children.dropFirst()
        }
        guard children.allSatisfy({ $0.isNamed("Object", XMLName.signature) }) else {
            throw XMLFault.malformedSignature("it has parts that do not belong to a signature")
        }
        guard let bytes = value.text.flatMap(XMLText.bytes(ofBase64:)) else {
            throw XMLFault.malformedSignature("SignatureValue is not in base64")
        }

        var parts = information.children[...]
        guard let canonical = parts.popFirst(), canonical.isNamed("CanonicalizationMethod", XMLName.signature),
            let method = parts.popFirst(), method.isNamed("SignatureMethod", XMLName.signature), !parts.isEmpty
        else { throw XMLFault.malformedSignature("SignedInfo has no method or no reference") }
        let signatureMethod = try SignatureMethod(method)
        let canonicalization = try Transform(canonical)
        guard case .canonical(let form) = canonicalization else {
            throw XMLFault.unknownTransform(canonicalization.identifier)
        }
        guard parts.allSatisfy({ $0.isNamed("Reference", XMLName.signature) }) else {
            throw XMLFault.malformedSignature("SignedInfo has parts that do not belong there")
        }
        guard parts.count <= Self.referenceLimit else {
            throw XMLFault.refused("a signature has more than \(Self.referenceLimit) references")
        }
        let references = try parts.map { try reference($0, in: signature) }
        guard !references.allSatisfy(\.isOfProperties) else {
            throw XMLFault.malformedSignature("it covers nothing but its own properties")
        }
        let properties = try references.first(where: \.isOfProperties)?.target.map { target throws(XMLFault) in
            try SignedProperties(target)
        }
        let read = ReadSignature(
            method: signatureMethod, signed: try document.canonicalForm(of: information, by: form),
            value: bytes, certificates: try certificates(keyInformation),
            covered: references.filter { !$0.isOfProperties }.map { reference in
                CoveredElement(
                    identifier: reference.identifier, path: reference.target.map(ElementPath.text(to:)) ?? "/")
            }, properties: properties)
        return (read, references)
    }

    /// Reads a reference, and compares its digest.
    private func reference(_ element: XMLElement, in signature: XMLElement) throws -> Reference {
        var parts = element.children[...]
        var transforms: [Transform] = []
        if let list = parts.first, list.isNamed("Transforms", XMLName.signature) {
            parts = parts.dropFirst()
            transforms = try list.children.map { transform throws(XMLFault) in
                guard transform.isNamed("Transform", XMLName.signature) else {
                    throw .malformedSignature("a reference has parts that do not belong there")
                }
                return try Transform(transform)
            }
            guard transforms.count <= [Transform].limit else {
                throw XMLFault.refused("a reference has more than \([Transform].limit) transforms")
            }
        }
        guard parts.count == 2, let method = parts.popFirst(), method.isNamed("DigestMethod", XMLName.signature),
            let value = parts.popFirst(), value.isNamed("DigestValue", XMLName.signature),
            let expected = value.text.flatMap(XMLText.bytes(ofBase64:))
        else { throw XMLFault.malformedSignature("a reference has no digest, or parts that do not belong there") }

        guard let uri = element["URI"] else { throw XMLFault.foreignReference("something that it does not name") }
        let identifier = uri.isEmpty ? nil : uri.hasPrefix("#") ? String(uri.dropFirst()) : nil
        guard uri.isEmpty || (identifier != nil && identifier?.hasPrefix("xpointer(") == false) else {
            throw XMLFault.foreignReference(uri)
        }
        let target = try identifier.map { identifier throws(XMLFault) in
            guard let target = try identifiers.element(identifier) else { throw .noElement(uri) }
            return target
        }
        if let target, transforms.contains(.enveloped), target.isWithin(signature) {
            throw XMLFault.malformedSignature("a reference leaves out what it names")
        }
        let (document, steps) = (document, transforms)
        let digest = try DigestMethod.digest(by: try DigestMethod.digest(method)) { write in
            try steps.apply(to: target, of: document, in: signature, write: write)
        }
        guard digest == expected else { throw XMLFault.wrongDigest(uri) }
        // Only properties of this signature are its signer's.
        let isOfProperties =
            target.map { $0.isNamed("SignedProperties", XMLName.xades) && $0.isWithin(signature) } ?? false
        return Reference(
            identifier: identifier, target: target, transforms: transforms, isOfProperties: isOfProperties)
    }

    /// The certificates that come with a signature.
    private func certificates(_ keyInformation: XMLElement?) throws(XMLFault) -> [[UInt8]] {
        guard let keyInformation else { return [] }
        var found: [[UInt8]] = []
        for data in keyInformation.children("X509Data", XMLName.signature) {
            for certificate in data.children("X509Certificate", XMLName.signature) {
                found.append(try Self.certificate(certificate))
            }
        }
        for token in keyInformation.children("SecurityTokenReference", XMLName.security) {
            for reference in token.children("Reference", XMLName.security) {
                guard let uri = reference["URI"], uri.hasPrefix("#"),
                    let token = try identifiers.element(String(uri.dropFirst())),
                    token.isNamed("BinarySecurityToken", XMLName.security),
                    token["ValueType"] == XMLName.certificateToken
                else { throw .malformedSignature("its security token is not in the document, or no certificate") }
                found.append(try Self.certificate(token))
            }
        }
        return found
    }

    private static func certificate(_ element: XMLElement) throws(XMLFault) -> [UInt8] {
        guard let bytes = element.text.flatMap(XMLText.bytes(ofBase64:)), (try? CertificateSummary(of: bytes)) != nil
        else { throw .malformedSignature("its certificate cannot be read") }
        return bytes
    }
}
