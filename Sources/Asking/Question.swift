// SPDX-License-Identifier: Apache-2.0
package import Translation

/// What a user is asked, in the user's language. Characters that control a terminal or the direction of writing are
/// shown as "?", whoever wrote them, and texts are cut to what a line of the protocol takes.
package struct Question: Sendable {
    /// The title of the window.
    package var title: Phrase
    /// What is asked, for whom and for what. It may have several lines.
    package var text: String
    /// What stands before the field.
    package var prompt: String
    /// What was wrong with the last answer; nil if this is the first time.
    package var error: String?
    /// What stands before the second field, for something new that is typed twice; nil if it is typed once.
    package var repeatPrompt: String?
    /// What names the secret to a store of passwords; nil if none shall keep it.
    package var key: String?

    package init(
        title: Phrase, text: String, prompt: String, error: String? = nil, repeatPrompt: String? = nil,
        key: String? = nil
    ) {
        self.title = title
        self.text = text
        self.prompt = prompt
        self.error = error
        self.repeatPrompt = repeatPrompt
        self.key = key
    }
}
