// SPDX-License-Identifier: Apache-2.0
public import CCryptoki

// The message functions of PKCS #11 v3.0 (5.9, 5.11, 5.14, 5.16). No mechanism here has a flag CKF_MESSAGE_.

@c @implementation
public func C_MessageEncryptInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_EncryptMessage(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pAssociatedData: UnsafeMutablePointer<CK_BYTE>?, _ ulAssociatedDataLen: CK_ULONG,
    _ pPlaintext: UnsafeMutablePointer<CK_BYTE>?, _ ulPlaintextLen: CK_ULONG,
    _ pCiphertext: UnsafeMutablePointer<CK_BYTE>?, _ pulCiphertextLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EncryptMessageBegin(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pAssociatedData: UnsafeMutablePointer<CK_BYTE>?, _ ulAssociatedDataLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EncryptMessageNext(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pPlaintextPart: UnsafeMutablePointer<CK_BYTE>?, _ ulPlaintextPartLen: CK_ULONG,
    _ pCiphertextPart: UnsafeMutablePointer<CK_BYTE>?, _ pulCiphertextPartLen: UnsafeMutablePointer<CK_ULONG>?,
    _ flags: CK_FLAGS
) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageEncryptFinal(_ hSession: CK_SESSION_HANDLE) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageDecryptInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_DecryptMessage(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pAssociatedData: UnsafeMutablePointer<CK_BYTE>?, _ ulAssociatedDataLen: CK_ULONG,
    _ pCiphertext: UnsafeMutablePointer<CK_BYTE>?, _ ulCiphertextLen: CK_ULONG,
    _ pPlaintext: UnsafeMutablePointer<CK_BYTE>?, _ pulPlaintextLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_DecryptMessageBegin(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pAssociatedData: UnsafeMutablePointer<CK_BYTE>?, _ ulAssociatedDataLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_DecryptMessageNext(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pCiphertextPart: UnsafeMutablePointer<CK_BYTE>?, _ ulCiphertextPartLen: CK_ULONG,
    _ pPlaintextPart: UnsafeMutablePointer<CK_BYTE>?, _ pulPlaintextPartLen: UnsafeMutablePointer<CK_ULONG>?,
    _ flags: CK_FLAGS
) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageDecryptFinal(_ hSession: CK_SESSION_HANDLE) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageSignInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_SignMessage(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_SignMessageBegin(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_SignMessageNext(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageSignFinal(_ hSession: CK_SESSION_HANDLE) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageVerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_VerifyMessage(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ ulSignatureLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_VerifyMessageBegin(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_VerifyMessageNext(
    _ hSession: CK_SESSION_HANDLE, _ pParameter: UnsafeMutableRawPointer?, _ ulParameterLen: CK_ULONG,
    _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG, _ pSignature: UnsafeMutablePointer<CK_BYTE>?,
    _ ulSignatureLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_MessageVerifyFinal(_ hSession: CK_SESSION_HANDLE) -> CK_RV { notSupported() }
