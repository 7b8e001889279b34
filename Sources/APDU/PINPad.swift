// SPDX-License-Identifier: Apache-2.0

/// A reader at which the user can type present PINs and new ones.
package struct PINPad: Sendable, Equatable {
    /// The lengths of PINs that can be typed.
    package let lengths: ClosedRange<Int>

    /// - Parameters:
    ///   - shortest: nil if the reader does not say it.
    ///   - longest: nil if the reader does not say it. Many readers then take as many digits as ISO 9564 has at most, or a
    ///     few more.
    package init(shortest: Int? = nil, longest: Int? = nil) {
        let shortest = max(shortest ?? 1, 1)
        lengths = shortest...max(longest ?? 15, shortest)
    }
}
