// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

extension VerifiedFile {
    /// A time stamp, of a signature or of a file.
    struct Stamp: Encodable, Sendable {
        /// The bytes that it is of.
        let kind: String
        /// The time, to a second; nil for a stamp that cannot be read.
        let time: String?
        /// The subject of the authority's certificate; nil for a stamp that counts for nothing.
        let authority: String?
        /// The kind of the reason why it counts for nothing, and its words in English.
        let fault: String?
        let error: String?
        fileprivate let reason: Phrase?

        private enum CodingKeys: CodingKey { case kind, time, authority, fault, error }

        init(_ stamp: TimeStamp) {
            kind = stamp.kind.name
            time = stamp.time == 0 ? nil : Timestamp(stamp.time).text
            authority = stamp.authority.map { der in
                (try? CertificateSummary(of: der))?.subject.description ?? ""
            }
            fault = stamp.fault?.kind
            reason = stamp.fault?.explanation
            error = reason?.description.printable
        }
    }
}

extension TimeStamp.Kind {
    /// The name that JSON has for it.
    fileprivate var name: String {
        switch self {
        case .content: "content"
        case .signature: "signature"
        case .signatureAndReferences: "signatureAndReferences"
        case .references: "references"
        case .archive: "archive"
        case .formerArchive: "formerArchive"
        }
    }
}

extension TimeStamp.Fault {
    /// The name that JSON has for it.
    fileprivate var kind: String {
        switch self {
        case .malformed: "malformed"
        case .refused: "refused"
        case .wrongNonce: "wrongNonce"
        case .wrongImprint: "wrongImprint"
        case .wrongPolicy: "wrongPolicy"
        case .weakAlgorithm: "weakAlgorithm"
        case .future: "future"
        case .past: "past"
        case .noCertificate: "noCertificate"
        case .notForTimeStamps: "notForTimeStamps"
        case .wrongSignature: "wrongSignature"
        case .wrongIndex: "wrongIndex"
        case .incomplete: "incomplete"
        case .notSupported: "notSupported"
        case .untrusted: "untrusted"
        }
    }
}

extension VerifiedFile.Signer {
    /// The form of the signature, behind the signer's name.
    var levelText: String { level.map { " (CAdES-\($0))" } ?? "" }

    /// A line for each time stamp, in the user's language.
    ///
    /// - Parameter isTrustChecked: Whether a path to a trusted certificate was asked for.
    func stampLines(isTrustChecked: Bool) -> String {
        (timeStamps ?? []).map { stamp in
            if let reason = stamp.reason { return translated("the time stamp counts for nothing: \(reason)") }
            let authority = Phrase(verbatim: stamp.authority?.printable ?? "")
            guard let time = stamp.time, let provenTime else { return "" }
            if stamp.kind == "references" || stamp.kind == "signatureAndReferences" {
                return translated("references there before \(time): time stamp of \(authority)")
            }
            if isTrustChecked, let statedTime, stamp.kind == "signature" {
                return translated(
                    """
                    signed before \(provenTime), certificate valid then, not revoked as of \(statedTime): time stamp of \
                    \(authority)
                    """)
            }
            if stamp.kind == "archive" { return translated("archived before \(time): time stamp of \(authority)") }
            return isTrustChecked
                ? translated("signed before \(provenTime), certificate valid then: time stamp of \(authority)")
                : translated("signed before \(provenTime): time stamp of \(authority)")
        }.map { "  \($0)\n" }.joined()
    }
}

extension VerifiedFile.Stamp {
    /// A line for the time stamp of a file, in the user's language.
    var line: String {
        guard let time, let authority else { return "" }
        return "  " + translated("there before \(time): time stamp of \(Phrase(verbatim: authority.printable))") + "\n"
    }
}

extension MessageVerification {
    /// Verifies the time stamp of a file, which is in FILE.tsr.
    ///
    /// - Returns: nil for a file that has none.
    func verifyStamp(_ file: String, _ number: Int, _ progress: BatchProgress) async throws -> TimeStamp? {
        guard place == nil, InputFile.isRegular(file) else { return nil }
        let stamp: String, stamped: String
        if file.hasSuffix(Self.stampEnding) {
            (stamp, stamped) = (file, content ?? String(file.dropLast(Self.stampEnding.count)))
        } else {
            guard content == nil, InputFile.isRegular(file + Self.stampEnding), !MessageFile.isMessage(file),
                MessageFile.messageBeside(file) == nil
            else { return nil }
            (stamp, stamped) = (file + Self.stampEnding, file)
        }
        let bytes = try InputFile(stamp).all(limit: Self.stampLimit)
        let input = try InputFile(stamped)
        do {
            return try await verifier.verify(
                timeStamp: bytes, of: input.source(progress: progress.begin(number, input)))
        } catch KanalError.timeStampRefused(.untrusted(let distrust)) {
            let refusal = KanalError.timeStampRefused(.untrusted(distrust))
            guard let remedy = Distrust.remedy(for: [distrust]) else { throw refusal }
            throw CommandError(.failed, "\(refusal.explanation): \(remedy)", of: refusal, remedy: "--offline")
        }
    }

    static let stampEnding = ".tsr"
    private static let stampLimit = 1 << 20
}
