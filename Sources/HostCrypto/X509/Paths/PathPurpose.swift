// SPDX-License-Identifier: Apache-2.0

import GOST

/// The use of signatures by the certificate at the beginning of a path.
package enum PathPurpose: Sendable {
    case messages
    /// The certificate must have this purpose and no other, in a critical extension (RFC 3161, 2.3).
    case timeStamps
}

extension Certificate {
    /// Whether time stamps are the only purpose of its key, and its extended key usage is critical.
    ///
    /// - Throws: `GOSTError/invalidEncoding`.
    var isForTimeStamps: Bool {
        get throws(GOSTError) {
            guard let found = try extensionValue(Purpose.extension), found.isCritical else { return false }
            return try purposes == [Purpose.timeStamping]
        }
    }

    /// Whether the purposes of the key, where the certificate names any, let it certify the signers of time stamps.
    ///
    /// - Throws: `GOSTError/invalidEncoding`.
    var allowsTimeStamps: Bool {
        get throws(GOSTError) {
            guard let found = try extensionValue(Purpose.extension) else { return true }
            let purposes = try purposes
            if purposes.contains(Purpose.timeStamping) || purposes.contains(Purpose.anyPurpose) { return true }
            return !found.isCritical && !purposes.contains(Purpose.ocspSigning)
        }
    }
}
