// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Tokens

/// The direction of a cipher.
package enum CipherDirection: Sendable {
    case encryption, decryption

    /// The error for text of a length that the cipher does not take.
    var lengthRange: CKError { self == .encryption ? .dataLengthRange : .encryptedDataLengthRange }
}
