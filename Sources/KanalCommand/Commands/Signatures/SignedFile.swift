// SPDX-License-Identifier: Apache-2.0
import Terminal

/// The result for a file to be signed.
struct SignedFile: Encodable, Sendable {
    let file: String
    let signature: String?
    /// Whether the signature was there already.
    let isSkipped: Bool?
    let error: String?

    init(_ file: String, signature: String? = nil, isSkipped: Bool? = nil, error: String? = nil) {
        self.file = file.shownName
        self.signature = signature?.shownName
        (self.isSkipped, self.error) = (isSkipped, error)
    }
}
