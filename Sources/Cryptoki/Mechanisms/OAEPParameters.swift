// SPDX-License-Identifier: Apache-2.0
package import CCryptoki

/// The parameters of RSAES-OAEP (`CK_RSA_PKCS_OAEP_PARAMS`).
package struct OAEPParameters: Sendable {
    package var hash: CK_MECHANISM_TYPE
    package var maskGeneration: CK_ULONG
    /// The source of the label (`CKZ_`).
    package var source: CK_ULONG
    package var label: [UInt8]

    package init(hash: CK_MECHANISM_TYPE, maskGeneration: CK_ULONG, source: CK_ULONG, label: [UInt8]) {
        self.hash = hash
        self.maskGeneration = maskGeneration
        self.source = source
        self.label = label
    }
}
