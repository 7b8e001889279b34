// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_GenerateKey(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulCount: CK_ULONG,
    _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let key = try unsafe output(phKey, "phKey")
        let mechanism = try unsafe Mechanism(pMechanism)
        let template = try unsafe Attributes(pTemplate, ulCount)
        unsafe key.pointee = try naming(mechanism) { () throws(CKError) in
            try library.withSession(hSession) { session throws(CKError) in
                try session.generateKey(mechanism, template: template)
            }
        }
    }
}

@c @implementation
public func C_GenerateKeyPair(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pPublicKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulPublicKeyAttributeCount: CK_ULONG,
    _ pPrivateKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulPrivateKeyAttributeCount: CK_ULONG,
    _ phPublicKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?, _ phPrivateKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let publicKey = try unsafe output(phPublicKey, "phPublicKey")
        let privateKey = try unsafe output(phPrivateKey, "phPrivateKey")
        let mechanism = try unsafe Mechanism(pMechanism)
        let publicTemplate = try unsafe Attributes(pPublicKeyTemplate, ulPublicKeyAttributeCount, "pPublicKeyTemplate")
        let privateTemplate = try unsafe Attributes(
            pPrivateKeyTemplate, ulPrivateKeyAttributeCount, "pPrivateKeyTemplate")
        let handles = try naming(mechanism) { () throws(CKError) in
            try library.withSession(hSession) { session throws(CKError) in
                try session.generateKeyPair(
                    mechanism, publicTemplate: publicTemplate, privateTemplate: privateTemplate)
            }
        }
        unsafe publicKey.pointee = handles.0
        unsafe privateKey.pointee = handles.1
    }
}

@c @implementation
public func C_WrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ hWrappingKey: CK_OBJECT_HANDLE, _ hKey: CK_OBJECT_HANDLE, _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?,
    _ pulWrappedKeyLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let mechanism = try unsafe Mechanism(pMechanism)
        let result = try unsafe Output(pWrappedKey, pulWrappedKeyLen, "pulWrappedKeyLen")
        let wrapped = try naming(mechanism) { () throws(CKError) in
            try library.withSession(hSession) { session throws(CKError) in
                try session.wrapKey(mechanism, hKey, with: hWrappingKey)
            }
        }
        try result.fill(size: wrapped.count) { wrapped }
    }
}

@c @implementation
public func C_UnwrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ hUnwrappingKey: CK_OBJECT_HANDLE, _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?, _ ulWrappedKeyLen: CK_ULONG,
    _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulAttributeCount: CK_ULONG,
    _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let key = try unsafe output(phKey, "phKey")
        let mechanism = try unsafe Mechanism(pMechanism)
        let wrapped = try unsafe bytes(pWrappedKey, ulWrappedKeyLen, "pWrappedKey")
        let template = try unsafe Attributes(pTemplate, ulAttributeCount)
        unsafe key.pointee = try naming(mechanism) { () throws(CKError) in
            try library.withSession(hSession) { session throws(CKError) in
                try session.unwrapKey(mechanism, wrapped, with: hUnwrappingKey, template: template)
            }
        }
    }
}

@c @implementation
public func C_DeriveKey(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hBaseKey: CK_OBJECT_HANDLE,
    _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulAttributeCount: CK_ULONG,
    _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let key = try unsafe output(phKey, "phKey")
        let mechanism = try unsafe Mechanism(pMechanism)
        let template = try unsafe Attributes(pTemplate, ulAttributeCount)
        unsafe key.pointee = try naming(mechanism) { () throws(CKError) in
            try library.withSession(hSession) { session throws(CKError) in
                try session.deriveKey(mechanism, from: hBaseKey, template: template)
            }
        }
    }
}
