// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki

/// `C_Encrypt` and `C_Decrypt`.
func cipher(
    _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ data: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?,
    function: StaticString = #function
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: direction.operation) { session throws(CKError) in
            var size = try session.activeCipher(direction).size(ofWhole: length(count))
            let data = try unsafe input(data, count, "the data")
            try requireMemory(for: data.count)
            let output = try unsafe Output(result, resultCount)
            if output.isQuery || output.isTooSmall(for: size) {
                size = try unsafe session.activeCipher(direction).exactSize(of: data.span)
            }
            try output.fill(count: size) { () throws(CKError) in
                try unsafe session.cipher(data.span, direction)
            }
        }
    }
}

/// `C_EncryptUpdate` and `C_DecryptUpdate`.
func cipherUpdate(
    _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ part: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?,
    function: StaticString = #function
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: direction.operation) { session throws(CKError) in
            let size = try session.activeCipher(direction).size(ofPart: length(count))
            let part = try unsafe input(part, count, "the part")
            try requireMemory(for: part.count)
            try unsafe Output(result, resultCount).fill(count: size) { () throws(CKError) in
                try unsafe session.cipherUpdate(part.span, direction)
            }
        }
    }
}

/// `C_EncryptFinal` and `C_DecryptFinal`.
func cipherFinal(
    _ session: CK_SESSION_HANDLE, _ direction: CipherDirection,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?,
    function: StaticString = #function
) -> CK_RV {
    call(function) { library throws(CKError) in
        try library.withSession(session, during: direction.operation) { session throws(CKError) in
            var size = try session.activeCipher(direction).finalSize
            let output = try unsafe Output(result, resultCount)
            if output.isQuery || output.isTooSmall(for: size) {
                size = try session.activeCipher(direction).exactFinalSize()
            }
            try output.fill(count: size) { () throws(CKError) in
                try session.cipherFinal(direction)
            }
        }
    }
}

extension CipherDirection {
    /// The operation (`CKF_`).
    var operation: CK_FLAGS { self == .encryption ? CKF_ENCRYPT : CKF_DECRYPT }
}

@c @implementation
public func C_EncryptInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_ENCRYPT, pMechanism) { session, mechanism throws(CKError) in
        try session.encryptInit(mechanism, key: hKey)
    }
}

@c @implementation
public func C_Encrypt(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pEncryptedData: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedDataLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipher(hSession, .encryption, pData, ulDataLen, pEncryptedData, pulEncryptedDataLen)
}

@c @implementation
public func C_EncryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG,
    _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipherUpdate(hSession, .encryption, pPart, ulPartLen, pEncryptedPart, pulEncryptedPartLen)
}

@c @implementation
public func C_EncryptFinal(
    _ hSession: CK_SESSION_HANDLE, _ pLastEncryptedPart: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLastEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipherFinal(hSession, .encryption, pLastEncryptedPart, pulLastEncryptedPartLen)
}

@c @implementation
public func C_DecryptInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_DECRYPT, pMechanism) { session, mechanism throws(CKError) in
        try session.decryptInit(mechanism, key: hKey)
    }
}

@c @implementation
public func C_Decrypt(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedData: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedDataLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ pulDataLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipher(hSession, .decryption, pEncryptedData, ulEncryptedDataLen, pData, pulDataLen)
}

@c @implementation
public func C_DecryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipherUpdate(hSession, .decryption, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
}

@c @implementation
public func C_DecryptFinal(
    _ hSession: CK_SESSION_HANDLE, _ pLastPart: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLastPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe cipherFinal(hSession, .decryption, pLastPart, pulLastPartLen)
}
