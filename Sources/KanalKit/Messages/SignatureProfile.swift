// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// The rules that a signed message follows, beside those of CMS.
public enum SignatureProfile: Sendable {
    /// CAdES: the signature also covers the time that the signer claims.
    case cades
    /// PAdES, for a message in a PDF file (EN 319 142-1): the file has the time, the message has neither it nor the content.
    case pades
}

extension SignatureProfile {
    var kind: SignedMessage.Kind {
        switch self {
        case .cades: .content(CMS.data)
        case .pades: .document
        }
    }
}
