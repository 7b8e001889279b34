// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Tokens

@c @implementation
public func C_OpenSession(
    _ slotID: CK_SLOT_ID, _ flags: CK_FLAGS, _ pApplication: UnsafeMutableRawPointer?, _ notify: CK_NOTIFY?,
    _ phSession: UnsafeMutablePointer<CK_SESSION_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let session = try unsafe output(phSession, "phSession")
        unsafe session.pointee = try library.openSession(with: slotID, flags: flags)
    }
}

@c @implementation
public func C_CloseSession(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call(givesBack: true) { library throws(CKError) in try library.closeSession(hSession) }
}

@c @implementation
public func C_CloseAllSessions(_ slotID: CK_SLOT_ID) -> CK_RV {
    call(givesBack: true) { library throws(CKError) in try library.closeAllSessions(with: slotID) }
}

@c @implementation
public func C_GetSessionInfo(
    _ hSession: CK_SESSION_HANDLE, _ pInfo: UnsafeMutablePointer<CK_SESSION_INFO>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        let session = try library.sessionInfo(hSession)
        unsafe info.pointee = CK_SESSION_INFO(
            slotID: session.slot, state: session.state, flags: session.flags, ulDeviceError: 0)
    }
}

@c @implementation
public func C_GetOperationState(
    _ hSession: CK_SESSION_HANDLE, _ pOperationState: UnsafeMutablePointer<CK_BYTE>?,
    _ pulOperationStateLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let state = try unsafe Output(pOperationState, pulOperationStateLen, "pulOperationStateLen")
        try library.withSession(hSession) { session throws(CKError) in
            try state.fill(size: session.stateSize()) { () throws(CKError) in try session.saveState() }
        }
    }
}

@c @implementation
public func C_SetOperationState(
    _ hSession: CK_SESSION_HANDLE, _ pOperationState: UnsafeMutablePointer<CK_BYTE>?, _ ulOperationStateLen: CK_ULONG,
    _ hEncryptionKey: CK_OBJECT_HANDLE, _ hAuthenticationKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        guard unsafe pOperationState != nil else { throw .argumentsBad("pOperationState is NULL") }
        let state = try unsafe bytes(pOperationState, ulOperationStateLen, "pOperationState")
        try library.withSession(hSession) { session throws(CKError) in
            try session.restoreState(state, hasKeys: hEncryptionKey != 0 || hAuthenticationKey != 0)
        }
    }
}

// MARK: Login

@c @implementation
public func C_Login(
    _ hSession: CK_SESSION_HANDLE, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?,
    _ ulPinLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe library.logIn(hSession, as: userType, pin: pin(pPin, ulPinLen, "pPin", of: library))
    }
}

@c @implementation
public func C_Logout(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call(givesBack: true) { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.logOut() }
    }
}

/// The token knows its users by their kind, and not by names (PKCS #11 v3.0, 5.6.9).
@c @implementation
public func C_LoginUser(
    _ hSession: CK_SESSION_HANDLE, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?,
    _ ulPinLen: CK_ULONG, _ pUsername: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulUsernameLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        guard ulUsernameLen == 0 else { throw .argumentsBad("users have no names here") }
        try unsafe library.logIn(hSession, as: userType, pin: pin(pPin, ulPinLen, "pPin", of: library))
    }
}

// MARK: Operations of all kinds

@c @implementation
public func C_SessionCancel(_ hSession: CK_SESSION_HANDLE, _ flags: CK_FLAGS) -> CK_RV {
    call(givesBack: true) { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in session.cancel(flags) }
    }
}

// MARK: Legacy functions (PKCS #11 v2.40, 5.16)

@c @implementation
public func C_GetFunctionStatus(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call { _ throws(CKError) in throw .functionNotParallel }
}

@c @implementation
public func C_CancelFunction(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call { _ throws(CKError) in throw .functionNotParallel }
}
