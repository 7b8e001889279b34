// SPDX-License-Identifier: Apache-2.0
import HostCrypto

extension MessageVerifier {
    /// Whether a certificate that has signed something leads to a trusted one, by the verifier's certificates, lists and time.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - others: Certificates in DER that help to find a path. Unreadable ones are ignored.
    /// - Returns: The reason why it does not; nil if it does.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a certificate or a list that cannot be read.
    public func distrust(of certificate: [UInt8], knowing others: [[UInt8]] = []) async throws -> Distrust? {
        do throws(HostCryptoError) { _ = try Certificate(der: certificate.span) } catch {
            throw KanalError.invalidArgument("the certificate cannot be read")
        }
        let known = usesMessageCertificates ? others : []
        let time = moment
        let finding = try await inRounds { store throws(KanalError) in
            try onHost { () throws(HostCryptoError) in
                let full = try store.adding(certificates: known, lists: [], responses: [])
                return CertificateFinding(try full.path(from: certificate, at: time))
            }
        }
        return finding.distrust
    }
}

/// The path from a certificate of a signature that is no message's.
private struct CertificateFinding: Verified {
    private let evidence: PathEvidence?
    private(set) var distrust: Distrust?

    init(_ outcome: PathOutcome) {
        evidence = outcome.evidence
        distrust = outcome.fault.map { Distrust($0) }
    }

    static func findings(of outcome: Result<Self, KanalError>) -> [PathFinding] {
        guard case .success(let finding) = outcome else { return [] }
        return [PathFinding(evidence: finding.evidence, distrust: finding.distrust)]
    }

    static func explaining(
        _ outcome: Result<Self, KanalError>, by causes: [[UInt8]: [Explanation]]
    ) -> Result<Self, KanalError> {
        outcome.map { finding in
            var finding = finding
            finding.distrust = finding.distrust?.explained(by: causes)
            return finding
        }
    }
}
