// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_DecryptInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_DECRYPT, pMechanism) { session, mechanism throws(CKError) in
            try session.decryptInit(mechanism, key: hKey)
        }
    }
}

@c @implementation
public func C_Decrypt(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedData: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedDataLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ pulDataLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe cipher(library, hSession, .decryption, pEncryptedData, ulEncryptedDataLen, pData, pulDataLen)
    }
}

@c @implementation
public func C_DecryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe cipherUpdate(
            library, hSession, .decryption, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
    }
}

@c @implementation
public func C_DecryptFinal(
    _ hSession: CK_SESSION_HANDLE, _ pLastPart: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLastPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe cipherFinal(library, hSession, .decryption, pLastPart, pulLastPartLen)
    }
}
