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
            let signature = try unsafe bytes(pSignature, ulSignatureLen, "pSignature")
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
            let signature = try unsafe bytes(pSignature, ulSignatureLen, "pSignature")
            try session.verifyFinal(signature: signature)
        }
    }
}

@c @implementation
public func C_SignRecoverInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_SIGN_RECOVER, pMechanism) { session, mechanism throws(CKError) in
            try session.signRecoverInit(mechanism, key: hKey)
        }
    }
}

@c @implementation
public func C_SignRecover(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_SIGN_RECOVER) { session throws(CKError) in
            let size = try session.signRecoverSize()
            let data = try unsafe input(pData, ulDataLen, "pData")
            try unsafe Output(pSignature, pulSignatureLen, "pulSignatureLen").fill(size: size) { () throws(CKError) in
                try unsafe session.signRecover(data.span)
            }
        }
    }
}

@c @implementation
public func C_VerifyRecoverInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_VERIFY_RECOVER, pMechanism) { session, mechanism throws(CKError) in
            try session.verifyRecoverInit(mechanism, key: hKey)
        }
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
