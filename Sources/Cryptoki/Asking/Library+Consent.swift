// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Token
import Translation

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
