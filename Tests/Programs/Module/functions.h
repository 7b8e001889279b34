/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions in the order of their tables, with the number of each: entry n is n pointers behind the beginning. PKCS
 * #11 2.40, section 5, 3.0, and the vendor's extension. Kanal's own functions follow.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#define STANDARD_FUNCTIONS(ENTRY)    \
    ENTRY(C_Initialize, 1)           \
    ENTRY(C_Finalize, 2)             \
    ENTRY(C_GetInfo, 3)              \
    ENTRY(C_GetFunctionList, 4)      \
    ENTRY(C_GetSlotList, 5)          \
    ENTRY(C_GetSlotInfo, 6)          \
    ENTRY(C_GetTokenInfo, 7)         \
    ENTRY(C_GetMechanismList, 8)     \
    ENTRY(C_GetMechanismInfo, 9)     \
    ENTRY(C_InitToken, 10)           \
    ENTRY(C_InitPIN, 11)             \
    ENTRY(C_SetPIN, 12)              \
    ENTRY(C_OpenSession, 13)         \
    ENTRY(C_CloseSession, 14)        \
    ENTRY(C_CloseAllSessions, 15)    \
    ENTRY(C_GetSessionInfo, 16)      \
    ENTRY(C_GetOperationState, 17)   \
    ENTRY(C_SetOperationState, 18)   \
    ENTRY(C_Login, 19)               \
    ENTRY(C_Logout, 20)              \
    ENTRY(C_CreateObject, 21)        \
    ENTRY(C_CopyObject, 22)          \
    ENTRY(C_DestroyObject, 23)       \
    ENTRY(C_GetObjectSize, 24)       \
    ENTRY(C_GetAttributeValue, 25)   \
    ENTRY(C_SetAttributeValue, 26)   \
    ENTRY(C_FindObjectsInit, 27)     \
    ENTRY(C_FindObjects, 28)         \
    ENTRY(C_FindObjectsFinal, 29)    \
    ENTRY(C_EncryptInit, 30)         \
    ENTRY(C_Encrypt, 31)             \
    ENTRY(C_EncryptUpdate, 32)       \
    ENTRY(C_EncryptFinal, 33)        \
    ENTRY(C_DecryptInit, 34)         \
    ENTRY(C_Decrypt, 35)             \
    ENTRY(C_DecryptUpdate, 36)       \
    ENTRY(C_DecryptFinal, 37)        \
    ENTRY(C_DigestInit, 38)          \
    ENTRY(C_Digest, 39)              \
    ENTRY(C_DigestUpdate, 40)        \
    ENTRY(C_DigestKey, 41)           \
    ENTRY(C_DigestFinal, 42)         \
    ENTRY(C_SignInit, 43)            \
    ENTRY(C_Sign, 44)                \
    ENTRY(C_SignUpdate, 45)          \
    ENTRY(C_SignFinal, 46)           \
    ENTRY(C_SignRecoverInit, 47)     \
    ENTRY(C_SignRecover, 48)         \
    ENTRY(C_VerifyInit, 49)          \
    ENTRY(C_Verify, 50)              \
    ENTRY(C_VerifyUpdate, 51)        \
    ENTRY(C_VerifyFinal, 52)         \
    ENTRY(C_VerifyRecoverInit, 53)   \
    ENTRY(C_VerifyRecover, 54)       \
    ENTRY(C_DigestEncryptUpdate, 55) \
    ENTRY(C_DecryptDigestUpdate, 56) \
    ENTRY(C_SignEncryptUpdate, 57)   \
    ENTRY(C_DecryptVerifyUpdate, 58) \
    ENTRY(C_GenerateKey, 59)         \
    ENTRY(C_GenerateKeyPair, 60)     \
    ENTRY(C_WrapKey, 61)             \
    ENTRY(C_UnwrapKey, 62)           \
    ENTRY(C_DeriveKey, 63)           \
    ENTRY(C_SeedRandom, 64)          \
    ENTRY(C_GenerateRandom, 65)      \
    ENTRY(C_GetFunctionStatus, 66)   \
    ENTRY(C_CancelFunction, 67)      \
    ENTRY(C_WaitForSlotEvent, 68)

/* The functions that 3.0 adds. */
#define FUNCTIONS_OF_3_0(ENTRY)      \
    ENTRY(C_GetInterfaceList, 69)    \
    ENTRY(C_GetInterface, 70)        \
    ENTRY(C_LoginUser, 71)           \
    ENTRY(C_SessionCancel, 72)       \
    ENTRY(C_MessageEncryptInit, 73)  \
    ENTRY(C_EncryptMessage, 74)      \
    ENTRY(C_EncryptMessageBegin, 75) \
    ENTRY(C_EncryptMessageNext, 76)  \
    ENTRY(C_MessageEncryptFinal, 77) \
    ENTRY(C_MessageDecryptInit, 78)  \
    ENTRY(C_DecryptMessage, 79)      \
    ENTRY(C_DecryptMessageBegin, 80) \
    ENTRY(C_DecryptMessageNext, 81)  \
    ENTRY(C_MessageDecryptFinal, 82) \
    ENTRY(C_MessageSignInit, 83)     \
    ENTRY(C_SignMessage, 84)         \
    ENTRY(C_SignMessageBegin, 85)    \
    ENTRY(C_SignMessageNext, 86)     \
    ENTRY(C_MessageSignFinal, 87)    \
    ENTRY(C_MessageVerifyInit, 88)   \
    ENTRY(C_VerifyMessage, 89)       \
    ENTRY(C_VerifyMessageBegin, 90)  \
    ENTRY(C_VerifyMessageNext, 91)   \
    ENTRY(C_MessageVerifyFinal, 92)

#define EXTENDED_FUNCTIONS(ENTRY)              \
    ENTRY(C_EX_GetFunctionListExtended, 1)     \
    ENTRY(C_EX_InitToken, 2)                   \
    ENTRY(C_EX_GetTokenInfoExtended, 3)        \
    ENTRY(C_EX_UnblockUserPIN, 4)              \
    ENTRY(C_EX_SetTokenName, 5)                \
    ENTRY(C_EX_SetLicense, 6)                  \
    ENTRY(C_EX_GetLicense, 7)                  \
    ENTRY(C_EX_GetCertificateInfoText, 8)      \
    ENTRY(C_EX_PKCS7Sign, 9)                   \
    ENTRY(C_EX_CreateCSR, 10)                  \
    ENTRY(C_EX_FreeBuffer, 11)                 \
    ENTRY(C_EX_GetTokenName, 12)               \
    ENTRY(C_EX_SetLocalPIN, 13)                \
    ENTRY(C_EX_LoadActivationKey, 14)          \
    ENTRY(C_EX_SetActivationPassword, 15)      \
    ENTRY(C_EX_GetVolumesInfo, 16)             \
    ENTRY(C_EX_GetDriveSize, 17)               \
    ENTRY(C_EX_ChangeVolumeAttributes, 18)     \
    ENTRY(C_EX_FormatDrive, 19)                \
    ENTRY(C_EX_TokenManage, 20)                \
    ENTRY(C_EX_GenerateActivationPassword, 21) \
    ENTRY(C_EX_GetJournal, 22)                 \
    ENTRY(C_EX_SignInvisibleInit, 23)          \
    ENTRY(C_EX_SignInvisible, 24)              \
    ENTRY(C_EX_SlotManage, 25)                 \
    ENTRY(C_EX_WrapKey, 26)                    \
    ENTRY(C_EX_UnwrapKey, 27)                  \
    ENTRY(C_EX_PKCS7VerifyInit, 28)            \
    ENTRY(C_EX_PKCS7Verify, 29)                \
    ENTRY(C_EX_PKCS7VerifyUpdate, 30)          \
    ENTRY(C_EX_PKCS7VerifyFinal, 31)           \
    ENTRY(C_EX_Authenticate, 32)               \
    ENTRY(C_EX_Deauthenticate, 33)             \
    ENTRY(C_EX_UnblockAuthenticator, 34)

/* Kanal's own, which are in no table. */
#define KANAL_FUNCTIONS(ENTRY)          \
    ENTRY(C_KANAL_GetChannelInfo, 1)    \
    ENTRY(C_KANAL_GetPairedHosts, 2)    \
    ENTRY(C_KANAL_RemovePairedHost, 3)  \
    ENTRY(C_KANAL_GetPairedTokens, 4)   \
    ENTRY(C_KANAL_RemovePairedToken, 5) \
    ENTRY(C_KANAL_GetReaders, 6)

#endif
