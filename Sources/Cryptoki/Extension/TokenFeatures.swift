// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import SecureChannel
package import Token
import Tokens

/// The hardware feature `CKH_VENDOR_TOKEN_INFO`: an object, stored nowhere and readable by everyone, that describes a
/// token.
enum TokenFeatures {
    /// The attributes that a search can ask for.
    static var attributes: Attributes {
        var attributes = Attributes()
        attributes.set(CKA_CLASS, CKO_HW_FEATURE)
        attributes.set(CKA_HW_FEATURE_TYPE, CKH_VENDOR_TOKEN_INFO)
        return attributes
    }

    /// All attributes. Attributes that cannot be read from the token have the values of the vendor's present firmware.
    static func attributes(of token: ConnectedToken) throws(TokenError) -> Attributes {
        var attributes = attributes
        let protection = token.protectionInfo
        attributes.set(CKA_VENDOR_SECURE_MESSAGING_AVAILABLE, protection.isAvailable)
        attributes.set(CKA_VENDOR_CURRENT_SECURE_MESSAGING_MODE, protection.currentMode)
        attributes.set(CKA_VENDOR_SUPPORTED_SECURE_MESSAGING_MODES, protection.supportedModes.flatMap(\.bytes))
        let interfaces = Self.interfaces(of: token)
        attributes.set(CKA_VENDOR_CURRENT_TOKEN_INTERFACE, interfaces.current)
        attributes.set(CKA_VENDOR_SUPPORTED_TOKEN_INTERFACE, interfaces.supported)
        for type in [CKA_VENDOR_BIOMETRIC_AUTHENTICATION, unnamedNumber] { attributes.set(type, 0) }
        attributes.set(CKA_VENDOR_FLASH_DRIVE_AVAILABLE, try token.hasDrive())
        for type in absent { attributes.set(type, false) }
        for type in present { attributes.set(type, true) }
        if let name = try token.modelName() { attributes.set(CKA_VENDOR_MODEL_NAME, name) }
        return attributes
    }

    private static let present: [CK_ATTRIBUTE_TYPE] = [
        CKA_VENDOR_SUPPORT_CUSTOM_PIN, CKA_VENDOR_SUPPORT_INTERNAL_TRUSTED_CERTS, CKA_VENDOR_SUPPORT_FKC2,
        CKA_VENDOR_SUPPORT_HW_KDF_TREE, CKA_VENDOR_SUPPORT_REPAIR_FORMAT,
    ]

    private static let absent: [CK_ATTRIBUTE_TYPE] = [
        CKA_VENDOR_EXTERNAL_AUTHENTICATION, CKA_VENDOR_CUSTOM_ADMIN_PIN, CKA_VENDOR_CUSTOM_USER_PIN,
        CKA_VENDOR_SUPPORT_HW_RESULT_FOR_GOST28147_KEY_UNWRAP, CKA_VENDOR_SUPPORT_KIMP15,
        CKA_VENDOR_SUPPORT_HW_AES_WRAP, unnamedFlag,
    ]

    /// Attributes without a public name. The vendor's library answers zero.
    private static let (unnamedFlag, unnamedNumber): (CK_ATTRIBUTE_TYPE, CK_ATTRIBUTE_TYPE) = (0x8000_800D, 0x8000_800E)

    /// The interface in use, and all that the token has. A Bluetooth token's reader need not look wireless.
    private static func interfaces(of token: ConnectedToken) -> (current: CK_ULONG, supported: CK_ULONG) {
        switch (token.model, token.isWireless) {
        case (.ecpBluetooth, _): (INTERFACE_TYPE_BT, INTERFACE_TYPE_USB | INTERFACE_TYPE_BT)
        case (_, true): (INTERFACE_TYPE_NFC, INTERFACE_TYPE_USB | INTERFACE_TYPE_NFC)
        case (_, false): (INTERFACE_TYPE_USB, INTERFACE_TYPE_USB)
        }
    }
}

/// A token's secure channel in the vendor's terms: `SECURE_MESSAGING_` of the modern profile is the enhanced one.
extension ProtectionInfo {
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
