// SPDX-License-Identifier: Apache-2.0

import APDU
import SecureChannel
package import Token

/// The known state of a token.
package struct TokenReport: Sendable {
    package var model: TokenModel
    package var atr: [UInt8]
    package var isActivated: Bool
    /// Whether the token is reached over the air.
    package var isWireless: Bool
    /// Whether the user can type PINs at the reader.
    package var hasPINPad: Bool
    package var protection: ProtectionInfo
    package var info: TokenInfo
}
