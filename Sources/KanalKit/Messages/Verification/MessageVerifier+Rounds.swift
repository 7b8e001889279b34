// SPDX-License-Identifier: Apache-2.0
import HostCrypto

extension MessageVerifier {
    /// The number of times that answers are fetched: each can bring the issuer of the issuer before.
    private static let roundLimit = 6

    /// Verifies, and as long as answers of authorities are missing and come, verifies again with them.
    ///
    /// - Parameter verify: Verifies with this store. It runs in a thread of its own.
    func inRounds<Value: Verified>(
        _ verify: @escaping @Sendable (TrustStore) throws(KanalError) -> Value
    ) async throws -> Value {
        @Sendable func run(_ store: TrustStore) async throws -> Result<Value, KanalError> {
            try await inThreadOfItsOwn { _ in
                do throws(KanalError) { return .success(try verify(store)) } catch { return .failure(error) }
            }
        }
        var store = try store()
        // Authorities' present answers do not hold for another time.
        guard let online, time == nil, !checksSignatureOnly else { return try await run(store).get() }
        store.asksAddresses = true
        var fetched = FetchedAnswers(online)
        var outcome = try await run(store)
        for _ in 0..<Self.roundLimit {
            var findings = Value.findings(of: outcome)
            if findings.contains(where: \.lacksStatement) {
                // The path without the statement is the one to ask about.
                var bare = store
                (bare.asksAddresses, bare.revocationCheck) = (false, .none)
                findings += Value.findings(of: try await run(bare))
            }
            let (certificates, lists, responses) = (fetched.certificates, fetched.lists, fetched.responses)
            guard try await fetched.ask(findings.flatMap { $0.questions(at: moment) }) else { break }
            let known = store
            store = try onHost { () throws(HostCryptoError) in
                try known.adding(
                    certificates: Array(fetched.certificates.dropFirst(certificates.count)),
                    lists: Array(fetched.lists.dropFirst(lists.count)),
                    responses: Array(fetched.responses.dropFirst(responses.count)))
            }
            outcome = try await run(store)
        }
        return try Value.explaining(outcome, by: fetched.causes).get()
    }
}

/// The path from one certificate, or the reason for its absence.
struct PathFinding {
    let evidence: PathEvidence?
    let distrust: Distrust?

    var lacksStatement: Bool {
        switch distrust?.reason {
        case .listMissing, .listOutdated: true
        default: false
        }
    }

    /// The questions to authorities about it. After a certificate's end its authority need not say anything any more.
    ///
    /// - Parameter time: In seconds since 1970.
    func questions(at time: Int) -> [FetchedAnswers.Question] {
        if let distrust { return distrust.reason == .unknownIssuer ? [.issuer(distrust.certificate)] : [] }
        let links = evidence?.links ?? []
        return zip(links, links.dropFirst()).compactMap { link, issuer in
            guard link.state == nil, let certificate = try? Certificate(der: link.certificate.span),
                let end = try? certificate.validity.notAfter, time < end
            else { return nil }
            return .state(link.certificate, issuer: issuer.certificate)
        }
    }
}

/// The result of a verification, with paths.
protocol Verified: Sendable {
    static func findings(of outcome: Result<Self, KanalError>) -> [PathFinding]
    /// The outcome, with reasons why answers are missing, by certificate.
    static func explaining(
        _ outcome: Result<Self, KanalError>, by causes: [[UInt8]: [Explanation]]
    ) -> Result<Self, KanalError>
}

extension [MessageSigner]: Verified {
    static func findings(of outcome: Result<Self, KanalError>) -> [PathFinding] {
        let signers: [MessageSigner]
        switch outcome {
        case .success(let found): signers = found
        case .failure(.messageRefused(.untrusted(let found))): signers = found
        case .failure: signers = []
        }
        return signers.flatMap { signer in
            [PathFinding(evidence: signer.evidence, distrust: signer.distrust)]
                + signer.countersignatures.map { PathFinding(evidence: $0.evidence, distrust: $0.distrust) }
                + signer.timeStamps.map(PathFinding.init)
        }
    }

    static func explaining(
        _ outcome: Result<Self, KanalError>, by causes: [[UInt8]: [Explanation]]
    ) -> Result<Self, KanalError> {
        guard !causes.isEmpty else { return outcome }
        func explained(_ signers: [MessageSigner]) -> [MessageSigner] {
            signers.map { signer in
                var signer = signer
                signer.distrust = signer.distrust?.explained(by: causes)
                for index in signer.countersignatures.indices {
                    let distrust = signer.countersignatures[index].distrust
                    signer.countersignatures[index].distrust = distrust?.explained(by: causes)
                }
                signer.timeStamps = signer.timeStamps.map { $0.explained(by: causes) }
                return signer
            }
        }
        switch outcome {
        case .success(let signers): return .success(explained(signers))
        case .failure(.messageRefused(.untrusted(let signers))):
            return .failure(.messageRefused(.untrusted(explained(signers))))
        case .failure: return outcome
        }
    }
}

extension TimeStamp: Verified {
    static func findings(of outcome: Result<Self, KanalError>) -> [PathFinding] {
        switch outcome {
        case .success(let stamp): [PathFinding(stamp)]
        case .failure(.timeStampRefused(.untrusted(let distrust))): [PathFinding(evidence: nil, distrust: distrust)]
        case .failure: []
        }
    }

    static func explaining(
        _ outcome: Result<Self, KanalError>, by causes: [[UInt8]: [Explanation]]
    ) -> Result<Self, KanalError> {
        guard case .failure(.timeStampRefused(.untrusted(let distrust))) = outcome else { return outcome }
        return .failure(.timeStampRefused(.untrusted(distrust.explained(by: causes))))
    }

    fileprivate func explained(by causes: [[UInt8]: [Explanation]]) -> TimeStamp {
        guard case .untrusted(let distrust)? = fault else { return self }
        var stamp = self
        stamp.fault = .untrusted(distrust.explained(by: causes))
        return stamp
    }
}

extension PathFinding {
    fileprivate init(_ stamp: TimeStamp) {
        evidence = stamp.evidence
        distrust = if case .untrusted(let distrust)? = stamp.fault { distrust } else { nil }
    }
}

extension Distrust {
    /// The reasons belong to what is missing; to other faults they would add nothing.
    func explained(by causes: [[UInt8]: [Explanation]]) -> Distrust {
        guard reason == .unknownIssuer || PathFinding(evidence: nil, distrust: self).lacksStatement else { return self }
        var distrust = self
        distrust.causes = causes[certificate] ?? []
        return distrust
    }
}
