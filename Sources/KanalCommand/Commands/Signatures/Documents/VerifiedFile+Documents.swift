// SPDX-License-Identifier: Apache-2.0
import KanalKit
import KanalXML
import Secrets
import Terminal
import Translation

extension VerifiedFile {
    /// An element that a signature of a document covers.
    struct Covered: Encodable, Sendable {
        /// nil for the document.
        let id: String?
        let path: String
    }
}

extension VerifiedFile.Signer {
    init(_ signature: XMLSignature) {
        let covered = signature.covered.map { VerifiedFile.Covered(id: $0.identifier, path: $0.path) }
        self.init(
            certificate: signature.certificate, signingTime: signature.signingTime, distrust: signature.distrust,
            covered: covered, verdict: signature.verdict)
    }

    /// Lines for people: all that is not in them may be anybody's.
    var coveredLines: String {
        (covered ?? []).map { element in
            let text: Phrase =
                element.id.map { "covers \(element.path) with the Id \($0)" }
                ?? "covers the whole document without the signature"
            return "    " + translated(text).printable + "\n"
        }.joined()
    }
}

extension XMLFault: Explained {}
