// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST

/// The two sets of primitives of GSC/1 (section 3). The raw value is PID.
package enum Profile: UInt8, Sendable, CaseIterable, Comparable {
    /// GOST R 34.11-94, VKO GOST R 34.10-2001, GOST 28147-89.
    case classic = 1
    /// GOST R 34.11-2012, SESPAKE, VKO GOST R 34.10-2012, Kuznyechik-MGM.
    case modern = 2

    /// The higher profile protects better.
    package static func < (left: Profile, right: Profile) -> Bool { left.rawValue < right.rawValue }

    /// The profile's bit in E1.82 and E3.82.
    var bit: UInt8 { rawValue }

    /// The least number of random symbols in an activation password (section 5).
    var leastRandomSymbols: Int { self == .modern ? 11 : 15 }

    /// The profiles whose bits are set.
    static func set(bits: UInt8) -> Set<Profile> { Set(allCases.filter { bits & $0.bit != 0 }) }

    /// The computations of this profile.
    var suite: any Suite.Type {
        switch self {
        case .classic: ClassicSuite.self
        case .modern: ModernSuite.self
        }
    }
}
