// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki

@c @implementation
public func C_SignInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_SIGN, pMechanism) { session, mechanism throws(CKError) in
        try session.signInit(mechanism, key: hKey)
    }
}

@c @implementation
public func C_Sign(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe deliver(
        hSession, CKF_SIGN, pData, ulDataLen, to: pSignature, pulSignatureLen, "pulSignatureLen",
        size: Session.signatureSize
    ) { session, data throws(CKError) in
        try session.sign(data)
    }
}

@c @implementation
public func C_SignUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    unsafe update(hSession, CKF_SIGN, pPart, ulPartLen) { session, part throws(CKError) in
        try session.signUpdate(part)
    }
}

@c @implementation
public func C_SignFinal(
    _ hSession: CK_SESSION_HANDLE, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe deliver(
        hSession, CKF_SIGN, nil, 0, to: pSignature, pulSignatureLen, "pulSignatureLen", size: Session.signatureSize
    ) { session, _ throws(CKError) in
        try session.signFinal()
    }
}

@c @implementation
public func C_VerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_VERIFY, pMechanism) { session, mechanism throws(CKError) in
        try session.verifyInit(mechanism, key: hKey)
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
            let signature = try unsafe bytes(pSignature, ulSignatureLen, "pSignature")
            try unsafe session.verify(data.span, signature: signature)
        }
    }
}

@c @implementation
public func C_VerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    unsafe update(hSession, CKF_VERIFY, pPart, ulPartLen) { session, part throws(CKError) in
        try session.verifyUpdate(part)
    }
}

@c @implementation
public func C_VerifyFinal(
    _ hSession: CK_SESSION_HANDLE, _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ ulSignatureLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_VERIFY) { session throws(CKError) in
            let signature = try unsafe bytes(pSignature, ulSignatureLen, "pSignature")
            try session.verifyFinal(signature: signature)
        }
    }
}

@c @implementation
public func C_SignRecoverInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_SIGN_RECOVER, pMechanism) { session, mechanism throws(CKError) in
        try session.signRecoverInit(mechanism, key: hKey)
    }
}

@c @implementation
public func C_SignRecover(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    unsafe deliver(
        hSession, CKF_SIGN_RECOVER, pData, ulDataLen, to: pSignature, pulSignatureLen, "pulSignatureLen",
        size: Session.signRecoverSize
    ) { session, data throws(CKError) in
        try session.signRecover(data)
    }
}

@c @implementation
public func C_VerifyRecoverInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    unsafe begin(hSession, CKF_VERIFY_RECOVER, pMechanism) { session, mechanism throws(CKError) in
        try session.verifyRecoverInit(mechanism, key: hKey)
    }
}

@c @implementation
public func C_VerifyRecover(
    _ hSession: CK_SESSION_HANDLE, _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ ulSignatureLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ pulDataLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_VERIFY_RECOVER) { session throws(CKError) in
            let signature = try unsafe bytes(pSignature, ulSignatureLen, "pSignature")
            let result = try unsafe Output(pData, pulDataLen, "pulDataLen")
            let data = try session.verifyRecover(signature)
            try result.fill(size: data.count) {
                session.verifyRecoverEnd()
                return data
            }
        }
    }
}
