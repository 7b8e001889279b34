// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// Whether a text is part of this one.
    ///
    /// The `contains(_:)` of texts is part of the module of regular expressions, which a call of it would link into the
    /// library: 1.2 MB.
    package func mentions(_ text: String) -> Bool { indices.contains { self[$0...].hasPrefix(text) } }
}
