// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import Translation

/// How text for people is set: its width, and whether it has colours.
package struct Style: Sendable, Equatable {
    /// The terminal's columns; nil without a terminal, where lines are not broken.
    package let width: Int?
    package let hasColor: Bool

    package init(width: Int?, hasColor: Bool) {
        self.width = width
        self.hasColor = hasColor
    }

    /// The style for a descriptor. The variable `NO_COLOR` turns colours off.
    package init(descriptor: Int32) {
        guard isatty(descriptor) == 1 else {
            self.init(width: nil, hasColor: false)
            return
        }
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let context = ProgramContext.current
        let isPlain = context.variable("NO_COLOR")?.isEmpty == false || context.variable("TERM") == "dumb"
        self.init(width: isKnown ? max(Int(size.ws_col), 20) : 80, hasColor: !isPlain)
    }

    package enum Emphasis: String, Sendable {
        case bold = "1"
        case good = "32"
        case bad = "31"
        case caution = "33"
    }

    /// The text with an emphasis, if there are colours.
    package func text(_ text: String, _ emphasis: Emphasis) -> String {
        hasColor ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}
