// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Tokens

/// The parameters of the transport of a key (`CK_GOSTR3410_KEY_WRAP_PARAMS`).
package struct KeyTransportParameters: Sendable {
    /// The object identifier of a substitution, or nothing.
    package var wrapOID: [UInt8] = []
    /// The user keying material: 8 bytes, or nothing.
    package var ukm: [UInt8] = []
    /// The sender's key, or `CK_INVALID_HANDLE`.
    package var key = CK_OBJECT_HANDLE(CK_INVALID_HANDLE)

    package init() {}
}

extension KeyTransportParameters {
    /// The substitution that the parameters name.
    ///
    /// - Throws: `CKR_MECHANISM_PARAM_INVALID` for an unknown one.
    var sBox: SBox? {
        get throws(CKError) {
            guard !wrapOID.isEmpty else { return nil }
            guard let sBox = SBox.all.first(where: { $0.oid == wrapOID }) else {
                throw .mechanismParameterInvalid("pWrapOID names no known substitution")
            }
            return sBox
        }
    }
}
