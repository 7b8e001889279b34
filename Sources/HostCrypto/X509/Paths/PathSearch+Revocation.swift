// SPDX-License-Identifier: Apache-2.0

/// The revocation of a path's certificates, by the lists and responses that are known.
extension PathSearch {
    /// The findings about a certificate's revocation.
    enum Revocation {
        /// It is not revoked, as the statement has it; nil without a statement, if none is needed.
        case none(PathEvidence.State?)
        /// It may be revoked, for this reason.
        case possible(PathFault.Reason)
    }

    /// Whether a certificate may be revoked, as its issuer or a responder of the issuer's has it.
    func revocation(
        of candidate: PathCandidate, by issuer: PathCandidate, _ key: PublicKeyInfo, isLeaf: Bool
    ) throws(HostCryptoError) -> Revocation {
        var statement: PathEvidence.State?
        // By an old list that names it; a certificate that was on hold may be on a later list no more.
        var former: PathFault.Reason?
        guard let details = candidate.details, let end = try? candidate.certificate.validity.notAfter else {
            return .possible(.notUnderstood)
        }
        let lists = issuer.details?.signsLists == true ? lists[issuer.certificate.subject] ?? [] : []
        for list in lists {
            let isCurrent = list.isCurrent(at: time), isNamed = list.names(details)
            guard isCurrent || isNamed else { continue }
            guard let isSigned = try isSigned(list, by: issuer, key) else { return .possible(.noPath) }
            guard isSigned else { continue }
            let entry = isNamed ? list.revocation(of: candidate.certificate) : nil
            if let entry, isLater(entry) {
                statement = .list(list.der, asOf: nil)
                continue
            }
            let revoked = PathFault.Reason.revoked(entry?.time)
            guard isCurrent else {
                former = revoked
                continue
            }
            if isNamed { return .possible(revoked) }
            // A list may leave out what expired before it was made (RFC 5280, 3.3).
            guard list.isUsable(after: max(time, end)) else { continue }
            if list.isWhole(for: candidate.certificate, isAuthority: details.isAuthority) {
                statement = .list(list.der, asOf: list.thisUpdate)
            }
        }
        guard let (answered, response) = try answer(about: candidate, by: issuer) else { return .possible(.noPath) }
        if case .revoked(let time)? = answered { return .possible(.revoked(time)) }
        // A response is shorter than a list, and newer.
        if let found = response ?? statement { return .none(found) }
        if let former { return .possible(former) }
        let isNeeded =
            switch store.revocationCheck {
            case .none:
                isLeaf && store.asksAddresses && knownUntil < end
                    && CertificateAddresses(candidate.certificate).haveStates
            case .leaf: isLeaf
            case .all: true
            }
        guard isNeeded else { return .none(nil) }
        let old = lists.filter { !$0.isCurrent(at: time) }.compactMap(\.nextUpdate).max()
        return .possible(old.map { .listOutdated($0) } ?? .listMissing)
    }

    /// The state of a certificate by the responses that count, and the response that states "good"; nil without one.
    /// "revoked" is before "good".
    ///
    /// - Returns: nil if no more signatures may be verified.
    private func answer(
        about candidate: PathCandidate, by issuer: PathCandidate
    ) throws(HostCryptoError) -> (OCSPAnswer.State?, PathEvidence.State?)? {
        let (certificate, authority) = (candidate.certificate, issuer.certificate)
        var found: OCSPAnswer.State?, statement: PathEvidence.State?
        for response in responses {
            guard try response.answer(about: certificate, of: authority) != nil else { continue }
            // Of the response, and of the certificate of its responder.
            guard takeSignature(), takeSignature() else { return nil }
            let answer: OCSPAnswer, signer: Certificate
            do throws(OCSPFault) {
                (answer, signer) = try response.verified(about: certificate, issuer: authority)
                if !isLookedBackAt(answer.thisUpdate, certificate) {
                    try answer.requireCurrent(at: time, signer: signer)
                }
            } catch {
                if case .failure(let error) = error { throw error }
                continue
            }
            var state = answer.state
            let statedTime = state == .good ? answer.thisUpdate : nil
            if case .revoked(let time) = state, isLater(RevocationEntry(time: time, reason: answer.reason)) {
                state = .good
            }
            if case .revoked = state { return (state, nil) }
            if state == .good { statement = .response(response.der, signer: signer.der, asOf: statedTime) }
            if state == .good || found == nil { found = state }
        }
        return (found, statement)
    }

    /// Whether a certificate was revoked after the time that one looks back at, and for a reason that leaves what was signed
    /// before as it was. The key of an authority for time stamps decides about the time itself: if it may have been
    /// stolen, so may any earlier time.
    private func isLater(_ revocation: RevocationEntry) -> Bool {
        guard time < revocation.time, knownUntil > time else { return false }
        return purpose != .timeStamps || revocation.leavesFormerStamps
    }

    /// Whether a response was made after the time, while the certificate was still valid.
    private func isLookedBackAt(_ update: Int, _ certificate: Certificate) -> Bool {
        guard knownUntil > time, let validity = try? certificate.validity else { return false }
        return time < update && update <= knownUntil + OCSPAnswer.clockDifference && update < validity.notAfter
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
