// SPDX-License-Identifier: Apache-2.0
public import KanalKit

/// Verifies the signatures in XML documents. It needs no token.
///
/// A signature covers what its references name, and nothing else: a document with a good signature can have any other content
/// as well, and an attacker can have moved the signed element to where no reader looks for it. Name in ``elements`` what you are
/// going to read, or read only what ``XMLSignature/covered`` lists.
///
/// All signatures in a document must be good. References out of the document, transforms that compute, and Ids that two elements
/// have are refused. The time in a header of Web Services Security is not looked at.
public struct XMLVerifier: Sendable {
    /// Whose certificates are trusted, at which time, and by which lists. Further certificates are tried for signatures without one.
    public var trust: MessageVerifier
    /// The ways to elements that must be covered: `#ID`, `{namespace}name` at any depth, or from the root
    /// `/{namespace}name/{namespace}name[2]`. All elements that a way leads to are meant, and at least one must be there.
    public var elements: [String] = []

    /// The greatest number of certificates that are tried for a signature.
    private static let certificateLimit = 32

    /// - Parameter trust: Whose certificates are trusted.
    public init(_ trust: MessageVerifier) { self.trust = trust }

    /// Verifies all signatures of a document.
    ///
    /// - Parameter document: As in `Session.signedXML(_:by:form:)`.
    /// - Returns: The signatures, in the document's order: at least one.
    /// - Throws: ``XMLFault``; `KanalError`.
    public func verify(_ document: [UInt8]) async throws -> [XMLSignature] {
        let required = try elements.map { text throws(XMLFault) in (text, try ElementPath(text)) }
        let read = try await inThreadOfItsOwn { _ in
            try SignatureReader(document).signatures(covering: required)
        }
        var found: [XMLSignature] = []
        for signature in read { found.append(try await verify(signature)) }
        guard found.allSatisfy({ $0.distrust == nil }) else { throw XMLFault.untrusted(found) }
        return found
    }

    private func verify(_ signature: ReadSignature) async throws -> XMLSignature {
        var found: XMLSignature?
        // A renewed certificate can have the key of the former one.
        for signer in try await signers(of: signature) {
            let distrust =
                trust.checksSignatureOnly ? nil : try await trust.distrust(of: signer, knowing: signature.certificates)
            let result = XMLSignature(
                certificate: signer, signingTime: signature.properties?.signingTime, covered: signature.covered,
                distrust: distrust)
            if distrust == nil { return result }
            found = found ?? result
        }
        guard let found else { throw XMLFault.wrongCertificate }
        return found
    }

    /// The certificates with the key by which a signature is good, of those that it names.
    private func signers(of signature: ReadSignature) async throws -> [[UInt8]] {
        let own = trust.usesMessageCertificates ? signature.certificates : []
        let candidates = (own + trust.certificates + trust.trusted).prefix(Self.certificateLimit)
        var right: PublicKey?
        var signers: [[UInt8]] = []
        for certificate in candidates {
            guard let key = try? PublicKey(of: certificate), signature.method.isUsed(by: key.kind) else { continue }
            let isRight = if let right { right == key } else { try await isGood(signature, by: key) }
            guard isRight else { continue }
            right = key
            if !signers.contains(certificate) { signers.append(certificate) }
        }
        guard right != nil else {
            throw own.isEmpty && trust.certificates.isEmpty ? XMLFault.noCertificate : .wrongSignature
        }
        guard let properties = signature.properties else { return signers }
        let named = signers.filter { (try? properties.require($0)) != nil }
        if named.isEmpty, let first = signers.first { try properties.require(first) }
        return named
    }

    private func isGood(_ signature: ReadSignature, by key: PublicKey) async throws -> Bool {
        do {
            return try await key.verify(
                signature.value, of: ByteSource(signature.signed), algorithm: signature.method.algorithm)
        } catch KanalError.invalidArgument {
            // The key is too weak, or the signature has another length.
            return false
        }
    }
}
