// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import HostCrypto
import Token

/// Why a PIN was refused that another one can replace.
package enum PINFault: Sendable {
    case incorrect, length
}
