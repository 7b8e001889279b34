// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// Limits and tries of a PIN.
public struct PINDetails: Sendable, Equatable {
    /// The allowed lengths in bytes.
    public let lengths: ClosedRange<Int>
    /// The number of wrong ones in a row that locks it.
    public let tries: Int
    /// The number of tries left.
    public let triesLeft: Int
    /// Whether it still is the token's PIN from the factory or from formatting.
    public let isDefault: Bool
}

extension PINDetails {
    init(_ state: PINState) {
        lengths = state.minimumLength...max(state.minimumLength, state.maximumLength)
        tries = state.tries
        triesLeft = state.triesLeft
        isDefault = !state.isChanged
    }
}
