// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Locking

/// Raises signed messages to forms that stay good when the signers' certificates have ended. All bytes of a message stay but
/// lengths; additions are not signed by its signers. No token is needed.
public struct MessageRaiser: Sendable {
    /// The form that a message is raised to.
    public enum Form: Sendable {
        /// CAdES-T: an authority stamps each signature (RFC 5126, 4.4.1).
        case t
        /// CAdES-X Long type 1 (RFC 5126, 4.4.3.1 and 4.4.3.3): with the certificates of the path, and the lists and responses
        /// that state that none of them was revoked, and a stamp over all of these.
        case xLongType1
    }

    /// Whose messages are raised. For X Long type 1 it must know, or fetch by ``MessageVerifier/online``, a list or a response
    /// about each certificate of each path.
    public var verifier: MessageVerifier
    /// The authority that stamps. For X Long type 1 its own verifier must know, or fetch, the same of the authority.
    public var authority: TimeStampAuthority

    /// - Parameters:
    ///   - verifier: Whose messages are raised.
    ///   - authority: The authority that stamps.
    public init(trusting verifier: MessageVerifier, stampedBy authority: TimeStampAuthority) {
        (self.verifier, self.authority) = (verifier, authority)
    }

    /// Raises a message. Signers who have the form stay as they are.
    ///
    /// All signatures are verified before, and each signer's certificate must lead to a trusted one.
    ///
    /// - Parameters:
    ///   - message: The message. Cancelling the task ends the work between two pieces of it, or of the content, with
    ///     ``KanalError/cancelled``.
    ///   - output: Receives the next bytes of the message. It is called in a thread that may block. If the work ends
    ///     with an error, its output is not a message.
    /// - Throws: ``KanalError/messageRefused(_:)``, with ``MessageFault/hasForm`` if all signers have the form;
    ///   ``KanalError/timeStampRefused(_:)``; what `output`, the transports and the sources throw.
    public func raise(
        _ message: ExistingMessage, to form: Form, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        guard !verifier.checksSignatureOnly, !authority.verifier.checksSignatureOnly else {
            throw KanalError.invalidArgument("a message is raised only if certificates are trusted")
        }
        let reading = MessageReading(message, signing: [])
        let (hashed, parts, _) = try await inThreadOfItsOwn { isCancelled in try reading.hashed(unless: isCancelled) }
        var asking = verifier
        asking.certificates += message.certificates
        if form == .xLongType1 { asking.revocationCheck = .all }
        let verifying = asking
        let signers = try await verifying.inRounds { store throws(KanalError) in
            try verifying.signers(of: hashed, store)
        }
        var added = AddedSignatures()
        for (place, signer) in signers.enumerated() {
            added.add(try await attributes(of: hashed.message.signers[place], signer, form), to: place)
        }
        guard !added.isEmpty else { throw KanalError.messageRefused(.hasForm) }
        let addition = added
        try await inThreadOfItsOwn { isCancelled in
            try reading.write(parts, hashed.digests, adding: addition, to: output, unless: isCancelled)
        }
    }

    /// The attributes that a signer lacks for a form.
    private func attributes(
        of signer: SignedData.Signer, _ verified: MessageSigner, _ form: Form
    ) async throws -> [[UInt8]] {
        let isLong = form == .xLongType1
        if isLong {
            let present = try asMessage { () throws(HostCryptoError) in try signer.longTermAttributes }
            if present.isSuperset(of: LongTermAttribute.ofXLongType1) { return [] }
            guard present.isDisjoint(with: LongTermAttribute.ofXLongType1) else {
                throw KanalError.messageRefused(.hasPartOfForm)
            }
        }
        var attributes: [[UInt8]] = []
        var stamps = verified.timeStamps.filter { $0.kind == .signature && $0.fault == nil }
        if stamps.isEmpty {
            let (token, stamp) = try await stamp(signer.signature, signer.digest, isLong)
            attributes.append(LongTermAttribute.signatureTimeStamp.der(token))
            stamps = [stamp]
        }
        guard isLong else { return attributes }
        let links = verified.evidence?.links ?? []
        attributes += try onHost { () throws(HostCryptoError) in
            let authorities = try CertificateReferences(links.dropFirst().map(\.certificate), by: signer.digest)
            let states = try RevocationReferences(links.map(\.state), by: signer.digest)
            return [
                LongTermAttribute.certificateReferences.der(authorities.der),
                LongTermAttribute.revocationReferences.der(states.der),
            ]
        }
        let stamped = attributes
        let bytes = try asMessage { () throws(HostCryptoError) in
            try signer.stampedBytes(by: .signatureAndReferencesTimeStamp, adding: stamped)
        }
        let (token, stamp) = try await stamp(bytes, signer.digest, true)
        attributes.append(LongTermAttribute.signatureAndReferencesTimeStamp.der(token))
        let evidence = ([verified.evidence] + (stamps + [stamp]).map(\.evidence)).compactMap(\.self)
        attributes.append(LongTermAttribute.certificateValues.der(CertificateValues(evidence).der))
        attributes.append(LongTermAttribute.revocationValues.der(RevocationValues(evidence).der))
        return attributes
    }

    /// Has bytes stamped.
    ///
    /// - Parameter isProven: Whether the authority's certificates must be stated not to be revoked.
    /// - Returns: The token, and the stamp with its evidence.
    private func stamp(
        _ bytes: [UInt8], _ digest: DigestAlgorithm, _ isProven: Bool
    ) async throws -> (token: [UInt8], stamp: TimeStamp) {
        let token = try await authority.token(of: bytes, digest)
        var verifier = authority.verifier
        if isProven { verifier.revocationCheck = .all }
        let rest = Lock<[UInt8]?>(bytes)
        let source = ByteSource(length: bytes.count) { rest.withLock { $0.take() } }
        return (token, try await verifier.verify(timeStamp: token, of: source))
    }
}
