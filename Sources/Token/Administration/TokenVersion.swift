// SPDX-License-Identifier: Apache-2.0

/// A version of hardware or firmware.
package struct TokenVersion: Sendable, Equatable {
    package var major: UInt8
    package var minor: UInt8

    package init(major: UInt8, minor: UInt8) {
        self.major = major
        self.minor = minor
    }
}
