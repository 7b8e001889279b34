// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_VerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_VERIFY, pMechanism) { session, mechanism throws(CKError) in
            try session.verifyInit(mechanism, key: hKey)
        }
    }
}

@c @implementation
public func C_Verify(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ ulSignatureLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_VERIFY) { session throws(CKError) in
            let data = try unsafe input(pData, ulDataLen, "pData")
            let signature = try unsafe octets(pSignature, ulSignatureLen, "pSignature")
            try unsafe session.verify(data.span, signature: signature)
        }
    }
}

@c @implementation
public func C_VerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_VERIFY) { session throws(CKError) in
            let part = try unsafe input(pPart, ulPartLen, "pPart")
            try unsafe session.verifyUpdate(part.span)
        }
    }
}

@c @implementation
public func C_VerifyFinal(
    _ hSession: CK_SESSION_HANDLE, _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ ulSignatureLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_VERIFY) { session throws(CKError) in
            let signature = try unsafe octets(pSignature, ulSignatureLen, "pSignature")
            try session.verifyFinal(signature: signature)
        }
    }
}
