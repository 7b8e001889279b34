// SPDX-License-Identifier: Apache-2.0

package import Translation

/// A question to the user, in the user's language. Characters that control a terminal or the direction of writing are
/// shown as "?", whatever their source, and texts are truncated to the protocol's line length.
package struct Question: Sendable {
    /// The title of the window.
    package var title: Phrase
    /// The subject of the question, with its program and purpose. It may have several lines.
    package var text: String
    /// The text before the field; empty if the answer is a yes.
    package var prompt: String
    /// The verb on the button that answers with yes; nil for the program's own word.
    package var button: Phrase?
    /// The error of the last answer; nil if this is the first time.
    package var error: String?
    /// The text before the second field, for a new secret that is typed twice; nil if it is typed once.
    package var repeatPrompt: String?
    /// The name of the secret in a store of passwords; nil if it must not be stored.
    package var key: String?

    package init(
        title: Phrase, text: String, prompt: String = "", button: Phrase? = nil, error: String? = nil,
        repeatPrompt: String? = nil, key: String? = nil
    ) {
        self.title = title
        self.text = text
        self.prompt = prompt
        self.button = button
        self.error = error
        self.repeatPrompt = repeatPrompt
        self.key = key
    }
}

extension String {
    /// The text as a part of a question's line: text of a token or of a program must not look like another line.
    package var onOneLine: String { AssuanText.oneLine(self) }
}
