// SPDX-License-Identifier: Apache-2.0
import KanalKit
import KanalXML
import Terminal

/// Signatures in XML documents, all under one login.
struct DocumentSigning {
    let files: [String]
    let signers: MessageSigners
    let form: XMLSignatureForm
    let output: OutputOptions
    let places: SignaturePlaces

    /// The longest document that is read.
    static let longest = 64 << 20

    func run(
        on token: Token, _ secrets: KeyUseOptions, _ batch: Batch<SignedFile>
    ) async throws -> Batch<SignedFile> {
        let (files, signers, form, places) = (files, signers, form, places)
        let (found, batch) = try await secrets.perform(on: token) { session in
            let found = try signers.find(in: session)
            let progress = BatchProgress(.signing, count: files.count)
            defer { progress.end() }
            var batch = batch
            for (number, file) in files.enumerated() {
                batch.attempt(file) {
                    let input = try InputFile(file)
                    let destination = try places.open(for: file)
                    let tell = progress.begin(number, input)
                    let document = try input.all(limit: Self.longest)
                    tell(document.count)
                    for signer in found.signers.prefix(1) {
                        try destination.write(try session.signedXML(document, by: signer, form: form))
                    }
                    try destination.finish()
                    return SignedFile(file, signature: destination.name)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
            return (found, batch)
        }
        if !batch.results.isEmpty { try found.warn(of: token, output) }
        return batch
    }
}
