// SPDX-License-Identifier: Apache-2.0

import Asking
import CCryptoki
import Token
import Translation

/// The user's consent to one use of a private key, and its state.
///
/// A function that uses a private key runs until the key is about to compute. If the user's consent is wanted for that,
/// the function fails with a ``draft``; after a yes to this draft it runs again from its beginning, and uses the key.
struct KeyUseConsent {
    /// The content of a message to be signed, for a signature of which the digest alone says little.
    var content: SignedContent?
    /// The use that was about to be made without a consent.
    private(set) var draft: KeyUse?
    /// The draft that the user said yes to.
    private var given: KeyUse?

    /// Uses up the consent to this use of a key.
    ///
    /// - Throws: `CKR_FUNCTION_FAILED` without consent, and leaves a draft.
    mutating func use(for draft: KeyUse) throws(CKError) {
        defer { given = nil }
        guard given == draft else {
            self.draft = draft
            throw CKError(CKR_FUNCTION_FAILED, "the user's consent to this use of the key is wanted")
        }
    }

    mutating func takeDraft() -> KeyUse? {
        defer { draft = nil }
        return draft
    }

    mutating func give(to draft: KeyUse) { given = draft }
}

/// A use of a private key that is about to be made.
struct KeyUse: Equatable {
    enum Purpose: Equatable {
        /// Of a digest, or a block of bytes.
        case signature([UInt8])
        /// Of a cryptogram. Without padding, it computes whatever a signature would.
        case decryption([UInt8], isPadded: Bool)
        /// With the owner of this public key. It decrypts what was encrypted by such an agreement, too.
        case agreement([UInt8])
    }

    /// `CKA_UNIQUE_ID` of the key.
    let key: [UInt8]
    /// Empty if the key has none.
    let label: String
    let purpose: Purpose
    /// Of a signature.
    let content: SignedContent?

    /// The lines that tell of it.
    var text: String {
        var lines = [translated(label.isEmpty ? "Key: without a label" : "Key: \(label)")]
        if let content { lines.append(content.text) }
        switch purpose {
        case .signature(let input):
            lines.append(translated("What is signed (\(input.count) bytes): \(Self.digits(input))"))
        case .decryption(let input, let isPadded):
            lines.append(translated("What is decrypted (\(input.count) bytes): \(Self.digits(input))"))
            if !isPadded { lines.append(translated("Without padding: the result can be a signature.")) }
        case .agreement(let peer):
            lines.append(translated("The other side's public key (\(peer.count) bytes): \(Self.digits(peer))"))
        }
        return lines.joined(separator: "\n")
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + (bytes.count > 64 ? "…" : "")
    }
}

/// A message that is to be signed.
struct SignedContent: Equatable {
    let count: Int
    /// The first bytes.
    let start: [UInt8]

    /// - Parameter content: The whole message.
    init(_ content: Span<UInt8>) {
        count = content.count
        start = (0..<min(content.count, 80)).map { content[$0] }
    }

    var text: String {
        let characters = start.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        return translated("Message: \(count) bytes, beginning with: \(characters)")
    }
}

extension Library {
    /// Has the user asked for consent to a use of a private key.
    ///
    /// - Throws: `CKR_FUNCTION_CANCELED` if the user says no; `CKR_FUNCTION_FAILED` without an answer or a user to ask.
    func askConsent(to use: KeyUse, of token: TokenFacts, in slot: CK_SLOT_ID) throws(CKError) {
        guard let prompt = interaction.prompt, prompt.asksUser else { throw CKError(.notConfigured) }
        let question = use.question(token)
        try inquire(.consent, in: slot) { () throws(CKError) in try confirm(question, by: prompt) }
    }
}

extension KeyUse {
    fileprivate func question(_ token: TokenFacts) -> Question {
        switch purpose {
        case .signature:
            Question(
                title: "Sign with a token", text: token.text(for: "a signature") + "\n" + text,
                prompt: translated("Sign?"))
        case .decryption:
            Question(
                title: "Decrypt with a token", text: token.text(for: "a decryption") + "\n" + text,
                prompt: translated("Decrypt?"))
        case .agreement:
            Question(
                title: "Agree on a key with a token", text: token.text(for: "a key agreement") + "\n" + text,
                prompt: translated("Agree?"))
        }
    }
}

extension Session {
    /// Makes sure that the user has said yes to a use of a private key, if that is wanted for the key.
    func requireConsent(to purpose: KeyUse.Purpose, with key: Object) throws(CKError) {
        let isWanted =
            switch slot.consent {
            case .never: false
            case .always: true
            case .perKey: key.attributes[CKA_ALWAYS_AUTHENTICATE] == [1]
            }
        guard isWanted else { return }
        let label = key.attributes[CKA_LABEL].map { String(decoding: $0, as: UTF8.self) } ?? ""
        let id = key.attributes[CKA_UNIQUE_ID] ?? []
        try consent.use(for: KeyUse(key: id, label: label, purpose: purpose, content: consent.content))
    }
}
