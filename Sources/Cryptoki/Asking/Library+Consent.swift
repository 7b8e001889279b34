// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Token
import Translation

extension Library {
    /// Has the user asked for consent to a signature.
    ///
    /// - Throws: `CKR_FUNCTION_CANCELED` if the user says no; `CKR_FUNCTION_FAILED` if there is no answer, or nobody to ask.
    func askConsent(to draft: SignatureDraft, of token: TokenFacts, in slot: CK_SLOT_ID) throws(CKError) {
        guard let prompt = interaction.prompt, prompt.asksUser else { throw CKError(.notConfigured) }
        let question = Question(
            title: "Sign with a token", text: token.text(for: "a signature") + "\n" + draft.text,
            prompt: translated("Sign?"))
        try inquire(.consent, in: slot) { () throws(CKError) in try confirm(question, by: prompt) }
    }
}

extension Session {
    /// Makes sure that the user has said yes to a signature, if that is wanted for the key.
    func requireConsent(to input: [UInt8], with key: Object) throws(CKError) {
        let isWanted =
            switch slot.consent {
            case .never: false
            case .always: true
            case .perKey: key.attributes[CKA_ALWAYS_AUTHENTICATE] == [1]
            }
        guard isWanted else { return }
        let label = key.attributes[CKA_LABEL].map { String(decoding: $0, as: UTF8.self) } ?? ""
        let id = key.attributes[CKA_UNIQUE_ID] ?? []
        try consent.use(for: SignatureDraft(key: id, label: label, input: input, content: consent.content))
    }
}
