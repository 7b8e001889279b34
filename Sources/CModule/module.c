// The two function tables, and the functions that hand them out. Every entry is the exported function of its own name;
// Swift defines these in the target Provider.

#include <rtpkcs11.h>

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

#define IN_TABLE(name) .name = name,
#define COUNT(name) +1

static CK_FUNCTION_LIST standard = {.version = {2, 40}, STANDARD_FUNCTIONS(IN_TABLE)};
static CK_FUNCTION_LIST_EXTENDED extended = {.version = {2, 40}, EXTENDED_FUNCTIONS(IN_TABLE)};

// A list that misses a function would leave a NULL in its table: the tables consist of a version, which takes the room
// of one pointer, and the functions.
_Static_assert(sizeof standard == (1 STANDARD_FUNCTIONS(COUNT)) * sizeof(void *), "a standard function is missing");
_Static_assert(sizeof extended == (1 EXTENDED_FUNCTIONS(COUNT)) * sizeof(void *), "an extended function is missing");

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
