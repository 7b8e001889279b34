// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_SignInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_SIGN, pMechanism) { session, mechanism throws(CKError) in
            try session.signInit(mechanism, key: hKey)
        }
    }
}

@c @implementation
public func C_Sign(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_SIGN) { session throws(CKError) in
            let size = try session.signatureSize()
            let data = try unsafe input(pData, ulDataLen, "pData")
            try unsafe Output(pSignature, pulSignatureLen, "pulSignatureLen").fill(size: size) { () throws(CKError) in
                try unsafe session.sign(data.span)
            }
        }
    }
}

@c @implementation
public func C_SignUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_SIGN) { session throws(CKError) in
            let part = try unsafe input(pPart, ulPartLen, "pPart")
            try unsafe session.signUpdate(part.span)
        }
    }
}

@c @implementation
public func C_SignFinal(
    _ hSession: CK_SESSION_HANDLE, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_SIGN) { session throws(CKError) in
            let size = try session.signatureSize()
            try unsafe Output(pSignature, pulSignatureLen, "pulSignatureLen").fill(size: size) { () throws(CKError) in
                try session.signFinal()
            }
        }
    }
}
