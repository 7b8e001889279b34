// SPDX-License-Identifier: Apache-2.0

/// An element that a signature covers, with all in it but the signature itself.
public struct CoveredElement: Sendable, Equatable {
    /// The identifier by which the signature names it; nil for the document.
    public let identifier: String?
    /// The way to it from the root, in the form of ``XMLVerifier/elements``; `/` for the document.
    public let path: String

    package init(identifier: String?, path: String) { (self.identifier, self.path) = (identifier, path) }
}
