// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import SecureChannel
package import Token

/// A token's secure channel in the vendor's terms: `SECURE_MESSAGING_` of the modern profile is the enhanced one.
extension ProtectionInfo {
    /// Whether the token has a channel.
    package var isAvailable: Bool { !profiles.isEmpty }

    /// The profile in which messages are protected, the default before activation, or unsupported.
    package var currentMode: CK_ULONG {
        profile.map(Self.mode(of:)) ?? (isAvailable ? SECURE_MESSAGING_DEFAULT : SECURE_MESSAGING_UNSUPPORTED)
    }

    /// All profiles that the token offers, or unsupported.
    package var supportedModes: [CK_ULONG] {
        isAvailable ? profiles.sorted().map(Self.mode(of:)) : [SECURE_MESSAGING_UNSUPPORTED]
    }

    private static func mode(of profile: Profile) -> CK_ULONG {
        profile == .modern ? SECURE_MESSAGING_ENHANCED_GOST : SECURE_MESSAGING_GOST
    }
}
