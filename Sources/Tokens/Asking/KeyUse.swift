// SPDX-License-Identifier: Apache-2.0

import Asking
import Secrets
import Token
import Translation

/// A use of a private key that is about to be made.
package struct KeyUse: Sendable {
    package enum Purpose: Sendable {
        /// Of a digest, or a block of bytes; and the message, which a digest does not show.
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

extension Slots {
    /// Whether a use of a private key needs the user's consent.
    ///
    /// - Parameter perKey: Whether the key wants to be asked for at each use.
    package func asksConsent(perKey: Bool) -> Bool {
        switch interaction.consent {
        case .never: false
        case .always: true
        case .perKey: perKey
        }
    }

    /// Has the user asked for consent to a use of a private key.
    ///
    /// - Throws: ``TokensError/unanswered(_:)`` if the user refuses, or there is no answer, or no user to ask;
    ///   ``TokensError/ended`` if the work with all tokens ended in the meantime.
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
