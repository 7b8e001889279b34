// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Terminal
import Translation

/// A result, as text for people and as JSON for programs.
protocol Report: Encodable, Sendable {
    /// The result in lines, each with its end.
    func text(_ style: Style) -> String
}
