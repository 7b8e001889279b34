// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// A step from what a reference names to the bytes whose digest is signed.
///
/// All others are refused: a transform decides what is signed, and one that computes could sign something else.
enum Transform: Equatable {
    /// Leaves the signature out.
    case enveloped
    case canonical(Canonicalization)
    /// The form of the system of interdepartmental electronic interaction, version 3 (SMEV 3).
    case smev

    /// The greatest number of prefixes of an exclusive form: `PREFIXES` of `CXML`.
    private static let prefixLimit = 64
    private static let envelopedIdentifier = XMLName.signature + "enveloped-signature"
    private static let smevIdentifier = "urn://smev-gov-ru/xmldsig/transform"

    var identifier: String {
        switch self {
        case .enveloped: Self.envelopedIdentifier
        case .canonical(let form): form.identifier
        case .smev: Self.smevIdentifier
        }
    }

    /// Reads an element with an algorithm: a transform, or a method of canonicalization.
    ///
    /// - Throws: ``XMLFault/unknownTransform(_:)``; ``XMLFault/malformedSignature(_:)``.
    init(_ element: XMLElement) throws(XMLFault) {
        guard let identifier = element["Algorithm"] else {
            throw .malformedSignature("a transform has no algorithm")
        }
        let children = element.children
        var prefixes: [String] = []
        if let list = children.first {
            guard children.count == 1, list.isNamed("InclusiveNamespaces", Canonicalization.exclusiveIdentifier),
                identifier.hasPrefix(Canonicalization.exclusiveIdentifier)
            else { throw .unknownTransform("\(identifier) \(list.name)") }
            prefixes = (list["PrefixList"] ?? "").split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
                .map(String.init)
            guard prefixes.count <= Self.prefixLimit else {
                throw .refused("a transform has more than \(Self.prefixLimit) prefixes")
            }
        }
        switch identifier {
        case Self.envelopedIdentifier: self = .enveloped
        case Self.smevIdentifier: self = .smev
        default:
            guard let form = Canonicalization(identifier, prefixes: prefixes) else {
                throw .unknownTransform(identifier)
            }
            self = .canonical(form)
        }
    }
}

extension [Transform] {
    /// The greatest number of transforms of a reference.
    static var limit: Int { 4 }

    /// Writes the bytes whose digest a reference has.
    ///
    /// - Parameters:
    ///   - top: The element that the reference names; nil for the document.
    ///   - signature: The signature that the reference is in.
    /// - Throws: ``XMLFault``.
    func apply(
        to top: XMLElement?, of document: XMLDocument, in signature: XMLElement, write: (Span<UInt8>) -> Void
    ) throws(XMLFault) {
        var (document, top, without): (XMLDocument, XMLElement?, XMLElement?) = (document, top, nil)
        var rest = self[...]
        if rest.first == .enveloped {
            without = signature
            rest = rest.dropFirst()
        }
        // Without a last one, parts of documents are written in the inclusive form (XML Signature, 4.4.3.2).
        guard let last = rest.popLast() else {
            return try document.canonicalize(top, without: without, by: .inclusive, write: write)
        }
        for transform in rest {
            let bytes = try transform.bytes(of: document, top, without: without)
            document = try XMLDocument(bytes)
            (top, without) = (nil, nil)
        }
        guard case .canonical(let form) = last else {
            let bytes = try last.bytes(of: document, top, without: without)
            return write(bytes.span)
        }
        try document.canonicalize(top, without: without, by: form, write: write)
    }
}

extension Transform {
    fileprivate func bytes(
        of document: XMLDocument, _ top: XMLElement?, without: XMLElement?
    ) throws(XMLFault) -> [UInt8] {
        switch self {
        case .canonical(let form): return try document.canonicalForm(of: top, without: without, by: form)
        case .smev:
            // It reads bytes: parts of documents are written in the inclusive form for it.
            let bytes = try document.canonicalForm(of: top, without: without, by: .inclusive)
            return try SMEVTransform.bytes(of: try XMLDocument(bytes).root)
        case .enveloped:
            // Behind another transform the signature cannot be told from other elements any more.
            throw .unknownTransform("\(identifier) behind another transform")
        }
    }
}
