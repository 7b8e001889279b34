// SPDX-License-Identifier: Apache-2.0

import Asking
import Token
import Translation

/// The user's consent to one use of a private key, and its state.
///
/// A function that uses a private key runs until the key is about to compute. If the user's consent is wanted for that,
/// the function fails with a ``draft``; after a yes to this draft it runs again from its beginning, and uses the key.
package struct KeyUseConsent {
    /// The content of a message to be signed, for a signature of which the digest alone says little.
    package var content: SignedContent?
    /// The use that was about to be made without a consent.
    package private(set) var draft: KeyUse?
    /// The draft that the user said yes to.
    private var given: KeyUse?

    package init() {}

    /// Uses up the consent to this use of a key.
    ///
    /// - Throws: ``TokensError/consentWanted`` without consent, and leaves a draft.
    package mutating func use(for draft: KeyUse) throws(TokensError) {
        defer { given = nil }
        guard given == draft else {
            self.draft = draft
            throw .consentWanted
        }
    }

    package mutating func takeDraft() -> KeyUse? {
        defer { draft = nil }
        return draft
    }

    package mutating func give(to draft: KeyUse) { given = draft }
}

/// A use of a private key that is about to be made.
package struct KeyUse: Equatable, Sendable {
    package enum Purpose: Equatable, Sendable {
        /// Of a digest, or a block of bytes.
        case signature([UInt8])
        /// Of a cryptogram. Without padding, it computes whatever a signature would.
        case decryption([UInt8], isPadded: Bool)
        /// With the owner of this public key. It decrypts what was encrypted by such an agreement, too.
        case agreement([UInt8])
    }

    /// The unique identifier of the key.
    let key: [UInt8]
    /// Empty if the key has none.
    let label: String
    let purpose: Purpose
    /// Of a signature.
    let content: SignedContent?

    package init(key: [UInt8], label: String, purpose: Purpose, content: SignedContent?) {
        (self.key, self.label, self.purpose, self.content) = (key, label, purpose, content)
    }

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
        bytes.prefix(64).hexadecimal + (bytes.count > 64 ? "…" : "")
    }
}

/// A message that is to be signed.
package struct SignedContent: Equatable, Sendable {
    let count: Int
    /// The first bytes.
    let start: [UInt8]

    /// - Parameter content: The whole message.
    package init(_ content: Span<UInt8>) {
        count = content.count
        start = (0..<min(content.count, 80)).map { content[$0] }
    }

    var text: String {
        let characters = start.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        return translated("Message: \(count) bytes, beginning with: \(characters)")
    }
}

extension Slots {
    /// Has the user asked for consent to a use of a private key.
    ///
    /// - Throws: ``TokensError/unanswered(_:)`` if the user says no, or there is no answer, or no user to ask.
    package func askConsent(to use: KeyUse, of token: TokenFacts, in slot: Int) throws(TokensError) {
        guard let prompt = interaction.prompt, prompt.asksUser else { throw .unanswered(.notConfigured) }
        let question = use.question(token)
        try inquire(.consent, in: slot) { () throws(TokensError) in try confirm(question, by: prompt) }
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
