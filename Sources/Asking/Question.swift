// SPDX-License-Identifier: Apache-2.0

import Locking
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

/// The uses of private keys that the user is asked for, from the laxest to the strictest.
package enum Consent: String, Sendable, CaseIterable, Comparable {
    case never
    /// For keys that want a login before each use (CKA_ALWAYS_AUTHENTICATE).
    case perKey = "per-key"
    case always

    package static func < (left: Consent, right: Consent) -> Bool { left.strictness < right.strictness }

    private var strictness: Int {
        switch self {
        case .never: 0
        case .perKey: 1
        case .always: 2
        }
    }
}

/// An end of waiting, by a clock that cannot be set.
struct Deadline {
    private let end: Duration

    init(after duration: Duration) { end = Clocks.system.awake.now + duration }

    var isOver: Bool { milliseconds == 0 }

    /// The time left, for poll(2): rounded up, and 0 when it is over.
    var milliseconds: Int32 {
        let left = (end - Clocks.system.awake.now).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// The reasons why a question ends without an answer.
package enum AskingError: Error, Equatable, Sendable {
    /// The user said no.
    case cancelled
    /// Time ran out, or the authenticator broke. The text says which, for logs; it is never a secret.
    case failed(Phrase)
    /// The authenticator is configured, and is missing or cannot run. The text names it and the reason.
    case notInstalled(Phrase)
    /// No authenticator is configured for this, or the process has more rights than the user who started it and never
    /// asks.
    case notConfigured
}
