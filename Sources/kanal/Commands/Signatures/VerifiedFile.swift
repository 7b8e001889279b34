// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The result for a file whose signature was verified.
struct VerifiedFile: Encodable, Sendable {
    struct Signer: Encodable, Sendable {
        let subject: String?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
    }

    let file: String
    let isValid: Bool
    /// The signers of a message. In a rejected one their names are mere claims.
    let signers: [Signer]
    let error: String?
}

extension VerifiedFile.Signer {
    init(_ signer: MessageSigner) {
        let summary = try? CertificateSummary(of: signer.certificate)
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = signer.signingTime.map { Moment($0).text }
    }
}

struct VerifiedFiles: Report {
    let files: [VerifiedFile]

    func text(_ style: Style) -> String {
        files.map { file in
            let verdict =
                file.isValid ? style.text(translated("good"), .good) : style.text(translated("not accepted"), .bad)
            let signers = file.signers.map { signer in
                let time: Phrase = signer.signingTime.map { ", who says it was at \($0)" } ?? ""
                let subject = signer.subject.map { Phrase(verbatim: $0.printable) } ?? Phrase("an unknown subject")
                return "  " + translated("signed by \(subject)\(time)") + "\n"
            }
            return "\(file.file.printable): \(verdict)\n" + (file.isValid ? signers.joined() : "")
        }.joined()
    }
}
