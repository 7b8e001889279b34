// SPDX-License-Identifier: Apache-2.0

package import Asking
import Token
import Translation

/// A use of a private key that is about to be made.
package struct KeyUse: Sendable {
    package enum Purpose: Sendable {
        /// Of a digest, or a block of bytes; and the message, of which a digest says little.
        case signature([UInt8], of: SignedContent? = nil)
        /// Of a cryptogram. Without padding, it computes whatever a signature would.
        case decryption([UInt8], isPadded: Bool)
        /// With the owner of this public key. It decrypts what was encrypted by such an agreement, too.
        case agreement([UInt8])
    }

    /// Empty if the key has none.
    package let label: String
    let purpose: Purpose

    package init(label: String, purpose: Purpose) {
        (self.label, self.purpose) = (label.onOneLine, purpose)
    }

    /// The lines about its data.
    package var text: String {
        var lines: [String] = []
        switch purpose {
        case .signature(let input, let content):
            if let content { lines.append(content.text) }
            lines.append(translated("Data to sign (\(input.count) bytes): \(Self.digits(input))"))
        case .decryption(let input, let isPadded):
            lines.append(translated("Data to decrypt (\(input.count) bytes): \(Self.digits(input))"))
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

/// A message that is to be signed, as the user is told of it.
package struct SignedContent: Sendable {
    let text: String

    /// - Parameter content: The whole message.
    package init(_ content: Span<UInt8>) {
        let start = (0..<min(content.count, 80)).map { content[$0] }
        let characters = start.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        text = translated("Message: \(content.count) bytes, beginning with: \(characters)")
    }

    /// - Parameter file: The file's name, as the program gives it.
    package init(file: String) { text = translated("File: \(file.onOneLine)") }
}

extension Slots {
    /// Which uses of private keys need the user's consent.
    package var consent: Consent { interaction.consent }

    /// Has the user asked for consent to a use of a private key.
    ///
    /// - Throws: ``TokensError/unanswered(_:)`` if the user says no, or there is no answer, or no user to ask;
    ///   ``TokensError/ended`` if the work with all tokens ended meanwhile.
    package func askConsent(to use: KeyUse, of token: TokenFacts, in slot: Int) throws(TokensError) {
        guard let prompt = interaction.prompt, prompt.asksUser else { throw .unanswered(.notConfigured) }
        let question = use.question(token)
        try inquire(.consent, in: slot) { () throws(TokensError) in try confirm(question, by: prompt) }
        _ = try entry(slot)
    }
}

extension KeyUse {
    fileprivate func question(_ token: TokenFacts) -> Question {
        switch purpose {
        case .signature:
            Question(
                title: "Sign with a token",
                text: lines(
                    asking: label.isEmpty ? "Sign with a key without a label?" : "Sign with the key \(label)?",
                    of: token),
                button: "Sign")
        case .decryption:
            Question(
                title: "Decrypt with a token",
                text: lines(
                    asking: label.isEmpty ? "Decrypt with a key without a label?" : "Decrypt with the key \(label)?",
                    of: token),
                button: "Decrypt")
        case .agreement:
            Question(
                title: "Agree on a key with a token",
                text: lines(
                    asking: label.isEmpty
                        ? "Agree on a secret with a key without a label?" : "Agree on a secret with the key \(label)?",
                    of: token),
                button: "Agree")
        }
    }

    private func lines(asking question: Phrase, of token: TokenFacts) -> String {
        [translated(question), token.text, text].joined(separator: "\n")
    }
}
