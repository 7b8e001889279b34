// SPDX-License-Identifier: Apache-2.0
public import KanalKit
package import Translation

/// The reason why a document is not signed, or its signatures are not accepted.
public enum XMLFault: Error, Sendable, Equatable {
    /// libxml2 is not on the machine.
    case libraryMissing
    /// The document is not well-formed, for this reason.
    case notXML(Explanation)
    /// The document is not read, for this reason: it has a DTD, is too large, or in another encoding.
    case refused(Explanation)
    /// Two elements have this identifier, so that readers may take one for the other.
    case ambiguousIdentifier(String)
    /// A text that should lead to elements does not have the form for it.
    case malformedPath(String)
    /// No element of the document is meant by this text.
    case noElement(String)
    /// More than one element is meant by this text.
    case severalElements(String)
    /// The document has no signature.
    case noSignature
    /// A signature is not as its standard says, for this reason.
    case malformedSignature(Explanation)
    /// An algorithm is not known, or too weak to be accepted.
    case unknownAlgorithm(String)
    /// A transform is not among those that are allowed.
    case unknownTransform(String)
    /// A reference leads out of the document.
    case foreignReference(String)
    /// What a reference names is not what was signed.
    case wrongDigest(String)
    /// A signature is wrong.
    case wrongSignature
    /// The certificate of a signature is neither in it nor passed by the application.
    case noCertificate
    /// The signature names another certificate than that by which it is good.
    case wrongCertificate
    /// The elements that this path leads to are not, or not all, covered by a signature.
    case notCovered(String)
    /// The signatures are good, and at least one has a certificate that leads to no trusted one.
    case untrusted([XMLSignature])
}

extension XMLFault: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .libraryMissing:
            "libxml2 cannot be loaded, which reads XML: install the package libxml2 (libxml2-16 on newer systems)"
        case .notXML(let reason): "the document is not well-formed XML: \(reason.phrase)"
        case .refused(let reason): reason.phrase
        case .ambiguousIdentifier(let identifier):
            "several elements have the Id \(identifier): readers could take one for the other that was signed"
        case .malformedPath(let text):
            """
            \(text) is not a path to elements: use #ID, {namespace}name, or from the root \
            /{namespace}name/{namespace}name[2]
            """
        case .noElement(let text): "the document has no element \(text)"
        case .severalElements(let text): "the document has several elements \(text): name one by its path or Id"
        case .noSignature: "the document has no signature in it"
        case .malformedSignature(let reason): "the signature cannot be read: \(reason.phrase)"
        case .unknownAlgorithm(let name): "the algorithm \(name) is unknown here, or too weak to mean anything"
        case .unknownTransform(let name): "the transform \(name) is not allowed: it could hide what was signed"
        case .foreignReference(let reference):
            "the signature is about \(reference), which is not in the document: such references are not followed"
        case .wrongDigest(""): "the document was changed after it was signed"
        case .wrongDigest(let reference): "the element \(reference) was changed after it was signed"
        case .wrongSignature: "the signature is wrong"
        case .noCertificate: "the signature has no certificate with it: pass the signer's with --certificate"
        case .wrongCertificate: "the signature names another certificate than that which it was made with"
        case .notCovered(let path): "no signature covers all of \(path)"
        case .untrusted(let signatures):
            signatures.compactMap(\.distrust).reduce(
                "the signatures are good, but a signer's certificate leads to no trusted one"
            ) { text, distrust in "\(text); \(distrust.explanation)" }
        }
    }

    /// Why the document is not accepted: because it is wrong, or because that cannot be known.
    public var verdict: Verdict {
        switch self {
        case .libraryMissing, .noCertificate: .unknown
        case .untrusted(let signatures): signatures.map(\.verdict).max() ?? .unknown
        default: .wrong
        }
    }
}
