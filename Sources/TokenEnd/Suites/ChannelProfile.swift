// SPDX-License-Identifier: Apache-2.0

import GOST

/// The profiles of GSC/1: which primitives a channel uses.
package enum ChannelProfile: UInt8, CaseIterable, Sendable {
    case classic = 1
    case modern = 2

    /// The profile's bit in lists of profiles.
    var bit: UInt8 { rawValue }

    /// The profile's part of the protocol.
    var suite: any ChannelSuite.Type {
        switch self {
        case .classic: ClassicSuite.self
        case .modern: ModernSuite.self
        }
    }
}
