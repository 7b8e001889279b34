// SPDX-License-Identifier: Apache-2.0

import GOST

/// The search for paths to trusted certificates at one time, for any number of certificates.
///
/// Every certificate is read once and found by its name. The sender of a message chooses its certificates: so the number of
/// verified signatures is limited, and so is the number of certificates that are tried for a signer or an issuer,
/// for all can have one name. Beyond a limit no path is found any more.
package final class PathSearch {
    /// A list, and a certificate that may have signed it.
    struct ListSigner: Hashable {
        let list, signer: ObjectIdentifier
    }

    let store: TrustStore
    let time: Int
    /// The time up to which lists and responses may be made, ``time`` or later.
    let knownUntil: Int
    let purpose: PathPurpose
    /// Lists from before ``knownUntil``, by their issuers.
    let lists: [[UInt8]: [RevocationList]]
    let responses: [OCSPResponse]
    /// Whether the certificate's key has signed the list, as far as that is known.
    var listSigners: [ListSigner: Bool] = [:]
    private var known: Set<Octets> = []
    private var bySubject: [[UInt8]: [PathCandidate]] = [:]
    /// By each name that a signer can give them.
    private var byIdentifier: [SignerIdentifier: [PathCandidate]] = [:]
    /// The candidates of each name that may issue certificates.
    private var authorities: [[UInt8]: [PathCandidate]] = [:]
    private let signatureLimit: Int
    /// The causes that have ended ways of the present search.
    private var causes = PathCauses()
    /// The number of verified signatures.
    private(set) var signatureCount = 0
    /// The number of certificates that were looked at for a signer or an issuer, each as often as that was.
    private(set) var stepCount = 0

    /// The greatest number of certificates between the first and the trusted one.
    private static let maximumLength = 8

    /// - Parameters:
    ///   - further: Certificates in DER that help to find a way. Unreadable certificates are ignored.
    ///   - time: In seconds since 1970.
    ///   - knownUntil: The later time at which one looks back at it, if it is a past one: what was revoked in between was
    ///     not revoked at the time.
    ///   - signatureLimit: The number of signatures that are verified.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for a trusted certificate or a list that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    init(
        _ store: TrustStore, further: [[UInt8]] = [], purpose: PathPurpose = .messages, time: Int,
        knownUntil: Int? = nil, signatureLimit: Int
    ) throws(HostCryptoError) {
        try LibraryContext.require()
        self.store = store
        self.time = time
        self.purpose = purpose
        let knownUntil = max(time, knownUntil ?? time)
        self.knownUntil = knownUntil
        self.signatureLimit = signatureLimit
        let contents = try store.read()
        lists = Dictionary(
            grouping: (contents.lists + store.values.lists).filter { $0.isUsable(after: knownUntil) }, by: \.issuer)
        responses = contents.responses + store.values.responses
        for certificate in contents.trusted { add(certificate, isTrusted: true, time: time) }
        for certificate in contents.certificates { add(certificate, time: time) }
        for der in further + store.values.certificates {
            (try? Certificate(der: der.span)).map { add($0, isKnown: false, time: time) }
        }
    }

    private func add(_ certificate: Certificate, isKnown: Bool = true, isTrusted: Bool = false, time: Int) {
        guard known.insert(Octets(certificate.der)).inserted else { return }
        let candidate = PathCandidate(
            certificate, isKnown: isKnown, isTrusted: isTrusted, time: time, purpose: purpose,
            findings: store.known)
        bySubject[certificate.subject, default: []].append(candidate)
        byIdentifier[.issuer(certificate.issuer, serialNumber: certificate.serialNumber), default: []].append(candidate)
        if let keyIdentifier = certificate.subjectKeyIdentifier {
            byIdentifier[.keyIdentifier(keyIdentifier), default: []].append(candidate)
        }
    }

    /// The certificates that a signer names, those that the application knows first.
    func candidates(_ identifier: SignerIdentifier) -> [PathCandidate] { byIdentifier[identifier] ?? [] }

    /// Counts a signature that is about to be verified.
    ///
    /// - Returns: Whether it may be.
    func takeSignature() -> Bool {
        guard signatureCount < signatureLimit else { return false }
        signatureCount += 1
        return true
    }

    /// Counts a certificate that is about to be looked at: each once, and as many again as signatures may be verified.
    ///
    /// - Returns: Whether it may be.
    func takeStep() -> Bool {
        guard stepCount < known.count + signatureLimit else { return false }
        stepCount += 1
        return true
    }

    /// The path from a certificate that signs, for the purpose, to a trusted one, or the reason why none is found.
    ///
    /// - Parameter named: Certificates that must all be on it.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func path(from leaf: PathCandidate, over named: [NamedCertificate] = []) throws(HostCryptoError) -> PathOutcome {
        causes = PathCauses()
        guard leaf.key != nil, leaf.details?.begins(purpose) == true else {
            return .notFound(PathFault(leaf.key == nil ? .notUnderstood : .notForSigning, leaf.certificate.der))
        }
        if let links = try links(from: leaf, authorities: 0, path: [], over: named) {
            return .found(PathEvidence(links: links))
        }
        // An authority counts for nothing now: it is only the cause if it has issued the certificate.
        if let (candidate, issuer) = causes.unusableIssuer, let fault = issuer.fault, let key = issuer.key,
            takeSignature(), try isSigned(candidate, by: issuer, key)
        {
            causes.add(fault, issuer)
        }
        return .notFound(causes.first ?? PathFault(.noPath, leaf.certificate.der))
    }

    /// - Parameters:
    ///   - authorities: The number of certificates of authorities on the way here, without self-issued ones.
    ///   - path: The certificates on the way here.
    /// - Returns: The rest of the path, from the certificate on; nil if none is found.
    private func links(
        from candidate: PathCandidate, authorities: Int, path: [PathCandidate], over named: [NamedCertificate]
    ) throws(HostCryptoError) -> [PathEvidence.Link]? {
        guard candidate.isUsable else {
            causes.add(candidate.fault ?? .notUnderstood, candidate)
            return nil
        }
        let longer = path + [candidate]
        if candidate.isTrusted, candidate.isSelfIssued || store.allowsPartialPaths {
            if try longer.haveAll(named) {
                return [PathEvidence.Link(certificate: candidate.certificate.der, state: nil)]
            }
            causes.add(.noPath, candidate)
        }
        if named.isEmpty, let proof = candidate.proof, (proof.authorities, proof.length) == (authorities, path.count) {
            return proof.links
        }
        guard path.count < Self.maximumLength else {
            causes.add(.noPath, candidate)
            return nil
        }
        var isIssued = false
        for issuer in try self.authorities(named: candidate.certificate.issuer) {
            guard takeStep() else { return nil }
            guard let key = issuer.key, issuer.details?.pathLength ?? authorities >= authorities,
                !longer.contains(where: { $0 === issuer }), takeSignature(), try isSigned(candidate, by: issuer, key)
            else { continue }
            isIssued = true
            let revocation = try revocation(of: candidate, by: issuer, key, isLeaf: path.isEmpty)
            if case .possible(let cause) = revocation, !cause.isOfMissingStatement {
                causes.add(cause, candidate)
                continue
            }
            let further = issuer.isSelfIssued ? authorities : authorities + 1
            guard let rest = try links(from: issuer, authorities: further, path: longer, over: named) else { continue }
            // Of a way that ends elsewhere no statement is missing.
            guard case .none(let state) = revocation else {
                if case .possible(let cause) = revocation { causes.add(cause, candidate) }
                continue
            }
            let links = [PathEvidence.Link(certificate: candidate.certificate.der, state: state)] + rest
            candidate.proof = (authorities, path.count, links)
            return links
        }
        if !isIssued {
            let isReadable = candidate.certificate.structure.signatureAlgorithm?.digest.resistsCollisions == true
            // An issuer that is there may have signed by an algorithm that is not verified here.
            let isThere = try !self.authorities(named: candidate.certificate.issuer).isEmpty
            causes.add(isThere && !isReadable ? .notUnderstood : .unknownIssuer, candidate)
            let issuers = bySubject[candidate.certificate.issuer] ?? []
            causes.unusableIssuer = causes.unusableIssuer ?? issuers.first { !$0.isUsable }.map { (candidate, $0) }
        }
        return nil
    }

    private func isSigned(
        _ candidate: PathCandidate, by issuer: PathCandidate, _ key: PublicKeyInfo
    ) throws(HostCryptoError) -> Bool {
        let info = issuer.certificate.subjectPublicKeyInfo
        return try store.known.isSigned(candidate.certificate, with: info) { () throws(HostCryptoError) in
            try candidate.isSigned(with: key)
        }
    }

    private func authorities(named name: [UInt8]) throws(HostCryptoError) -> [PathCandidate] {
        if let found = authorities[name] { return found }
        var found: [PathCandidate] = []
        for candidate in bySubject[name] ?? [] where try isAuthority(candidate) { found.append(candidate) }
        authorities[name] = found
        return found
    }

    /// A certificate of version 1 does not say whether it is an authority's: it is if it is trusted and signs itself.
    private func isAuthority(_ candidate: PathCandidate) throws(HostCryptoError) -> Bool {
        guard let details = candidate.details, candidate.isUsable, candidate.key != nil else { return false }
        guard !details.isAuthority else { return true }
        guard details.isVersion1, candidate.isTrusted, candidate.isSelfIssued, takeSignature() else { return false }
        return try candidate.signsItself()
    }
}

extension [PathCandidate] {
    /// Whether each of the names belongs to one of them.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    fileprivate func haveAll(_ names: [NamedCertificate]) throws(HostCryptoError) -> Bool {
        for name in names {
            var isThere = false
            for candidate in self where try name.isName(of: candidate) { isThere = true }
            guard isThere else { return false }
        }
        return true
    }
}
