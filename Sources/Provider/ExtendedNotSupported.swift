public import CCryptoki

// The vendor's functions that this version does not have.

@c @implementation
public func C_EX_UnblockUserPIN(_ hSession: CK_SESSION_HANDLE) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?, _ ulLabelLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ ulLicenseLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_GetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLicenseLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_GetCertificateInfoText(
    _ hSession: CK_SESSION_HANDLE, _ hCert: CK_OBJECT_HANDLE,
    _ pInfo: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?, _ pulInfoLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_PKCS7Sign(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ hCert: CK_OBJECT_HANDLE, _ ppEnvelope: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?,
    _ pEnvelopeSize: UnsafeMutablePointer<CK_ULONG>?, _ hPrivKey: CK_OBJECT_HANDLE,
    _ phCertificates: UnsafeMutablePointer<CK_OBJECT_HANDLE>?, _ ulCertificatesLen: CK_ULONG, _ flags: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_CreateCSR(
    _ hSession: CK_SESSION_HANDLE, _ hPublicKey: CK_OBJECT_HANDLE,
    _ dn: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?, _ ulDnLength: CK_ULONG,
    _ pCsr: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?, _ pulCsrLength: UnsafeMutablePointer<CK_ULONG>?,
    _ hPrivKey: CK_OBJECT_HANDLE, _ pAttributes: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?,
    _ ulAttributesLength: CK_ULONG, _ pExtensions: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?,
    _ ulExtensionsLength: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_GetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?,
    _ pulLabelLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SetLocalPIN(
    _ slotID: CK_SLOT_ID, _ pUserPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulUserPinLen: CK_ULONG,
    _ pNewLocalPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulNewLocalPinLen: CK_ULONG, _ ulLocalID: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_GetVolumesInfo(
    _ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_VOLUME_INFO_EXTENDED>?,
    _ pulInfoCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_GetDriveSize(_ slotID: CK_SLOT_ID, _ pulDriveSize: UnsafeMutablePointer<CK_ULONG>?) -> CK_RV {
    notSupported()
}

@c @implementation
public func C_EX_ChangeVolumeAttributes(
    _ slotID: CK_SLOT_ID, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ idVolume: CK_VOLUME_ID_EXTENDED, _ newAccessMode: CK_ACCESS_MODE_EXTENDED, _ bPermanent: CK_BBOOL
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_FormatDrive(
    _ slotID: CK_SLOT_ID, _ userType: CK_USER_TYPE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ pInitParams: UnsafeMutablePointer<CK_VOLUME_FORMAT_INFO_EXTENDED>?, _ ulInitParamsCount: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_TokenManage(_ hSession: CK_SESSION_HANDLE, _ ulMode: CK_ULONG, _ pValue: UnsafeMutableRawPointer?)
    -> CK_RV
{ notSupported() }

@c @implementation
public func C_EX_GetJournal(
    _ slotID: CK_SLOT_ID, _ pJournal: UnsafeMutablePointer<CK_BYTE>?, _ pulJournalSize: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SignInvisibleInit(
    _ hSession: CK_SESSION_HANDLE, _ pMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hKey: CK_OBJECT_HANDLE
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SignInvisible(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ pSignature: UnsafeMutablePointer<CK_BYTE>?, _ pulSignatureLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_SlotManage(_ slotID: CK_SLOT_ID, _ ulMode: CK_ULONG, _ pValue: UnsafeMutableRawPointer?) -> CK_RV {
    notSupported()
}

@c @implementation
public func C_EX_WrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pGenerationMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulKeyAttributeCount: CK_ULONG,
    _ pDerivationMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ hBaseKey: CK_OBJECT_HANDLE,
    _ pWrappingMechanism: UnsafeMutablePointer<CK_MECHANISM>?, _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?,
    _ pulWrappedKeyLen: UnsafeMutablePointer<CK_ULONG>?, _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_UnwrapKey(
    _ hSession: CK_SESSION_HANDLE, _ pDerivationMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ hBaseKey: CK_OBJECT_HANDLE, _ pUnwrappingMechanism: UnsafeMutablePointer<CK_MECHANISM>?,
    _ pWrappedKey: UnsafeMutablePointer<CK_BYTE>?, _ ulWrappedKeyLen: CK_ULONG,
    _ pKeyTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulKeyAttributeCount: CK_ULONG,
    _ phKey: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_PKCS7VerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pCms: UnsafeMutablePointer<CK_BYTE>?, _ ulCmsSize: CK_ULONG,
    _ pStore: UnsafeMutablePointer<CK_VENDOR_X509_STORE>?, _ ckMode: CK_VENDOR_CRL_MODE, _ flags: CK_FLAGS
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_PKCS7Verify(
    _ hSession: CK_SESSION_HANDLE, _ ppData: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?,
    _ pulDataSize: UnsafeMutablePointer<CK_ULONG>?,
    _ ppSignerCertificates: UnsafeMutablePointer<UnsafeMutablePointer<CK_VENDOR_BUFFER>?>?,
    _ pulSignerCertificatesCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_PKCS7VerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataSize: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_PKCS7VerifyFinal(
    _ hSession: CK_SESSION_HANDLE,
    _ ppSignerCertificates: UnsafeMutablePointer<UnsafeMutablePointer<CK_VENDOR_BUFFER>?>?,
    _ pulSignerCertificatesCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_Authenticate(
    _ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE, _ pAuthData: UnsafeMutablePointer<CK_BYTE>?,
    _ ulAuthDataLen: CK_ULONG
) -> CK_RV { notSupported() }

@c @implementation
public func C_EX_Deauthenticate(_ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE) -> CK_RV {
    notSupported()
}

@c @implementation
public func C_EX_UnblockAuthenticator(_ hSession: CK_SESSION_HANDLE, _ hAuthObject: CK_OBJECT_HANDLE) -> CK_RV {
    notSupported()
}
