// SPDX-License-Identifier: Apache-2.0
import KanalKit
import KanalXML
import Terminal

/// The verification of signatures in XML documents.
struct DocumentVerification: Sendable {
    let files: [String]
    let verifier: XMLVerifier

    func run() async -> Batch<VerifiedFile> {
        let progress = BatchProgress(.verification, count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>(files)
        let isTrustChecked = !verifier.trust.checksSignatureOnly
        await batch.attemptAll { number, file in
            let input = try InputFile(file)
            let tell = progress.begin(number, input)
            let document = try input.all(limit: DocumentSigning.longest)
            tell(document.count)
            let signatures = try await verifier.verify(document)
            return VerifiedFile(
                file, signers: signatures.map(VerifiedFile.Signer.init), isTrustChecked: isTrustChecked)
        } failed: { file, error, text in
            var claimed: [XMLSignature] = []
            if case .untrusted(let signatures)? = error as? XMLFault { claimed = signatures }
            return VerifiedFile(
                file, signers: claimed.map(VerifiedFile.Signer.init), isTrustChecked: isTrustChecked,
                failure: (error, text))
        }
        return batch
    }
}
