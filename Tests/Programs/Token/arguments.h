/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function, and a correct call of it: the operation that must be active, its mechanism, its key, and
 * a letter for each argument:
 *
 *   s slot, h session, k key, w wrapping key, m mechanism, d data or PIN with the length l, t array with the count c,
 *   D place for data with the length L, P place for one result, O for the handle of a new object, B buffer,
 *   i parameters of formatting, x another structure, U a kind of user, N two names, z zero, the count of a missing
 *   array, 0 reserved, 1-9 this number, or another, - anything.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

typedef CK_RV (*function)(CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG,
                          CK_ULONG, CK_ULONG);

struct entry {
    const char *name;
    function call;
    void (*begin)(void);
    CK_MECHANISM *mechanism;
    CK_OBJECT_HANDLE *key;
    const char *arguments;
};
#define E(name, begin, mechanism, key, arguments) {#name, (function)name, begin, mechanism, key, arguments}

static const struct entry entries[] = {
    E(C_Initialize, NULL, NULL, NULL, ""), E(C_Finalize, NULL, NULL, NULL, "0"), E(C_GetInfo, NULL, NULL, NULL, "P"),
    E(C_GetFunctionList, NULL, NULL, NULL, "P"), E(C_GetSlotList, NULL, NULL, NULL, "1-P"),
    E(C_GetSlotInfo, NULL, NULL, NULL, "sP"), E(C_GetTokenInfo, NULL, NULL, NULL, "sP"),
    E(C_GetMechanismList, NULL, NULL, NULL, "s-P"), E(C_GetMechanismInfo, NULL, NULL, NULL, "s1P"),
    E(C_InitToken, NULL, NULL, NULL, "sdlB"), E(C_InitPIN, NULL, NULL, NULL, "hdl"),
    E(C_SetPIN, NULL, NULL, NULL, "hdldl"), E(C_OpenSession, NULL, NULL, NULL, "s4--P"),
    E(C_CloseSession, NULL, NULL, NULL, "h"), E(C_CloseAllSessions, NULL, NULL, NULL, "s"),
    E(C_GetSessionInfo, NULL, NULL, NULL, "hP"), E(C_GetOperationState, NULL, NULL, NULL, "hDL"),
    E(C_SetOperationState, NULL, NULL, NULL, "hdl11"), E(C_Login, NULL, NULL, NULL, "h1dl"),
    E(C_Logout, NULL, NULL, NULL, "h"), E(C_CreateObject, NULL, NULL, NULL, "htcO"),
    E(C_CopyObject, NULL, NULL, &secret, "hktcO"), E(C_DestroyObject, NULL, NULL, &secret, "hk"),
    E(C_GetObjectSize, NULL, NULL, &secret, "hkP"), E(C_GetAttributeValue, NULL, NULL, &secret, "hktc"),
    E(C_SetAttributeValue, NULL, NULL, &secret, "hktc"), E(C_FindObjectsInit, NULL, NULL, NULL, "htc"),
    E(C_FindObjects, begin_search, NULL, NULL, "hB1P"), E(C_FindObjectsFinal, begin_search, NULL, NULL, "h"),
    E(C_EncryptInit, NULL, &cipher, &secret, "hmk"), E(C_Encrypt, begin_ciphers, NULL, NULL, "hdlDL"),
    E(C_EncryptUpdate, begin_ciphers, NULL, NULL, "hdlDL"), E(C_EncryptFinal, begin_ciphers, NULL, NULL, "hDL"),
    E(C_DecryptInit, NULL, &cipher, &secret, "hmk"), E(C_Decrypt, begin_ciphers, NULL, NULL, "hdlDL"),
    E(C_DecryptUpdate, begin_ciphers, NULL, NULL, "hdlDL"), E(C_DecryptFinal, begin_ciphers, NULL, NULL, "hDL"),
    E(C_DigestInit, NULL, &digest, NULL, "hm"), E(C_Digest, begin_digest, NULL, NULL, "hdlDL"),
    E(C_DigestUpdate, begin_digest, NULL, NULL, "hdl"), E(C_DigestKey, begin_digest, NULL, &secret, "hk"),
    E(C_DigestFinal, begin_digest, NULL, NULL, "hDL"), E(C_SignInit, NULL, &sign, &private_key, "hmk"),
    E(C_Sign, begin_sign, NULL, NULL, "hdlDL"), E(C_SignUpdate, begin_sign, NULL, NULL, "hdl"),
    E(C_SignFinal, begin_sign, NULL, NULL, "hDL"), E(C_VerifyInit, NULL, &sign, &public_key, "hmk"),
    E(C_Verify, begin_verify, NULL, NULL, "hdldl"), E(C_VerifyUpdate, begin_verify, NULL, NULL, "hdl"),
    E(C_VerifyFinal, begin_verify, NULL, NULL, "hdl"), E(C_DigestEncryptUpdate, begin_ciphers, NULL, NULL, "hdlDL"),
    E(C_DecryptDigestUpdate, begin_ciphers, NULL, NULL, "hdlDL"),
    E(C_SignEncryptUpdate, begin_ciphers, NULL, NULL, "hdlDL"),
    E(C_DecryptVerifyUpdate, begin_ciphers, NULL, NULL, "hdlDL"), E(C_GenerateKey, NULL, &make, NULL, "hmtcO"),
    E(C_GenerateKeyPair, NULL, &make_pair, NULL, "hmtctcOO"), E(C_WrapKey, NULL, &wrap, &secret, "hmwkDL"),
    E(C_UnwrapKey, NULL, &wrap, &secret, "hmwdltcO"), E(C_DeriveKey, NULL, &derive, &secret, "hmktcO"),
    E(C_SeedRandom, NULL, NULL, NULL, "hdl"), E(C_GenerateRandom, NULL, NULL, NULL, "hdl"),
    E(C_WaitForSlotEvent, NULL, NULL, NULL, "-P0"), E(C_GetInterfaceList, NULL, NULL, NULL, "-P"),
    E(C_GetInterface, NULL, NULL, NULL, "--P1"), E(C_LoginUser, NULL, NULL, NULL, "h1dl--"),
    E(C_SessionCancel, NULL, NULL, NULL, "h1"), E(C_SignRecoverInit, NULL, &recover, &private_rsa_key, "hmk"),
    E(C_SignRecover, begin_sign_recover, NULL, NULL, "hdlDL"),
    E(C_VerifyRecoverInit, NULL, &recover, &public_rsa_key, "hmk"),
    E(C_VerifyRecover, begin_verify_recover, NULL, NULL, "hdlDL"), E(C_GetFunctionStatus, NULL, NULL, NULL, "h"),
    E(C_CancelFunction, NULL, NULL, NULL, "h"),
    E(C_MessageEncryptInit, NULL, &cipher, &secret, "hmk"), E(C_EncryptMessage, NULL, NULL, NULL, "hdldldlDL"),
    E(C_EncryptMessageBegin, NULL, NULL, NULL, "hdldl"), E(C_EncryptMessageNext, NULL, NULL, NULL, "hdldlDL1"),
    E(C_MessageEncryptFinal, NULL, NULL, NULL, "h"),
    E(C_MessageDecryptInit, NULL, &cipher, &secret, "hmk"), E(C_DecryptMessage, NULL, NULL, NULL, "hdldldlDL"),
    E(C_DecryptMessageBegin, NULL, NULL, NULL, "hdldl"), E(C_DecryptMessageNext, NULL, NULL, NULL, "hdldlDL1"),
    E(C_MessageDecryptFinal, NULL, NULL, NULL, "h"),
    E(C_MessageSignInit, NULL, &sign, &private_key, "hmk"), E(C_SignMessage, NULL, NULL, NULL, "hdldlDL"),
    E(C_SignMessageBegin, NULL, NULL, NULL, "hdl"), E(C_SignMessageNext, NULL, NULL, NULL, "hdldlDL"),
    E(C_MessageSignFinal, NULL, NULL, NULL, "h"),
    E(C_MessageVerifyInit, NULL, &sign, &public_key, "hmk"), E(C_VerifyMessage, NULL, NULL, NULL, "hdldldl"),
    E(C_VerifyMessageBegin, NULL, NULL, NULL, "hdl"), E(C_VerifyMessageNext, NULL, NULL, NULL, "hdldldl"),
    E(C_MessageVerifyFinal, NULL, NULL, NULL, "h"),
    E(C_EX_GetFunctionListExtended, NULL, NULL, NULL, "P"), E(C_EX_InitToken, NULL, NULL, NULL, "sdli"),
    E(C_EX_GetTokenInfoExtended, NULL, NULL, NULL, "sx"), E(C_EX_UnblockUserPIN, NULL, NULL, NULL, "h"),
    E(C_EX_SetTokenName, NULL, NULL, NULL, "hdl"), E(C_EX_SetLicense, NULL, NULL, NULL, "h1dl"),
    E(C_EX_GetLicense, NULL, NULL, NULL, "h1DL"), E(C_EX_GetCertificateInfoText, NULL, NULL, &secret, "hkPP"),
    E(C_EX_PKCS7Sign, NULL, NULL, &secret, "hdlkPP-tc1"), E(C_EX_CreateCSR, NULL, NULL, &public_key, "hkN2PP--z-z"),
    E(C_EX_FreeBuffer, NULL, NULL, NULL, ""), E(C_EX_GetTokenName, NULL, NULL, NULL, "hDL"),
    E(C_EX_SetLocalPIN, NULL, NULL, NULL, "sdldl3"), E(C_EX_LoadActivationKey, NULL, NULL, NULL, "hdl"),
    E(C_EX_SetActivationPassword, NULL, NULL, NULL, "sd"), E(C_EX_GetVolumesInfo, NULL, NULL, NULL, "s-P"),
    E(C_EX_GetDriveSize, NULL, NULL, NULL, "sP"), E(C_EX_ChangeVolumeAttributes, NULL, NULL, NULL, "s1dl111"),
    E(C_EX_FormatDrive, NULL, NULL, NULL, "s1dlxc"), E(C_EX_TokenManage, NULL, NULL, NULL, "h3U"),
    E(C_EX_GenerateActivationPassword, NULL, NULL, NULL, "h1DL1"), E(C_EX_GetJournal, NULL, NULL, NULL, "sDL"),
    E(C_EX_SignInvisibleInit, NULL, &sign, &private_key, "hmk"), E(C_EX_SignInvisible, NULL, NULL, NULL, "hdlDL"),
    E(C_EX_SlotManage, NULL, NULL, NULL, "s7U"), E(C_EX_WrapKey, NULL, &wrap, &secret, "hmtcmkmDLO"),
    E(C_EX_UnwrapKey, NULL, &wrap, &secret, "hmkmdltcO"), E(C_EX_PKCS7VerifyInit, NULL, NULL, NULL, "hdl-11"),
    E(C_EX_PKCS7Verify, NULL, NULL, NULL, "hPPPP"), E(C_EX_PKCS7VerifyUpdate, NULL, NULL, NULL, "hdl"),
    E(C_EX_PKCS7VerifyFinal, NULL, NULL, NULL, "hPP"), E(C_EX_Authenticate, NULL, NULL, &secret, "hkdl"),
    E(C_EX_Deauthenticate, NULL, NULL, &secret, "hk"), E(C_EX_UnblockAuthenticator, NULL, NULL, &secret, "hk"),
    E(C_KANAL_GetChannelInfo, NULL, NULL, NULL, "sB"), E(C_KANAL_GetPairedHosts, NULL, NULL, NULL, "s-P"), E(C_KANAL_RemovePairedHost, NULL, NULL, NULL, "hx"),
    E(C_KANAL_GetPairedTokens, NULL, NULL, NULL, "-P"), E(C_KANAL_RemovePairedToken, NULL, NULL, NULL, "dl"),
    E(C_KANAL_GetReaders, NULL, NULL, NULL, "-P"),
};

#endif
