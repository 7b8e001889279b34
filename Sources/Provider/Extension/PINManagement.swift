// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import Glibc
import Secrets
import Token
import Tokens

@c @implementation
public func C_EX_UnblockUserPIN(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.unblockUserPIN() }
    }
}

@c @implementation
public func C_EX_SetLocalPIN(
    _ slotID: CK_SLOT_ID, _ pUserPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulUserPinLen: CK_ULONG,
    _ pNewLocalPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulNewLocalPinLen: CK_ULONG, _ ulLocalID: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let present = try unsafe pin(pUserPin, ulUserPinLen, "pUserPin", of: library)
        let new = try unsafe pin(pNewLocalPin, ulNewLocalPinLen, "pNewLocalPin", of: library)
        try library.setLocalPIN(ulLocalID, in: slotID, to: new, presenting: present)
    }
}

@c @implementation
public func C_EX_TokenManage(_ hSession: CK_SESSION_HANDLE, _ ulMode: CK_ULONG, _ pValue: UnsafeMutableRawPointer?)
    -> CK_RV
{
    call { library throws(CKError) in
        let value = unsafe pValue
        if ulMode == MODE_CHANGE_DEFAULT_PIN {
            let parameters: CK_VENDOR_PIN_PARAMS = try unsafe read(value)
            let new = try unsafe pin(parameters.pPinValue, parameters.ulPinLength, "pPinValue", of: library)
            return try library.setDefaultPIN(hSession, of: unsafe parameters.userType, to: new)
        }
        try library.withSession(hSession) { session throws(CKError) in
            switch ulMode {
            // The token's command for this is unknown for all models.
            case MODE_SET_BLUETOOTH_POWEROFF_TIMEOUT, MODE_SET_CHANNEL_TYPE:
                throw .functionNotSupported
            case MODE_RESET_CUSTOM_PIN_TO_STANDARD:
                try session.restoreStandardPIN(of: unsafe read(value))
            case MODE_RESET_PIN_TO_DEFAULT:
                try session.resetPINToDefault(of: unsafe read(value))
            case MODE_FORCE_USER_TO_CHANGE_PIN:
                try session.forcePINChange(of: unsafe read(value))
            default:
                throw .argumentsBad("the mode is not known")
            }
        }
    }
}

@c @implementation
public func C_EX_SlotManage(_ slotID: CK_SLOT_ID, _ ulMode: CK_ULONG, _ pValue: UnsafeMutableRawPointer?) -> CK_RV {
    call { library throws(CKError) in
        switch ulMode {
        case MODE_GET_LOCAL_PIN_INFO:
            let place = try unsafe output(pValue?.assumingMemoryBound(to: CK_LOCAL_PIN_INFO.self), "pValue")
            unsafe place.pointee.set(try library.localPIN(place.pointee.ulPinID, in: slotID))
        case MODE_RESTORE_FACTORY_DEFAULTS:
            let parameters = try unsafe CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS(reading: pValue)
            let initial = try unsafe CK_RUTOKEN_INIT_PARAM(reading: output(parameters.pInitParam, "pInitParam"))
            let pin = try unsafe pin(parameters.pAdminPin, parameters.ulAdminPinLen, "pAdminPin", of: library)
            try unsafe library.initToken(in: slotID, pin: pin, as: initial, restoring: parameters.emitentKey())
        case MODE_GET_PIN_SET_TO_BE_CHANGED:
            let mustChange = try library.mustChangePIN(of: unsafe read(pValue), in: slotID)
            guard !mustChange else { throw CKError(CKR_PIN_EXPIRED) }
        // No model here has a chip with it.
        case MODE_GET_IMIT: throw .functionNotSupported
        default: throw .argumentsBad("the mode is not known")
        }
    }
}

/// The value behind a mode's pointer.
private func read<Value: BitwiseCopyable>(_ pointer: UnsafeMutableRawPointer?) throws(CKError) -> Value {
    try unsafe output(pointer?.assumingMemoryBound(to: Value.self), "pValue").pointee
}

extension CK_LOCAL_PIN_INFO {
    fileprivate mutating func set(_ state: PINState) {
        ulMinSize = CK_ULONG(state.minimumLength)
        ulMaxSize = CK_ULONG(state.maximumLength)
        ulMaxRetryCount = CK_ULONG(state.tries)
        ulCurrentRetryCount = CK_ULONG(state.triesLeft)
        flags = LOCAL_PIN_FLAGS_NOT_DEFAULT | (state.isUTF8 ? LOCAL_PIN_FLAGS_IS_UTF8 : 0)
    }
}

extension CK_VENDOR_RESTORE_FACTORY_DEFAULTS_PARAMS {
    /// The structure of older programs, without ``newEmitentKeyType``.
    private static var shortSize: Int { 56 }

    /// Reads the members that the caller's structure has. Keys without a type are of Kuznyechik.
    fileprivate init(reading pointer: UnsafeMutableRawPointer?) throws(CKError) {
        let start = try unsafe output(pointer?.assumingMemoryBound(to: Self.self), "pValue")
        let size = try unsafe length(UnsafeRawPointer(start).load(as: CK_ULONG.self))
        guard unsafe size >= Self.shortSize else {
            throw .argumentsBad("ulSizeofThisStructure is \(size), which is too small")
        }
        unsafe self = Self()
        unsafe newEmitentKeyType = CKK_KUZNECHIK
        let count = unsafe size < MemoryLayout<Self>.size ? Self.shortSize : MemoryLayout<Self>.size
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// The key to leave on the token.
    fileprivate func emitentKey() throws(CKError) -> TokenFormat.EmitentKey {
        let algorithms = [CKK_MAGMA: TokenFormat.EmitentKey.Algorithm.magma, CKK_KUZNECHIK: .kuznyechik]
        let value = try unsafe secret(pNewEmitentKey, ulNewEmitentKeyLen, "pNewEmitentKey")
        guard let algorithm = unsafe algorithms[newEmitentKeyType], unsafe (1...10).contains(ulNewEmitentKeyRetryCount),
            let key = unsafe TokenFormat.EmitentKey(
                algorithm, value: value, tries: Int(clamping: ulNewEmitentKeyRetryCount))
        else { throw .argumentsBad("the structure has a number or a pointer that goes with no mode") }
        return key
    }
}

@c @implementation
public func C_EX_SetActivationPassword(_ slotID: CK_SLOT_ID, _ password: UnsafeMutablePointer<CK_UTF8CHAR>?) -> CK_RV {
    call { library throws(CKError) in
        let text = try unsafe output(password, "password")
        // Any spelling of a password is much shorter. Text without an end before it is refused as malformed.
        let count = unsafe text.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe strnlen($0, 512) }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
        try unsafe library.activate(slotID, password: bytes.span)
    }
}

@c @implementation
public func C_EX_GenerateActivationPassword(
    _ hSession: CK_SESSION_HANDLE, _ ulPasswordNumber: CK_ULONG, _ pPassword: UnsafeMutablePointer<CK_UTF8CHAR>?,
    _ pulPasswordSize: UnsafeMutablePointer<CK_ULONG>?, _ ulPasswordCharacterSet: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let password = try unsafe Output(pPassword, pulPasswordSize, "pulPasswordSize")
        try library.withSession(hSession) { session throws(CKError) in
            let request = try session.activationPasswordRequest(
                number: ulPasswordNumber, characters: ulPasswordCharacterSet)
            try password.fill(count: request.length) { () throws(CKError) in
                try session.generateActivationPassword(request)
            }
        }
    }
}

/// The channel's keys come from an activation password; a key cannot be loaded. Only firmware older than GSC/1 had one.
@c @implementation
public func C_EX_LoadActivationKey(
    _ hSession: CK_SESSION_HANDLE, _ key: UnsafeMutablePointer<CK_BYTE>?, _ keySize: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        _ = try library.sessionInfo(hSession)
        throw .functionNotSupported
    }
}

// No token here has authentication objects, so that every handle is invalid.

@c @implementation
public func C_EX_Authenticate(
    _ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE, _ pAuthData: UnsafeMutablePointer<CK_BYTE>?,
    _ ulAuthDataLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        _ = try unsafe input(pAuthData, ulAuthDataLen, "pAuthData")
        try noAuthenticator(library, hSession)
    }
}

@c @implementation
public func C_EX_Deauthenticate(_ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE) -> CK_RV {
    call { library throws(CKError) in try noAuthenticator(library, hSession) }
}

@c @implementation
public func C_EX_UnblockAuthenticator(_ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE) -> CK_RV {
    call { library throws(CKError) in try noAuthenticator(library, hSession) }
}

private func noAuthenticator(_ library: Library, _ session: CK_SESSION_HANDLE) throws(CKError) {
    _ = try library.sessionInfo(session)
    throw .objectHandleInvalid
}
