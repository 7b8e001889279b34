// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_DigestEncryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG,
    _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe dualUpdate(
            library, hSession, .encryption, .digest, pPart, ulPartLen, pEncryptedPart, pulEncryptedPartLen)
    }
}

@c @implementation
public func C_DecryptDigestUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe dualUpdate(
            library, hSession, .decryption, .digest, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
    }
}

@c @implementation
public func C_SignEncryptUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG,
    _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ pulEncryptedPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe dualUpdate(
            library, hSession, .encryption, .sign, pPart, ulPartLen, pEncryptedPart, pulEncryptedPartLen)
    }
}

@c @implementation
public func C_DecryptVerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pEncryptedPart: UnsafeMutablePointer<CK_BYTE>?, _ ulEncryptedPartLen: CK_ULONG,
    _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPartLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe dualUpdate(
            library, hSession, .decryption, .verify, pEncryptedPart, ulEncryptedPartLen, pPart, pulPartLen)
    }
}

/// The update of a cipher and of a second operation with the plaintext (PKCS #11 v2.40, 5.14).
private func dualUpdate(
    _ library: Library, _ session: CK_SESSION_HANDLE, _ direction: CipherDirection, _ second: SecondOperation,
    _ part: UnsafeMutablePointer<CK_BYTE>?, _ count: CK_ULONG,
    _ result: UnsafeMutablePointer<CK_BYTE>?, _ resultCount: UnsafeMutablePointer<CK_ULONG>?
) throws(CKError) {
    try library.withSession(session, during: direction.operation | second.operation) { session throws(CKError) in
        let size = try session.activeCipher(direction).size(ofPart: length(count))
        let part = try unsafe input(part, count, "the part")
        try requireMemory(for: part.count)
        try unsafe Output(result, resultCount).fill(count: size) { () throws(CKError) in
            try unsafe session.dualUpdate(part.span, direction, second)
        }
    }
}

extension SecondOperation {
    /// The operation (`CKF_`).
    fileprivate var operation: CK_FLAGS {
        switch self {
        case .digest: CKF_DIGEST
        case .sign: CKF_SIGN
        case .verify: CKF_VERIFY
        }
    }
}
