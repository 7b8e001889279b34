// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// A signature of a signer's signature (RFC 5652, 11.4). By itself it does not vouch for the content.
///
/// A message with a wrong one is not accepted. Without its certificate, or without a path to a trusted one, it
/// counts for nothing, and neither helps the message nor harms it.
public struct Countersignature: Sendable, Equatable {
    /// The certificate in DER; nil if it is not known, or the countersignature is by a weak algorithm.
    public let certificate: [UInt8]?
    /// The time of countersigning that the signer states, in seconds since 1970; nil if not stated.
    public let signingTime: Int64?
    /// The reason why it is not verified; nil if it is good.
    public let fault: MessageFault?
    /// The reason why its certificate leads to no trusted one, as ``MessageSigner/distrust``.
    public internal(set) var distrust: Distrust?
    /// The path to a trusted certificate; nil if none was found or asked for.
    @Uncompared var evidence: PathEvidence?
}

extension SignerVerification {
    /// The signers of a message, and their countersignatures.
    ///
    /// - Parameter isTrustAsked: Whether each signer's certificate must lead to a trusted one.
    /// - Returns: ``KanalError/messageRefused(_:)`` for a message that is not accepted.
    func messageSigners(
        of message: SignedData, _ digests: [DigestAlgorithm: [UInt8]], _ form: ContentForm,
        _ stamps: SignatureStamps? = nil, isTrustAsked: Bool, at time: Int
    ) throws(HostCryptoError) -> Swift.Result<[MessageSigner], KanalError> {
        guard let found = try signers(of: digests, form) else {
            return .failure(.messageRefused(MessageFault(fault)))
        }
        let paths = isTrustAsked ? try paths() : []
        var stamps = stamps
        var signers: [MessageSigner] = []
        for (place, certificate) in found.certificates.enumerated() {
            let all = try countersignatures(of: message.signers[place], isTrustAsked: isTrustAsked)
            for one in all {
                switch one.fault {
                case nil, .certificate, .weakAlgorithm: continue
                case .limit: return .failure(.messageRefused(.tooManySignatures))
                default: return .failure(.messageRefused(.wrongCountersignature))
                }
            }
            let signer = message.signers[place]
            let findings = try stamps?.findings(of: signer, certificate) ?? SignatureStamps.Findings()
            let proven = findings.proven
            var path = isTrustAsked ? paths[place] : nil
            let isGoodNow = path?.fault == nil
            var (isNamed, isValued) = (false, false)
            if let proven, isTrustAsked {
                path = try self.path(ofSigner: place, at: proven, from: time)
                // Knowledge from elsewhere must not lower the form that the message itself has.
                let own = try signer.hasValues ? own(place, proven, time) : nil
                if let own { isValued = try signer.namesAll(of: own) }
                isNamed = isValued
                if !isNamed, let evidence = path?.evidence { isNamed = try signer.namesAll(of: evidence) }
            }
            signers.append(
                MessageSigner(
                    certificate: certificate, signingTime: found.signingTimes[place].map(Int64.init),
                    distrust: path?.fault.map { Distrust($0) },
                    countersignatures: all.map { KanalKit.Countersignature($0) },
                    level: signer.namesCertificate ? findings.level(isNamed: isNamed, isValued: isValued) : nil,
                    timeStamps: findings.all, provenTime: proven.map(Int64.init), evidence: path?.evidence,
                    isGoodNow: isGoodNow, statedTime: path?.evidence?.statedTime(at: proven ?? time).map(Int64.init)))
        }
        let isTrusted = signers.allSatisfy { $0.distrust == nil }
        return isTrusted ? .success(signers) : .failure(.messageRefused(.untrusted(signers)))
    }

    /// The path of a signer at a proven time by what came with the message alone; nil if that does not lead to a trusted certificate.
    private func own(_ place: Int, _ proven: Int, _ now: Int) throws(HostCryptoError) -> PathEvidence? {
        try path(ofSigner: place, at: proven, from: now, byMessageAlone: true).evidence
    }
}

extension Countersignature {
    fileprivate init(_ found: SignerVerification.Countersignature) {
        certificate = found.certificate
        signingTime = found.signingTime.map(Int64.init)
        fault = found.fault.map { MessageFault($0) }
        distrust = found.path?.fault.map { Distrust($0) }
        evidence = found.path?.evidence
    }
}
