// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

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
            let signature = try unsafe octets(pSignature, ulSignatureLen, "pSignature")
            let result = try unsafe Output(pData, pulDataLen, "pulDataLen")
            let data = try session.verifyRecover(signature)
            try result.fill(size: data.count) {
                session.verifyRecoverEnd()
                return data
            }
        }
    }
}
