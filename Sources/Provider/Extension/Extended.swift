// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import Tokens

@c @implementation
public func C_EX_GetTokenInfoExtended(
    _ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_TOKEN_INFO_EXTENDED>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        // Programs of every age pass the size of the structure that they know: the shortest ends behind ulATRLen.
        let size = try unsafe length(info.pointee.ulSizeofThisStructure)
        guard size >= 208 else { throw .argumentsBad("ulSizeofThisStructure is \(size), below 208") }
        var answer = try CK_TOKEN_INFO_EXTENDED(library.token(in: slotID, evicting: true))
        let filled = min(size, MemoryLayout<CK_TOKEN_INFO_EXTENDED>.size)
        answer.ulSizeofThisStructure = CK_ULONG(filled)
        unsafe UnsafeMutableRawPointer(info).copyMemory(from: &answer, byteCount: filled)
    }
}

// The vendor's functions that no token here supports: abandoned functions, and functions with unpublished commands.

@c @implementation
public func C_EX_ChangeVolumeAttributes(
    _ slotID: CK_SLOT_ID, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ idVolume: CK_VOLUME_ID_EXTENDED, _ newAccessMode: CK_ACCESS_MODE_EXTENDED, _ bPermanent: CK_BBOOL
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_FormatDrive(
    _ slotID: CK_SLOT_ID, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ pInitParams: UnsafeMutablePointer<CK_VOLUME_FORMAT_INFO_EXTENDED>?, _ ulInitParamsCount: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SignInvisibleInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SignInvisible(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_WrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pGenerationMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulKeyAttributeCount: CK_ULONG,
    _ pDerivationMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hBaseKey: CK_OBJECT_HANDLE,
    _ pWrappingMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?,
    _ pulWrappedKeyLen: UnsafeMutablePointer<CK_ULONG>?, _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_UnwrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pDerivationMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ hBaseKey: CK_OBJECT_HANDLE, _ pUnwrappingMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?, _ ulWrappedKeyLen: CK_ULONG,
    _ pKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulKeyAttributeCount: CK_ULONG,
    _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV { notSupported() }
