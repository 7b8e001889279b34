// SPDX-License-Identifier: Apache-2.0

import APDU

/// The versions that a token reports.
package struct TokenVersions: Sendable, Equatable {
    package var hardware = TokenVersion(major: 0, minor: 0)
    package var firmware = TokenVersion(major: 0, minor: 0)
    /// The vendor's protocol number.
    package var protocolNumber = 4

    package init() {}

    init(hardware: TokenVersion, firmware: TokenVersion, protocolNumber: Int) {
        self.hardware = hardware
        self.firmware = firmware
        self.protocolNumber = protocolNumber
    }
}
