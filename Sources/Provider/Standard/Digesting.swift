// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_DigestInit(_ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?) -> CK_RV {
    call { library throws(CKError) in
        try unsafe begin(library, hSession, CKF_DIGEST, pMechanism) { session, mechanism throws(CKError) in
            try session.digestInit(mechanism)
        }
    }
}

@c @implementation
public func C_Digest(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pDigest: UnsafeMutablePointer<CK_BYTE>?, _ pulDigestLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_DIGEST) { session throws(CKError) in
            let size = try session.digestSize()
            let data = try unsafe input(pData, ulDataLen, "pData")
            try unsafe Output(pDigest, pulDigestLen, "pulDigestLen").fill(size: size) { () throws(CKError) in
                try unsafe session.digest(data.span)
            }
        }
    }
}

@c @implementation
public func C_DigestUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPartLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_DIGEST) { session throws(CKError) in
            let part = try unsafe input(pPart, ulPartLen, "pPart")
            try unsafe session.digestUpdate(part.span)
        }
    }
}

@c @implementation
public func C_DigestKey(_ hSession: CK_SESSION_HANDLE, _ hKey: CK_OBJECT_HANDLE) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.digestKey(hKey) }
    }
}

@c @implementation
public func C_DigestFinal(
    _ hSession: CK_SESSION_HANDLE, _ pDigest: UnsafeMutablePointer<CK_BYTE>?,
    _ pulDigestLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession, during: CKF_DIGEST) { session throws(CKError) in
            let size = try session.digestSize()
            try unsafe Output(pDigest, pulDigestLen, "pulDigestLen").fill(size: size) { () throws(CKError) in
                try session.digestFinal()
            }
        }
    }
}
