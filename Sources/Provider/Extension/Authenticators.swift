// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

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
