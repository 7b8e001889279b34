// SPDX-License-Identifier: Apache-2.0
import HostCrypto
package import Translation

/// A time stamp (RFC 3161): an authority's signature over the digest of some bytes and the time at which it was shown it.
public struct TimeStamp: Sendable, Equatable {
    /// The time, in seconds since 1970.
    public let time: Int64
    /// The fraction of a second, in nanoseconds.
    public let nanoseconds: Int32
    /// By how many microseconds the time may be wrong, at most; nil if the authority does not say.
    public let accuracy: Int64?
    /// The authority's certificate in DER; nil for a stamp that counts for nothing.
    public let authority: [UInt8]?
    /// The reason why the stamp counts for nothing; nil if it is good.
    public internal(set) var fault: Fault?
    /// The bytes that the stamp is of.
    public let kind: Kind
    /// The path from the authority to a trusted certificate at the stamp's time; nil if none was found or asked for.
    @Uncompared var evidence: PathEvidence?

    /// The bytes that a stamp is of.
    public enum Kind: Sendable, Equatable {
        /// Some bytes by themselves.
        case content
        /// A signature.
        case signature
        /// A signature, its time stamps, and its references (RFC 5126, 6.3.5).
        case signatureAndReferences
        /// The references of a signature (RFC 5126, 6.3.6).
        case references
        /// All of a message: the content, the signature, the certificates and all else (EN 319 122-1, 5.5.3).
        case archive
        /// The same as former standards have it. Such stamps are not verified here.
        case formerArchive
    }

    /// Why a time stamp counts for nothing. Times are in seconds since 1970.
    public enum Fault: Error, Sendable, Equatable {
        /// Not a time stamp, truncated, or not as RFC 3161 has it.
        case malformed
        /// The authority did not stamp. The associated value has its status and its reason.
        case refused(Explanation)
        /// The reply is to another request: its nonce is different.
        case wrongNonce
        /// The stamp is of other bytes.
        case wrongImprint
        /// The stamp follows another policy than was asked for.
        case wrongPolicy
        /// A hash function, a signature algorithm or a key is weak or not known.
        case weakAlgorithm
        /// The stamp's time is to come.
        case future(Int64)
        /// The stamp's time is long before the request.
        case past(Int64)
        /// The authority's certificate is missing, or the stamp names a different one.
        case noCertificate
        /// The certificate, in DER, is not for time stamps alone, or does not say so critically.
        case notForTimeStamps([UInt8])
        /// The authority's signature is wrong.
        case wrongSignature
        /// By its index, the archive time stamp is of a certificate, a list or an attribute that is not in the message.
        case wrongIndex
        /// The archive time stamp is not of all certificates, lists and attributes in the message, nor is a later one.
        case incomplete
        /// An archive time stamp of a kind that is not verified here, or one of a long content by another hash function than
        /// the signature's.
        case notSupported
        /// The authority's certificate led to no trusted one at the stamp's time.
        case untrusted(Distrust)
    }
}

extension TimeStamp {
    /// - Parameter authority: The authority, or the reason why the stamp does not count.
    init(_ token: TimeStampToken, _ kind: Kind, _ authority: Result<StampAuthority, TimeStamp.Fault>) {
        self.kind = kind
        time = Int64(token.time.seconds)
        nanoseconds = Int32(truncatingIfNeeded: token.time.nanoseconds)
        accuracy = token.time.accuracy.map(Int64.init)
        switch authority {
        case .success(let found): (self.authority, evidence, fault) = (found.certificate, found.evidence, nil)
        case .failure(let fault): (self.authority, evidence, self.fault) = (nil, nil, fault)
        }
    }

    /// A stamp that cannot be read.
    init(unreadable fault: Fault, _ kind: Kind) {
        (time, nanoseconds, accuracy, authority, evidence) = (0, 0, nil, nil, nil)
        (self.fault, self.kind) = (fault, kind)
    }
}

extension TimeStamp.Fault {
    /// - Throws: A failure of the host, which is not a fault of the stamp.
    init(_ fault: TimeStampFault) throws(HostCryptoError) {
        self =
            switch fault {
            case .malformed: .malformed
            case .refused(let refusal): .refused(Explanation(refusal.words))
            case .wrongNonce: .wrongNonce
            case .wrongImprint: .wrongImprint
            case .wrongPolicy: .wrongPolicy
            case .weakAlgorithm: .weakAlgorithm
            case .future(let time): .future(Int64(time))
            case .past(let time): .past(Int64(time))
            case .noCertificate: .noCertificate
            case .notForTimeStamps(let certificate): .notForTimeStamps(certificate)
            case .wrongSignature: .wrongSignature
            case .wrongIndex: .wrongIndex
            case .notSupported: .notSupported
            case .untrusted(let fault): .untrusted(Distrust(fault))
            case .failure(let error): throw error
            }
    }
}

extension TimeStamp.Fault: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .malformed: return "it is not a time stamp, or is damaged"
        case .refused(let reason): return reason.phrase
        case .wrongNonce: return "the time stamp answers another request: its nonce differs"
        case .wrongImprint: return "the time stamp is of other data"
        case .wrongPolicy: return "the time stamp follows another policy than was asked for"
        case .weakAlgorithm: return "the time stamp is by an algorithm or a key that is weak or not known"
        case .future(let time):
            return "the time stamp is of \(Timestamp(time).text), which is to come: check the clock"
        case .past(let time):
            return "the time stamp is of \(Timestamp(time).text), long before the request: check the clock"
        case .noCertificate:
            return "the certificate of the time stamp's authority is missing, or not the one that the stamp names"
        case .notForTimeStamps(let certificate):
            let summary = try? CertificateSummary(of: certificate)
            let subject = summary.map { Phrase(verbatim: $0.subject.description) } ?? "an unknown subject"
            return """
                the certificate of \(subject) must be for time stamps alone, in a critical extension, and is not: it is no \
                authority for them
                """
        case .wrongSignature: return "the signature of the time stamp is wrong"
        case .wrongIndex: return "the time stamp is of a certificate, a list or an attribute that is not in the message"
        case .incomplete: return "the time stamp is not of all certificates, lists and attributes in the message"
        case .notSupported: return "an archive time stamp of this kind is not verified here"
        case .untrusted(let distrust):
            return "the time stamp's authority is not trusted: \(distrust.explanation)"
        }
    }
}

extension TimeStampFault.Refusal {
    /// The status, the reason and the authority's words.
    fileprivate var words: Phrase {
        let refusal: Phrase =
            switch status {
            case 3: "the authority has not stamped yet: ask again later"
            case 4, 5: "the authority did not stamp: its certificate is revoked or about to be"
            default: "the authority did not stamp"
            }
        let cause: Phrase =
            switch reason {
            case .badAlgorithm: ", for it does not know the hash function"
            case .badRequest, .badDataFormat: ", for it does not understand the request"
            case .timeNotAvailable: ", for it does not know the time now"
            case .unacceptedPolicy: ", for it does not follow the policy that was asked for"
            case .unacceptedExtension, .informationNotAvailable: ", for it does not offer what was asked for"
            case .systemFailure: ", for it is out of order now"
            case nil: ""
            }
        guard let text else { return "\(refusal)\(cause)" }
        return "\(refusal)\(cause): \(Phrase(verbatim: text.filter { !$0.isNewline }))"
    }
}
