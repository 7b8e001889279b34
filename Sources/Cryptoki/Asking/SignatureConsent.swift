// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Translation

/// What the user has to say yes to before one signature, and whether that was said.
///
/// A function that signs runs until its private key is about to be used. If the user's consent is wanted for that, the
/// function fails with a ``draft``; after a yes to this draft it runs again from its beginning, and signs.
struct SignatureConsent {
    /// What a message to be signed has in it, for a signature of which the digest alone says little.
    var content: SignedContent?
    /// The signature that was about to be made without a consent.
    private(set) var draft: SignatureDraft?
    /// The draft that the user said yes to.
    private var given: SignatureDraft?

    /// Uses up the consent to this signature.
    ///
    /// - Throws: `CKR_FUNCTION_FAILED` if there is none, and leaves a draft.
    mutating func use(for draft: SignatureDraft) throws(CKError) {
        defer { given = nil }
        guard given == draft else {
            self.draft = draft
            throw CKError(CKR_FUNCTION_FAILED, "the user's consent to this signature is wanted")
        }
    }

    mutating func takeDraft() -> SignatureDraft? {
        defer { draft = nil }
        return draft
    }

    mutating func give(to draft: SignatureDraft) { given = draft }
}

/// A signature that is about to be made.
struct SignatureDraft: Equatable {
    /// `CKA_UNIQUE_ID` of the key.
    let key: [UInt8]
    /// Empty if the key has none.
    let label: String
    /// What the key signs: a digest, or a block of octets.
    let input: [UInt8]
    let content: SignedContent?

    /// The lines that tell of it.
    var text: String {
        var lines = [translated(label.isEmpty ? "Key: without a label" : "Key: \(label)")]
        if let content { lines.append(content.text) }
        let digits = input.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let end = input.count > 64 ? "…" : ""
        lines.append(translated("What is signed (\(input.count) octets): \(digits)\(end)"))
        return lines.joined(separator: "\n")
    }
}

/// A message that is to be signed.
struct SignedContent: Equatable {
    let count: Int
    /// The first octets.
    let start: [UInt8]

    /// - Parameter content: The whole message.
    init(_ content: Span<UInt8>) {
        count = content.count
        start = (0..<min(content.count, 80)).map { content[$0] }
    }

    var text: String {
        let characters = start.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        return translated("Message: \(count) octets, beginning with: \(characters)")
    }
}
