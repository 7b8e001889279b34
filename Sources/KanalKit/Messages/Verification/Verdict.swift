// SPDX-License-Identifier: Apache-2.0

/// The outcome of a verification, as programs need to know it. Of several the greatest counts.
public enum Verdict: Sendable, Comparable {
    /// Good now: the certificate is valid and not revoked, as far as that was asked for.
    case good
    /// Good at the time that a good time stamp proves. The certificate has expired since, was revoked, or its present state is
    /// not known.
    case goodAtItsTime
    /// It cannot be known: a certificate, a list or a response is missing, or nothing proves that the signature was there
    /// before the certificate expired.
    case unknown
    /// Wrong: the signature, the content, or a time stamp by which alone it would be good; by a certificate that is revoked or
    /// not meant for this.
    case wrong
}

extension MessageSigner {
    /// Whether the signature is good, now or at its time. Without a path to a trusted certificate, as
    /// ``MessageVerifier/checksSignatureOnly`` has it, any signer's signature can be good.
    public var verdict: Verdict {
        guard let distrust else { return isGoodNow ? .good : .goodAtItsTime }
        // A wrong stamp claims a time, which would make a difference.
        let isMisdated = distrust.reason.isOfTime && timeStamps.contains { $0.fault?.verdict == .wrong }
        return isMisdated ? .wrong : distrust.reason.verdict
    }
}

extension MessageFault {
    /// Why the message is not accepted: because it is wrong, or because that cannot be known.
    public var verdict: Verdict {
        switch self {
        case .noContent, .noCertificate, .tooManySignatures: .unknown
        case .untrusted(let signers): signers.map(\.verdict).max() ?? .unknown
        case .malformed, .notInOrder, .ownContent, .noSigner, .wrongContent, .wrongSignature, .weakAlgorithm,
            .wrongAttributes, .wrongCountersignature, .alreadySigned, .hasForm, .hasPartOfForm:
            .wrong
        }
    }
}

extension TimeStamp.Fault {
    /// Why the stamp counts for nothing: because it is wrong, or because that cannot be known.
    public var verdict: Verdict {
        switch self {
        case .noCertificate, .notSupported: .unknown
        // A stamp has a time, at which its authority's certificate is valid or not.
        case .untrusted(let distrust): distrust.reason.isOfTime ? .wrong : distrust.reason.verdict
        case .malformed, .refused, .wrongNonce, .wrongImprint, .wrongPolicy, .weakAlgorithm, .future, .past,
            .notForTimeStamps, .wrongSignature, .wrongIndex, .incomplete:
            .wrong
        }
    }
}

extension Distrust.Reason {
    /// Whether a certificate at fault was or will be valid at another time.
    package var isOfTime: Bool {
        switch self {
        case .expired, .notYetValid: true
        default: false
        }
    }

    package var verdict: Verdict {
        switch self {
        // A signature is not older than its certificate.
        case .revoked, .notYetValid, .notForSigning: .wrong
        case .expired, .listMissing, .listOutdated, .notUnderstood, .unknownIssuer, .noPath: .unknown
        }
    }
}
