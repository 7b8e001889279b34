/* SPDX-License-Identifier: Apache-2.0 */
// The function tables, and the functions that hand them out. Every entry is the exported function of its own name; Swift
// defines these in the target Provider.

#include <pkcs11v3.h>
#include <string.h>

#define STANDARD_FUNCTIONS(ENTRY) \
    ENTRY(C_Initialize) ENTRY(C_Finalize) ENTRY(C_GetInfo) ENTRY(C_GetFunctionList) \
    ENTRY(C_GetSlotList) ENTRY(C_GetSlotInfo) ENTRY(C_GetTokenInfo) \
    ENTRY(C_GetMechanismList) ENTRY(C_GetMechanismInfo) \
    ENTRY(C_InitToken) ENTRY(C_InitPIN) ENTRY(C_SetPIN) \
    ENTRY(C_OpenSession) ENTRY(C_CloseSession) ENTRY(C_CloseAllSessions) ENTRY(C_GetSessionInfo) \
    ENTRY(C_GetOperationState) ENTRY(C_SetOperationState) ENTRY(C_Login) ENTRY(C_Logout) \
    ENTRY(C_CreateObject) ENTRY(C_CopyObject) ENTRY(C_DestroyObject) ENTRY(C_GetObjectSize) \
    ENTRY(C_GetAttributeValue) ENTRY(C_SetAttributeValue) \
    ENTRY(C_FindObjectsInit) ENTRY(C_FindObjects) ENTRY(C_FindObjectsFinal) \
    ENTRY(C_EncryptInit) ENTRY(C_Encrypt) ENTRY(C_EncryptUpdate) ENTRY(C_EncryptFinal) \
    ENTRY(C_DecryptInit) ENTRY(C_Decrypt) ENTRY(C_DecryptUpdate) ENTRY(C_DecryptFinal) \
    ENTRY(C_DigestInit) ENTRY(C_Digest) ENTRY(C_DigestUpdate) ENTRY(C_DigestKey) ENTRY(C_DigestFinal) \
    ENTRY(C_SignInit) ENTRY(C_Sign) ENTRY(C_SignUpdate) ENTRY(C_SignFinal) \
    ENTRY(C_SignRecoverInit) ENTRY(C_SignRecover) \
    ENTRY(C_VerifyInit) ENTRY(C_Verify) ENTRY(C_VerifyUpdate) ENTRY(C_VerifyFinal) \
    ENTRY(C_VerifyRecoverInit) ENTRY(C_VerifyRecover) \
    ENTRY(C_DigestEncryptUpdate) ENTRY(C_DecryptDigestUpdate) \
    ENTRY(C_SignEncryptUpdate) ENTRY(C_DecryptVerifyUpdate) \
    ENTRY(C_GenerateKey) ENTRY(C_GenerateKeyPair) ENTRY(C_WrapKey) ENTRY(C_UnwrapKey) ENTRY(C_DeriveKey) \
    ENTRY(C_SeedRandom) ENTRY(C_GenerateRandom) \
    ENTRY(C_GetFunctionStatus) ENTRY(C_CancelFunction) ENTRY(C_WaitForSlotEvent)

#define FUNCTIONS_OF_3_0(ENTRY) \
    ENTRY(C_GetInterfaceList) ENTRY(C_GetInterface) ENTRY(C_LoginUser) ENTRY(C_SessionCancel) \
    ENTRY(C_MessageEncryptInit) ENTRY(C_EncryptMessage) ENTRY(C_EncryptMessageBegin) ENTRY(C_EncryptMessageNext) \
    ENTRY(C_MessageEncryptFinal) \
    ENTRY(C_MessageDecryptInit) ENTRY(C_DecryptMessage) ENTRY(C_DecryptMessageBegin) ENTRY(C_DecryptMessageNext) \
    ENTRY(C_MessageDecryptFinal) \
    ENTRY(C_MessageSignInit) ENTRY(C_SignMessage) ENTRY(C_SignMessageBegin) ENTRY(C_SignMessageNext) \
    ENTRY(C_MessageSignFinal) \
    ENTRY(C_MessageVerifyInit) ENTRY(C_VerifyMessage) ENTRY(C_VerifyMessageBegin) ENTRY(C_VerifyMessageNext) \
    ENTRY(C_MessageVerifyFinal)

#define EXTENDED_FUNCTIONS(ENTRY) \
    ENTRY(C_EX_GetFunctionListExtended) ENTRY(C_EX_InitToken) ENTRY(C_EX_GetTokenInfoExtended) \
    ENTRY(C_EX_UnblockUserPIN) ENTRY(C_EX_SetTokenName) ENTRY(C_EX_SetLicense) ENTRY(C_EX_GetLicense) \
    ENTRY(C_EX_GetCertificateInfoText) ENTRY(C_EX_PKCS7Sign) ENTRY(C_EX_CreateCSR) ENTRY(C_EX_FreeBuffer) \
    ENTRY(C_EX_GetTokenName) ENTRY(C_EX_SetLocalPIN) \
    ENTRY(C_EX_LoadActivationKey) ENTRY(C_EX_SetActivationPassword) \
    ENTRY(C_EX_GetVolumesInfo) ENTRY(C_EX_GetDriveSize) ENTRY(C_EX_ChangeVolumeAttributes) ENTRY(C_EX_FormatDrive) \
    ENTRY(C_EX_TokenManage) ENTRY(C_EX_GenerateActivationPassword) ENTRY(C_EX_GetJournal) \
    ENTRY(C_EX_SignInvisibleInit) ENTRY(C_EX_SignInvisible) ENTRY(C_EX_SlotManage) \
    ENTRY(C_EX_WrapKey) ENTRY(C_EX_UnwrapKey) \
    ENTRY(C_EX_PKCS7VerifyInit) ENTRY(C_EX_PKCS7Verify) ENTRY(C_EX_PKCS7VerifyUpdate) ENTRY(C_EX_PKCS7VerifyFinal) \
    ENTRY(C_EX_Authenticate) ENTRY(C_EX_Deauthenticate) ENTRY(C_EX_UnblockAuthenticator)

// Swift's functions are protected: their addresses in the tables are the library's, even if the program or another library of
// it, such as libp11-kit, exports functions of these names. So are those of this file.
#define PROTECTED __attribute__((visibility("protected")))
PROTECTED __typeof__(C_GetFunctionList) C_GetFunctionList;
PROTECTED __typeof__(C_GetInterfaceList) C_GetInterfaceList;
PROTECTED __typeof__(C_GetInterface) C_GetInterface;
PROTECTED __typeof__(C_EX_GetFunctionListExtended) C_EX_GetFunctionListExtended;

#define MEMBER(name) __typeof__(name) *name;
#define IN_TABLE(name) .name = name,
#define COUNT(name) +1

struct table_3_0 {
    CK_VERSION version;
    STANDARD_FUNCTIONS(MEMBER) FUNCTIONS_OF_3_0(MEMBER)
};

static CK_FUNCTION_LIST standard = {.version = {2, 40}, STANDARD_FUNCTIONS(IN_TABLE)};
static struct table_3_0 table_3_0 = {.version = {3, 0}, STANDARD_FUNCTIONS(IN_TABLE) FUNCTIONS_OF_3_0(IN_TABLE)};
static CK_FUNCTION_LIST_EXTENDED extended = {.version = {2, 40}, EXTENDED_FUNCTIONS(IN_TABLE)};

// A list that misses a function would leave a NULL in its table: the tables consist of a version, which takes the room
// of one pointer, and the functions.
_Static_assert(sizeof standard == (1 STANDARD_FUNCTIONS(COUNT)) * sizeof(void *), "a standard function is missing");
_Static_assert(sizeof table_3_0 == (69 + 24) * sizeof(void *), "a function of 3.0 is missing");
_Static_assert(sizeof extended == (1 EXTENDED_FUNCTIONS(COUNT)) * sizeof(void *), "an extended function is missing");

// Neither is fork-safe in the sense of CKF_INTERFACE_FORK_SAFE: a child begins without sessions.
static CK_UTF8CHAR name[] = "PKCS 11";
static CK_INTERFACE interfaces[] = {{(void *)name, &table_3_0, 0}, {(void *)name, &standard, 0}};
enum { INTERFACES = sizeof interfaces / sizeof *interfaces };

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR ppFunctionList) {
    if (!ppFunctionList)
        return CKR_ARGUMENTS_BAD;
    *ppFunctionList = &standard;
    return CKR_OK;
}

CK_RV C_EX_GetFunctionListExtended(CK_FUNCTION_LIST_EXTENDED_PTR_PTR ppFunctionList) {
    if (!ppFunctionList)
        return CKR_ARGUMENTS_BAD;
    *ppFunctionList = &extended;
    return CKR_OK;
}

CK_RV C_GetInterfaceList(CK_INTERFACE *pInterfacesList, CK_ULONG_PTR pulCount) {
    if (!pulCount)
        return CKR_ARGUMENTS_BAD;
    CK_ULONG room = *pulCount;
    *pulCount = INTERFACES;
    if (!pInterfacesList)
        return CKR_OK;
    if (room < INTERFACES)
        return CKR_BUFFER_TOO_SMALL;
    memcpy(pInterfacesList, interfaces, sizeof interfaces);
    return CKR_OK;
}

// The first interface that has everything asked for.
CK_RV C_GetInterface(CK_UTF8CHAR_PTR pInterfaceName, CK_VERSION_PTR pVersion, CK_INTERFACE **ppInterface,
                     CK_FLAGS flags) {
    if (!ppInterface)
        return CKR_ARGUMENTS_BAD;
    if (pInterfaceName && strcmp((const char *)pInterfaceName, (const char *)name) != 0)
        return CKR_FUNCTION_FAILED;
    for (int i = 0; i < INTERFACES; i++) {
        const CK_VERSION *version = interfaces[i].pFunctionList;
        if (pVersion && (pVersion->major != version->major || pVersion->minor != version->minor))
            continue;
        if (flags & ~interfaces[i].flags)
            continue;
        *ppInterface = &interfaces[i];
        return CKR_OK;
    }
    return CKR_FUNCTION_FAILED;
}
