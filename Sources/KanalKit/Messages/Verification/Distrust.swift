// SPDX-License-Identifier: Apache-2.0
import HostCrypto
package import Translation

/// The reason why a signer's certificate leads to no trusted one.
public struct Distrust: Sendable, Equatable {
    /// The kind of the reason. Times are in seconds since 1970.
    public enum Reason: Sendable, Equatable {
        /// The certificate was valid until then.
        case expired(Int64)
        /// It is valid from then on.
        case notYetValid(Int64)
        /// A list names it as revoked, since then; nil for a time that cannot be read.
        case revoked(Int64?)
        /// No list shows that it is not revoked.
        case listMissing
        /// The list that covers it was to be replaced then.
        case listOutdated(Int64)
        /// It is not meant for signing messages.
        case notForSigning
        /// Its key is weak or of an unknown kind, or it has critical extensions that are not known here.
        case notUnderstood
        /// It is neither trusted nor issued by a certificate that is known.
        case unknownIssuer
        /// The path from it is too long, or is not over all certificates that the signer has named.
        case noPath
    }

    /// The reason.
    public let reason: Reason
    /// The certificate that the reason is about, in DER: the signer's, or an authority's on the way.
    public let certificate: [UInt8]
    /// The failures of ``MessageVerifier/online``, each with its address.
    public internal(set) var causes: [Explanation] = []

    init(_ fault: PathFault) {
        certificate = fault.certificate
        reason =
            switch fault.reason {
            case .expired(let time): .expired(Int64(time))
            case .notYetValid(let time): .notYetValid(Int64(time))
            case .revoked(let time): .revoked(time.map(Int64.init))
            case .listMissing: .listMissing
            case .listOutdated(let time): .listOutdated(Int64(time))
            case .notForSigning: .notForSigning
            case .notUnderstood: .notUnderstood
            case .unknownIssuer: .unknownIssuer
            case .noPath: .noPath
            }
    }
}

extension Distrust: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase { causes.reduce(reasonText) { text, cause in "\(text); \(cause.phrase)" } }

    private var reasonText: Phrase {
        let summary = try? CertificateSummary(of: certificate)
        let subject = summary?.subject.phrase ?? "an unknown subject"
        switch reason {
        case .expired(let time): return "the certificate of \(subject) expired at \(Timestamp(time).text)"
        case .notYetValid(let time): return "the certificate of \(subject) is valid from \(Timestamp(time).text) on"
        case .revoked(let time?): return "the certificate of \(subject) was revoked at \(Timestamp(time).text)"
        case .revoked(nil): return "the certificate of \(subject) is revoked"
        case .listMissing: return "no list or response states whether the certificate of \(subject) is revoked"
        case .listOutdated(let time):
            return """
                the list that says whether the certificate of \(subject) is revoked is out of date since \
                \(Timestamp(time).text)
                """
        case .notForSigning: return "the certificate of \(subject) is not meant for signing messages"
        case .notUnderstood:
            return """
                the certificate of \(subject) has a weak or unknown key or signature algorithm, or critical extensions that are \
                not known
                """
        case .unknownIssuer:
            guard let summary, summary.issuer != summary.subject else {
                return "the certificate of \(subject) is not among the trusted"
            }
            return "\(summary.issuer.phrase), the issuer of the certificate of \(subject), is not among the trusted"
        case .noPath:
            return "the path from the certificate of \(subject) is too long, or not over all that the signer has named"
        }
    }
}

extension MessageFault {
    static func explanation(untrusted signers: [MessageSigner]) -> Phrase {
        let refusal: Phrase = "the signatures are good, but a signer's certificate leads to no trusted one"
        return signers.reduce(refusal) { text, signer in
            guard let distrust = signer.distrust else { return text }
            let stamps: Phrase = signer.timeStamps.compactMap(\.fault).reduce("") { text, fault in
                "\(text); the time stamp counts for nothing: \(fault.explanation)"
            }
            let moment: Phrase =
                signer.provenTime.map { ", at the time of its time stamp, \(Timestamp($0).text)" } ?? ""
            return "\(text); \(distrust.explanation)\(moment)\(stamps)"
        }
    }
}
