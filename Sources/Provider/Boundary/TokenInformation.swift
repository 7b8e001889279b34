// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Token
import Tokens

extension CK_TOKEN_INFO {
    /// The answer of `C_GetTokenInfo` (PKCS #11 v2.40, 3.2). Memory sizes are left to `C_EX_GetTokenInfoExtended`.
    ///
    /// - Parameter asksForPINs: Whether the user is asked for PINs that programs leave out.
    init(_ token: Library.TokenState, asksForPINs: Bool) {
        self.init()
        let isProtected = (asksForPINs || token.hasPINPad) && token.info.needsLogin
        let fields = TokenFields(token.info, token.model)
        pad(&label, with: fields.label)
        pad(&manufacturerID, with: fields.manufacturer)
        pad(&model, with: fields.model)
        pad(&serialNumber, with: fields.serial)
        flags = token.info.flags | (isProtected ? CKF_PROTECTED_AUTHENTICATION_PATH : 0)
        ulMaxSessionCount = CK_ULONG(CK_EFFECTIVELY_INFINITE)
        ulSessionCount = CK_ULONG(token.sessionCount)
        ulMaxRwSessionCount = CK_ULONG(CK_EFFECTIVELY_INFINITE)
        ulRwSessionCount = CK_ULONG(token.readWriteSessionCount)
        ulMaxPinLen = CK_ULONG(token.info.user.maximumLength)
        ulMinPinLen = CK_ULONG(token.info.user.minimumLength)
        ulTotalPublicMemory = .unavailable
        ulFreePublicMemory = .unavailable
        ulTotalPrivateMemory = .unavailable
        ulFreePrivateMemory = .unavailable
        hardwareVersion = CK_VERSION(token.info.versions.hardware)
        firmwareVersion = CK_VERSION(token.info.versions.firmware)
        pad(&utcTime, with: [])
    }
}

extension TokenModel {
    /// The vendor's numbers of type and class (`TOKEN_TYPE_`, `TOKEN_CLASS_`).
    fileprivate var numbers: (type: CK_ULONG, class: CK_ULONG) {
        switch self {
        case .ecp: (0x01, 1)
        case .ecpBluetooth: (0x69, 9)
        case .lite: (0x02, 2)
        case .pinPad: (0x04, 4)
        case .mikron: (0x05, 1)
        // The vendor has no number for it.
        case .folder: (0, 0)
        }
    }
}

extension CK_VERSION {
    fileprivate init(_ version: TokenVersion) { self.init(major: version.major, minor: version.minor) }
}

extension TokenInfo {
    fileprivate var flags: CK_FLAGS {
        if isFolder {
            let flags = CKF_WRITE_PROTECTED | CKF_TOKEN_INITIALIZED
            return needsLogin ? flags | CKF_LOGIN_REQUIRED | CKF_USER_PIN_INITIALIZED : flags
        }
        var flags = CKF_RNG | CKF_LOGIN_REQUIRED
        if isFormatted != false { flags |= CKF_USER_PIN_INITIALIZED | CKF_TOKEN_INITIALIZED }
        if isUserPINChangeForced { flags |= CKF_USER_PIN_TO_BE_CHANGED }
        if user.triesLeft < user.tries { flags |= CKF_USER_PIN_COUNT_LOW }
        if user.triesLeft == 1 { flags |= CKF_USER_PIN_FINAL_TRY }
        if user.triesLeft == 0 { flags |= CKF_USER_PIN_LOCKED }
        if securityOfficer.triesLeft < securityOfficer.tries { flags |= CKF_SO_PIN_COUNT_LOW }
        if securityOfficer.triesLeft == 1 { flags |= CKF_SO_PIN_FINAL_TRY }
        if securityOfficer.triesLeft == 0 { flags |= CKF_SO_PIN_LOCKED }
        return flags
    }
}

extension CK_TOKEN_INFO_EXTENDED {
    /// The answer of `C_EX_GetTokenInfoExtended`.
    init(_ token: Library.TokenState) {
        self.init()
        let info = token.info
        ulSizeofThisStructure = CK_ULONG(MemoryLayout<Self>.size)
        (ulTokenType, ulTokenClass) = token.model.numbers
        ulProtocolNumber = CK_ULONG(info.versions.protocolNumber)
        ulMicrocodeNumber = CK_ULONG(info.versions.firmware.major)
        ulOrderNumber = CK_ULONG(info.versions.firmware.minor)
        flags = token.extendedFlags
        ulMaxAdminPinLen = CK_ULONG(info.securityOfficer.maximumLength)
        ulMinAdminPinLen = CK_ULONG(info.securityOfficer.minimumLength)
        ulMaxUserPinLen = CK_ULONG(info.user.maximumLength)
        ulMinUserPinLen = CK_ULONG(info.user.minimumLength)
        ulMaxAdminRetryCount = CK_ULONG(info.securityOfficer.tries)
        ulAdminRetryCountLeft = CK_ULONG(info.securityOfficer.triesLeft)
        ulMaxUserRetryCount = CK_ULONG(info.user.tries)
        ulUserRetryCountLeft = CK_ULONG(info.user.triesLeft)
        copy(info.serial, into: &serialNumber)
        ulTotalMemory = info.isFolder ? .unavailable : CK_ULONG(TokenInfo.totalMemory)
        ulFreeMemory = info.freeMemory.map { CK_ULONG($0) } ?? .unavailable
        copy(token.atr, into: &ATR)
        ulATRLen = CK_ULONG(min(token.atr.count, 64))
        ulBatteryVoltage = 0
        ulBodyColor = 0
        ulFirmwareChecksum = CK_ULONG(info.firmwareChecksum ?? 0)
        ulBatteryPercentage = .unavailable
        ulBatteryFlags = .unavailable
    }
}

extension TokenReport {
    /// `TOKEN_FLAGS_` of the vendor's header.
    fileprivate var extendedFlags: CK_FLAGS {
        var flags = CK_FLAGS(info.user.changePolicy)
        if info.securityOfficer.isChanged { flags |= CK_FLAGS(TOKEN_FLAGS_ADMIN_PIN_NOT_DEFAULT) }
        if info.user.isChanged { flags |= CK_FLAGS(TOKEN_FLAGS_USER_PIN_NOT_DEFAULT) }
        if info.extendedFlags & 0x80 != 0 { flags |= CK_FLAGS(TOKEN_FLAGS_HAS_FLASH_DRIVE) }
        if protection.isAvailable { flags |= CK_FLAGS(TOKEN_FLAGS_SUPPORT_SECURE_MESSAGING) }
        flags |= CK_FLAGS(TOKEN_FLAGS_SUPPORT_JOURNAL)
        if info.user.isUTF8 { flags |= CK_FLAGS(TOKEN_FLAGS_USER_PIN_UTF8) }
        if info.securityOfficer.isUTF8 { flags |= CK_FLAGS(TOKEN_FLAGS_ADMIN_PIN_UTF8) }
        if info.firmwareChecksum == nil { flags |= CK_FLAGS(TOKEN_FLAGS_FW_CHECKSUM_UNAVAILIBLE) }
        return flags
    }
}
