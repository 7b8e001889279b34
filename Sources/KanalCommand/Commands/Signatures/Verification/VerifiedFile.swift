// SPDX-License-Identifier: Apache-2.0

import KanalKit
import KanalXML
import Secrets
import Terminal
import Translation

/// The result for a file whose signature was verified.
struct VerifiedFile: Encodable, Sendable {
    struct Signer: Encodable, Sendable {
        let subject: String?
        let subjectText: Phrase?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
        let distrust: Distrust?
        /// nil if there are none.
        let countersignatures: [Countersigner]?
        /// The level of CAdES, as "BES"; nil for another form.
        let level: String?
        /// The time before which a good time stamp proves the signature to have been made.
        let provenTime: String?
        /// The time as of which a list or a response states that the certificate is not revoked.
        let statedTime: String?
        let timeStamps: [Stamp]?
        /// What a signature of an XML document covers; nil for messages, which are signed as a whole.
        let covered: [Covered]?
        let verdict: Verdict

        private enum CodingKeys: CodingKey {
            case subject, issuer, serialNumber, signingTime, distrust, countersignatures, level, provenTime, timeStamps
            case statedTime, covered, verdict
        }
    }

    /// A countersignature of a signer.
    struct Countersigner: Encodable, Sendable {
        let subject: String?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
        /// Whether the signature is good, of any signer.
        let isValid: Bool
        let distrust: Distrust?
        let error: String?
        /// The reason why it counts for nothing, for people.
        fileprivate let doubt: Phrase?

        private enum CodingKeys: String, CodingKey {
            case subject, issuer, serialNumber, signingTime, isValid, distrust, error
        }
    }

    /// The reason why a signer is not trusted.
    struct Distrust: Encodable, Sendable {
        let reason: String
        let time: String?
        /// The subject of the certificate that is at fault.
        let subject: String?
        /// The results of the addresses that were asked; nil if none was.
        let causes: [String]?
    }

    let file: String
    let isValid: Bool
    /// nil for a file that cannot be read.
    let verdict: Verdict?
    /// The signers of a message. In a rejected one their names are mere claims.
    let signers: [Signer]
    /// Whether a path to a trusted certificate was asked for; nil for a signature alone.
    let isTrustChecked: Bool?
    /// The time stamp of the file, which has no signers.
    let timeStamp: Stamp?
    let error: String?

    init(
        _ file: String, signers: [Signer] = [], isTrustChecked: Bool? = nil, timeStamp: Stamp? = nil,
        failure: (error: any Error, text: String)? = nil
    ) {
        (self.file, isValid, self.timeStamp) = (file.shownName, failure == nil, timeStamp)
        error = failure?.text
        verdict = if let failure { Verdict(of: failure.error) } else { signers.map(\.verdict).max() ?? .good }
        (self.signers, self.isTrustChecked) = (signers, isTrustChecked)
    }
}

extension VerifiedFile.Signer {
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - message: The signer of a message, if it is one.
    init(
        certificate: [UInt8], signingTime: Int64?, distrust: KanalKit.Distrust?, covered: [VerifiedFile.Covered]? = nil,
        of message: MessageSigner? = nil, verdict: Verdict
    ) {
        let summary = try? CertificateSummary(of: certificate)
        subject = summary?.subject.description
        subjectText = summary?.subject.phrase
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        self.signingTime = signingTime.map { Timestamp($0).text }
        self.distrust = distrust.map(VerifiedFile.Distrust.init)
        let all = (message?.countersignatures ?? []).map(VerifiedFile.Countersigner.init)
        countersignatures = all.isEmpty ? nil : all
        level = message?.level?.name
        provenTime = message?.provenTime.map { Timestamp($0).text }
        statedTime = message?.statedTime.map { Timestamp($0).text }
        let stamps = (message?.timeStamps ?? []).map(VerifiedFile.Stamp.init)
        timeStamps = stamps.isEmpty ? nil : stamps
        (self.covered, self.verdict) = (covered, verdict)
    }

    init(_ signer: MessageSigner) {
        self.init(
            certificate: signer.certificate, signingTime: signer.signingTime, distrust: signer.distrust, of: signer,
            verdict: signer.verdict)
    }
}

extension SignatureLevel {
    /// The name that CAdES has for it.
    fileprivate var name: String {
        switch self {
        case .bes: "BES"
        case .t: "T"
        case .c: "C"
        case .x: "X"
        case .xLong: "XL"
        case .xLongType1: "XLT1"
        case .a: "A"
        }
    }
}

extension VerifiedFile.Countersigner {
    fileprivate init(_ countersignature: Countersignature) {
        let summary = countersignature.certificate.flatMap { try? CertificateSummary(of: $0) }
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = countersignature.signingTime.map { Timestamp($0).text }
        isValid = countersignature.fault == nil
        distrust = countersignature.distrust.map(VerifiedFile.Distrust.init)
        error = countersignature.fault?.description.printable
        doubt = countersignature.fault?.explanation ?? countersignature.distrust?.explanation
    }

    fileprivate var text: String {
        let time: Phrase = signingTime.map { ", who says it was at \($0)" } ?? ""
        let subject = subject.map { Phrase(verbatim: $0.printable) } ?? Phrase("an unknown subject")
        let doubt: Phrase = doubt.map { "; not trusted: \($0)" } ?? ""
        return "    " + translated("countersigned by \(subject)\(time)\(doubt)").printable + "\n"
    }
}

extension VerifiedFile.Distrust {
    init(_ distrust: KanalKit.Distrust) {
        let (name, time): (String, Int64?) =
            switch distrust.reason {
            case .expired(let time): ("expired", time)
            case .notYetValid(let time): ("notYetValid", time)
            case .revoked(let time): ("revoked", time)
            case .listMissing: ("listMissing", nil)
            case .listOutdated(let time): ("listOutdated", time)
            case .notForSigning: ("notForSigning", nil)
            case .notUnderstood: ("notUnderstood", nil)
            case .unknownIssuer: ("unknownIssuer", nil)
            case .noPath: ("noPath", nil)
            }
        reason = name
        self.time = time.map { Timestamp($0).text }
        subject = (try? CertificateSummary(of: distrust.certificate))?.subject.description
        causes = distrust.causes.isEmpty ? nil : distrust.causes.map(\.description.printable)
    }
}

extension VerifiedFile {
    /// The signers that a message claims to have whose signatures are good, and which is not accepted.
    static func claimed(by error: any Error) -> [Signer] {
        guard case .messageRefused(.untrusted(let signers))? = KanalError(behind: error) else { return [] }
        return signers.map(Signer.init)
    }
}

extension KanalError {
    /// The error that one of a command is about; nil if there is none.
    fileprivate init?(behind error: any Error) {
        guard let error = ((error as? CommandError)?.cause ?? error) as? KanalError else { return nil }
        self = error
    }
}

/// The signature of a file is wrong, or of another content.
struct WrongSignature: Error {}

extension Verdict: Encodable {
    /// The verdict on a file that is not accepted, by the reason; nil if the file or the command is at fault.
    init?(of error: any Error) {
        if let fault = error as? XMLFault {
            self = fault.verdict
            return
        }
        switch KanalError(behind: error) {
        case .messageRefused(let fault): self = fault.verdict
        case .timeStampRefused(let fault): self = fault.verdict
        default:
            guard (error as? CommandError)?.cause is WrongSignature else { return nil }
            self = .wrong
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    private var name: String {
        switch self {
        case .good: "good"
        case .goodAtItsTime: "goodAtItsTime"
        case .unknown: "unknown"
        case .wrong: "wrong"
        }
    }
}

struct VerifiedFiles: Report {
    let files: [VerifiedFile]

    func text(_ style: Style) -> String {
        files.map { file in
            let verdict =
                switch file.verdict {
                case .good: style.text(translated("good"), .good)
                case .goodAtItsTime: style.text(translated("good at its time"), .good)
                default: style.text(translated("not accepted"), .bad)
                }
            let signers = file.signers.map { signer in
                let time: Phrase = signer.signingTime.map { ", who says it was at \($0)" } ?? ""
                let subject: Phrase = signer.subjectText ?? "an unknown subject"
                let countersignatures = (signer.countersignatures ?? []).map(\.text).joined()
                return "  " + translated("signed by \(subject)\(time)").printable + signer.levelText + "\n"
                    + signer.coveredLines + signer.stampLines(isTrustChecked: file.isTrustChecked == true)
                    + countersignatures
            }
            let isUnasked = file.isValid && file.isTrustChecked == false
            let trust = isUnasked ? " " + translated("(trust was not asked for)") : ""
            return "\(file.file.printable): \(verdict)\(trust)\n" + (file.isValid ? signers.joined() : "")
                + (file.timeStamp?.line ?? "")
        }.joined()
    }
}
