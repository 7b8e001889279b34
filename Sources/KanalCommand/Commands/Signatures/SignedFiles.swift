// SPDX-License-Identifier: Apache-2.0
import Terminal

/// The results for files that were signed, or whose messages were changed.
struct SignedFiles: Report {
    let files: [SignedFile]
    let untried: [String]?

    init(_ batch: Batch<SignedFile>) {
        (files, untried) = (batch.results, batch.untried.isEmpty ? nil : batch.untried)
    }

    func text(_ style: Style) -> String {
        files.compactMap { file in file.isSkipped == true ? nil : file.signature.map { $0.printable + "\n" } }.joined()
    }
}
