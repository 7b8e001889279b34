// SPDX-License-Identifier: Apache-2.0

import GOST

/// The search for paths to trusted certificates at one time, for any number of certificates.
///
/// Every certificate is read once and found by its name. The sender of a message chooses its certificates: so the number of
/// signatures that are verified is limited, and so is that of certificates that are looked at for a signer or an issuer,
/// for all can have one name. Beyond a limit no path is found any more.
package final class PathSearch {
    /// A list, and a certificate that may have signed it.
    private struct ListSigner: Hashable {
        let list, signer: ObjectIdentifier
    }

    private let store: TrustStore
    private let time: Int
    /// The time up to which lists and responses may be made, ``time`` or later.
    private let knownUntil: Int
    private let purpose: PathPurpose
    /// Lists from before ``knownUntil``, by their issuers.
    private let lists: [[UInt8]: [RevocationList]]
    private let responses: [OCSPResponse]
    /// Whether the certificate's key has signed the list, as far as that is known.
    private var listSigners: [ListSigner: Bool] = [:]
    private var known: Set<Octets> = []
    private var bySubject: [[UInt8]: [PathCandidate]] = [:]
    /// By each name that a signer can give them.
    private var byIdentifier: [SignerIdentifier: [PathCandidate]] = [:]
    /// Those of a name that may issue certificates.
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
    ///   - further: Certificates in DER that help to find a way. One that cannot be read is of no help.
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
        lists = Dictionary(grouping: contents.lists.filter { $0.isUsable(after: knownUntil) }, by: \.issuer)
        responses = contents.responses
        for certificate in contents.trusted { add(certificate, isTrusted: true, time: time) }
        for certificate in contents.certificates { add(certificate, time: time) }
        for der in further { (try? Certificate(der: der.span)).map { add($0, isKnown: false, time: time) } }
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

    /// Whether a path leads from a certificate that signs, for the purpose, to a trusted one.
    ///
    /// - Parameter named: Certificates that must all be on it.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func trusts(_ leaf: PathCandidate, over named: [NamedCertificate] = []) throws(HostCryptoError) -> Bool {
        causes = PathCauses()
        guard leaf.key != nil, leaf.details?.begins(purpose) == true else {
            causes.add(leaf.key == nil ? .notUnderstood : .notForSigning, leaf)
            return false
        }
        return try leads(from: leaf, authorities: 0, path: [], over: named)
    }

    /// The reason why ``trusts(_:over:)`` finds no path; nil if it finds one.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func fault(of leaf: PathCandidate, over named: [NamedCertificate] = []) throws(HostCryptoError) -> PathFault? {
        guard try !trusts(leaf, over: named) else { return nil }
        // An authority counts for nothing now: it is only the cause if it has issued the certificate.
        if let (candidate, issuer) = causes.unusableIssuer, let fault = issuer.fault, let key = issuer.key,
            takeSignature(), try isSigned(candidate, by: issuer, key)
        {
            causes.add(fault, issuer)
        }
        return causes.first ?? PathFault(.noPath, leaf.certificate.der)
    }

    /// - Parameters:
    ///   - authorities: The number of certificates of authorities on the way here, without self-issued ones.
    ///   - path: The certificates on the way here.
    private func leads(
        from candidate: PathCandidate, authorities: Int, path: [PathCandidate], over named: [NamedCertificate]
    ) throws(HostCryptoError) -> Bool {
        guard candidate.isUsable else {
            causes.add(candidate.fault ?? .notUnderstood, candidate)
            return false
        }
        let longer = path + [candidate]
        if candidate.isTrusted, candidate.isSelfIssued || store.allowsPartialPaths {
            if try longer.haveAll(named) { return true }
            causes.add(.noPath, candidate)
        }
        if named.isEmpty, let proof = candidate.proof, proof == (authorities, path.count) { return true }
        guard path.count < Self.maximumLength else {
            causes.add(.noPath, candidate)
            return false
        }
        var isIssued = false
        for issuer in try self.authorities(named: candidate.certificate.issuer) {
            guard takeStep() else { return false }
            guard let key = issuer.key, issuer.details?.pathLength ?? authorities >= authorities,
                !longer.contains(where: { $0 === issuer }), takeSignature(), try isSigned(candidate, by: issuer, key)
            else { continue }
            isIssued = true
            if let cause = try revocation(of: candidate, by: issuer, key, isLeaf: path.isEmpty) {
                causes.add(cause, candidate)
                continue
            }
            let further = issuer.isSelfIssued ? authorities : authorities + 1
            guard try leads(from: issuer, authorities: further, path: longer, over: named) else { continue }
            candidate.proof = (authorities, path.count)
            return true
        }
        if !isIssued {
            causes.add(.unknownIssuer, candidate)
            let issuers = bySubject[candidate.certificate.issuer] ?? []
            causes.unusableIssuer = causes.unusableIssuer ?? issuers.first { !$0.isUsable }.map { (candidate, $0) }
        }
        return false
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

    /// The reason why a certificate may be revoked; nil if it is not.
    private func revocation(
        of candidate: PathCandidate, by issuer: PathCandidate, _ key: PublicKeyInfo, isLeaf: Bool
    ) throws(HostCryptoError) -> PathFault.Reason? {
        // By an old list that names it; a certificate that was on hold may be on a later list no more.
        var isListed = false, former: PathFault.Reason?
        guard let details = candidate.details, let end = try? candidate.certificate.validity.notAfter else {
            return .notUnderstood
        }
        let lists = issuer.details?.signsLists == true ? lists[issuer.certificate.subject] ?? [] : []
        for list in lists {
            let isCurrent = list.isCurrent(at: time), isNamed = list.names(details)
            guard isCurrent || isNamed else { continue }
            guard let isSigned = try isSigned(list, by: issuer, key) else { return .noPath }
            guard isSigned else { continue }
            let revocationTime = isNamed ? list.revocationTime(of: candidate.certificate) : nil
            if isNamed, isLater(revocationTime) {
                isListed = true
                continue
            }
            let revoked = PathFault.Reason.revoked(revocationTime)
            guard isCurrent else {
                former = revoked
                continue
            }
            if isNamed { return revoked }
            // A list may leave out what expired before it was made (RFC 5280, 3.3).
            guard list.isUsable(after: max(time, end)) else { continue }
            if list.isWhole(for: candidate.certificate, isAuthority: details.isAuthority) { isListed = true }
        }
        switch try answer(about: candidate, by: issuer) {
        case .revoked(let time): return .revoked(time)
        case .good: isListed = true
        case .unknown, nil: break
        }
        guard !isListed else { return nil }
        if let former { return former }
        let isNeeded =
            switch store.revocationCheck {
            case .none: false
            case .leaf: isLeaf
            case .all: true
            }
        guard isNeeded else { return nil }
        let old = lists.filter { !$0.isCurrent(at: time) }.compactMap(\.nextUpdate).max()
        return old.map { .listOutdated($0) } ?? .listMissing
    }

    /// The state of a certificate by the responses that count; nil if there is none. "revoked" is before "good".
    private func answer(
        about candidate: PathCandidate, by issuer: PathCandidate
    ) throws(HostCryptoError) -> OCSPAnswer.State? {
        let (certificate, authority) = (candidate.certificate, issuer.certificate)
        var found: OCSPAnswer.State?
        for response in responses {
            guard try response.answer(about: certificate, of: authority) != nil else { continue }
            // Of the response, and of the certificate of its responder.
            guard takeSignature(), takeSignature() else { break }
            let answer: OCSPAnswer
            do throws(OCSPFault) {
                answer = try response.state(of: certificate.der, issuer: authority.der, at: nil)
                if !isLookedBackAt(answer.thisUpdate, certificate) { try answer.requireCurrent(at: time) }
            } catch {
                if case .failure(let error) = error { throw error }
                continue
            }
            var state = answer.state
            if case .revoked(let time) = state, isLater(time) { state = .good }
            if case .revoked = state { return state }
            if state == .good || found == nil { found = state }
        }
        return found
    }

    /// Whether a certificate was revoked after the time that one looks back at.
    private func isLater(_ revocationTime: Int?) -> Bool {
        revocationTime.map { time < $0 && knownUntil > time } ?? false
    }

    /// Whether a response was made after the time, while the certificate was still valid.
    private func isLookedBackAt(_ update: Int, _ certificate: Certificate) -> Bool {
        guard knownUntil > time, let validity = try? certificate.validity else { return false }
        return time < update && update <= knownUntil && update < validity.notAfter
    }

    /// - Returns: nil if no more signatures may be verified.
    private func isSigned(
        _ list: RevocationList, by issuer: PathCandidate, _ key: PublicKeyInfo
    ) throws(HostCryptoError) -> Bool? {
        let pair = ListSigner(list: ObjectIdentifier(list), signer: ObjectIdentifier(issuer))
        if let isSigned = listSigners[pair] { return isSigned }
        guard takeSignature() else { return nil }
        let isSigned = try list.isSigned(with: key)
        listSigners[pair] = isSigned
        return isSigned
    }
}

extension [PathCandidate] {
    /// Whether each of the names is that of one of them.
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
