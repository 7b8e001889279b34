/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls SLOT PIN
 *
 * Rules for every caller of a token: queries of lengths, buffers that are too short, missing attributes, operations out
 * of their order (PKCS #11 2.40, 5.2, 5.7 and 5.10 to 5.13). Names every broken rule; the exit status is their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"

enum { HASH = 32, SIGNATURE = 64 };

static CK_BYTE message[] = "message";

static void expect_length(CK_ULONG length, CK_ULONG wanted, const char *what) {
    if (length != wanted) {
        wrong++;
        printf("%s: length %ld instead of %ld\n", what, (long)length, (long)wanted);
    }
}

/* A function that delivers bytes: the length, then a buffer that is too short, then the bytes, then nothing more. */
#define DELIVERS(size, what, CALL)                                                  \
    do {                                                                            \
        CK_BYTE buffer[2 * (size)];                                                 \
        CK_BYTE_PTR place = NULL;                                                   \
        CK_ULONG length = 0;                                                        \
        expect(CALL, CKR_OK, what ", asked for the length");                        \
        expect_length(length, size, what ", asked for the length");                 \
        place = buffer;                                                             \
        length = (size) - 1;                                                        \
        expect(CALL, CKR_BUFFER_TOO_SMALL, what ", short buffer");                  \
        expect_length(length, size, what ", short buffer");                         \
        length = sizeof buffer;                                                     \
        expect(CALL, CKR_OK, what);                                                 \
        expect_length(length, size, what);                                          \
        expect(CALL, CKR_OPERATION_NOT_INITIALIZED, what ", after its end");        \
    } while (0)

static void digests(CK_SESSION_HANDLE session) {
    CK_MECHANISM mechanism = {CKM_GOSTR3411_12_256, NULL, 0}, unknown = {CKM_VENDOR_DEFINED | 0x7777, NULL, 0};
    CK_ULONG length = HASH;
    CK_BYTE digest[HASH];

    expect(C_DigestInit(session, NULL), CKR_ARGUMENTS_BAD, "C_DigestInit without a mechanism");
    expect(C_DigestInit(session, &unknown), CKR_MECHANISM_INVALID, "C_DigestInit, unknown mechanism");
    expect(C_Digest(session, message, 7, digest, &length), CKR_OPERATION_NOT_INITIALIZED, "C_Digest too early");
    expect(C_DigestInit(session, &mechanism), CKR_OK, "C_DigestInit");
    expect(C_DigestInit(session, &mechanism), CKR_OPERATION_ACTIVE, "C_DigestInit twice");
    DELIVERS(HASH, "C_Digest", C_Digest(session, message, sizeof message, place, &length));
    expect(C_DigestInit(session, &mechanism), CKR_OK, "C_DigestInit");
    expect(C_DigestUpdate(session, NULL, 1), CKR_ARGUMENTS_BAD, "C_DigestUpdate without data");
    expect(C_DigestInit(session, &mechanism), CKR_OK, "C_DigestInit after an error");
    expect(C_DigestUpdate(session, message, ~0UL), CKR_ARGUMENTS_BAD, "C_DigestUpdate, endless");
    expect(C_DigestInit(session, &mechanism), CKR_OK, "C_DigestInit after an error");
    expect(C_DigestUpdate(session, message, sizeof message), CKR_OK, "C_DigestUpdate");
    DELIVERS(HASH, "C_DigestFinal", C_DigestFinal(session, place, &length));
}

static void signatures(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_OBJECT_HANDLE other) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410_WITH_GOSTR3411_12_256, NULL, 0}, raw = {CKM_GOSTR3410, NULL, 0};
    CK_MECHANISM long_keys = {CKM_GOSTR3410_512, NULL, 0};
    CK_BYTE signature[SIGNATURE], digest[HASH + 1] = {1};
    CK_ULONG length = sizeof signature;

    expect(C_SignInit(session, &mechanism, ~0UL), CKR_KEY_HANDLE_INVALID, "C_SignInit, no key");
    expect(C_SignInit(session, &mechanism, other), CKR_KEY_TYPE_INCONSISTENT, "C_SignInit, public key");
    expect(C_SignInit(session, &long_keys, key), CKR_KEY_TYPE_INCONSISTENT, "C_SignInit, key of another size");
    expect(C_SignInit(session, &mechanism, key), CKR_OK, "C_SignInit");
    DELIVERS(SIGNATURE, "C_Sign", C_Sign(session, message, sizeof message, place, &length));
    expect(C_SignInit(session, &mechanism, key), CKR_OK, "C_SignInit");
    expect(C_SignUpdate(session, message, sizeof message), CKR_OK, "C_SignUpdate");
    DELIVERS(SIGNATURE, "C_SignFinal", C_SignFinal(session, place, &length));
    expect(C_SignInit(session, &raw, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, digest, HASH + 1, signature, &length), CKR_DATA_LEN_RANGE, "C_Sign, long digest");
    expect(C_SignInit(session, &raw, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, digest, HASH, signature, &length), CKR_OK, "C_Sign");
    expect(C_VerifyInit(session, &raw, other), CKR_OK, "C_VerifyInit");
    expect(C_Verify(session, digest, HASH, signature, SIGNATURE), CKR_OK, "C_Verify");
    expect(C_VerifyInit(session, &raw, other), CKR_OK, "C_VerifyInit");
    expect(C_Verify(session, digest, HASH, signature, 63), CKR_SIGNATURE_LEN_RANGE, "C_Verify, short signature");
    signature[7] ^= 1;
    expect(C_VerifyInit(session, &raw, other), CKR_OK, "C_VerifyInit");
    expect(C_Verify(session, digest, HASH, signature, SIGNATURE), CKR_SIGNATURE_INVALID, "C_Verify, changed signature");
}

static void attributes(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key) {
    CK_BYTE value[SIGNATURE], id[4] = {0};
    CK_BBOOL token = 2;
    CK_ATTRIBUTE template[] = {
        {0x7FFFFFFFUL, value, sizeof value}, {CKA_VALUE, value, sizeof value}, {CKA_GOSTR3410_PARAMS, value, 1},
        {CKA_ID, id, sizeof id}, {CKA_TOKEN, &token, sizeof token}, {CKA_KEY_TYPE, NULL, 0}};
    CK_RV code = C_GetAttributeValue(session, key, template, 6);

    if (code != CKR_ATTRIBUTE_TYPE_INVALID && code != CKR_ATTRIBUTE_SENSITIVE && code != CKR_BUFFER_TOO_SMALL)
        expect(code, CKR_ATTRIBUTE_TYPE_INVALID, "C_GetAttributeValue");
    expect_length(template[0].ulValueLen, ~0UL, "an unknown attribute");
    expect_length(template[1].ulValueLen, ~0UL, "a sensitive attribute");
    expect_length(template[2].ulValueLen, ~0UL, "an attribute longer than its buffer");
    expect_length(template[3].ulValueLen, 1, "CKA_ID");
    expect(id[0], 0x77, "CKA_ID");
    expect(token, CK_FALSE, "CKA_TOKEN");
    expect_length(template[5].ulValueLen, sizeof(CK_ULONG), "CKA_KEY_TYPE");
    expect(C_GetAttributeValue(session, key, NULL, 1), CKR_ARGUMENTS_BAD, "C_GetAttributeValue without a template");
    expect(C_GetAttributeValue(session, ~0UL, template, 1), CKR_OBJECT_HANDLE_INVALID, "C_GetAttributeValue, no object");
}

/* Lengths that no buffer has: the bytes behind the caller's are not read. */
static void wild_lengths(CK_SESSION_HANDLE session) {
    static const CK_ULONG lengths[] = {0xFFFFFFFFUL, 0x80000000UL, 1UL << 40, ~0UL};
    CK_OBJECT_HANDLE object;
    int i, j;

    for (i = 0; i < 4; i++) {
        CK_ATTRIBUTE value = {CKA_VALUE, message, lengths[i]};
        CK_MECHANISM mechanism = {CKM_GOSTR3411_12_256, message, lengths[i]};
        expect(C_CreateObject(session, &value, 1, &object), CKR_ATTRIBUTE_VALUE_INVALID, "C_CreateObject, wild length");
        expect(C_FindObjectsInit(session, &value, 1), CKR_ATTRIBUTE_VALUE_INVALID, "C_FindObjectsInit, wild length");
        expect(C_FindObjectsInit(session, &value, lengths[i]), CKR_ARGUMENTS_BAD, "C_FindObjectsInit, wild count");
        expect(C_GetAttributeValue(session, 1, &value, lengths[i]), CKR_ARGUMENTS_BAD, "attributes, wild count");
        expect(C_DigestInit(session, &mechanism), CKR_MECHANISM_PARAM_INVALID, "C_DigestInit, wild length");
        expect(C_SetPIN(session, message, lengths[i], message, 6), CKR_ARGUMENTS_BAD, "C_SetPIN, wild old PIN");
        expect(C_SetPIN(session, message, 6, message, lengths[i]), CKR_ARGUMENTS_BAD, "C_SetPIN, wild new PIN");
        expect(C_GenerateRandom(session, message, lengths[i]), CKR_ARGUMENTS_BAD, "C_GenerateRandom, wild length");
        for (j = 0; j < 2; j++) {
            CK_GOSTR3410_KEY_WRAP_PARAMS transport = {message, j ? lengths[i] : 0, message, j ? 0 : lengths[i], 0};
            CK_MECHANISM wrap = {CKM_GOSTR3410_KEY_WRAP, &transport, sizeof transport};
            CK_ULONG length = 0;
            expect(C_WrapKey(session, &wrap, 1, 1, NULL, &length), CKR_MECHANISM_PARAM_INVALID, "C_WrapKey, wild UKM");
        }
    }
}

/* Mechanisms whose parameter is read, if its length is possible. */
static int takes_parameter(CK_MECHANISM_TYPE type) {
    static const CK_MECHANISM_TYPE with[] = {
        CKM_RSA_PKCS_OAEP, CKM_RSA_PKCS_PSS, CKM_SHA1_RSA_PKCS_PSS, CKM_SHA224_RSA_PKCS_PSS, CKM_SHA256_RSA_PKCS_PSS,
        CKM_SHA384_RSA_PKCS_PSS, CKM_SHA512_RSA_PKCS_PSS, CKM_GOSTR3410_DERIVE, CKM_GOSTR3410_12_DERIVE,
        CKM_VKO_GOSTR3410_2012_512, CKM_GOSTR3411, CKM_GOSTR3411_12_256, CKM_GOSTR3411_12_512,
        CKM_GOSTR3410_WITH_GOSTR3411, CKM_GOSTR3410_WITH_GOSTR3411_12_256, CKM_GOSTR3410_WITH_GOSTR3411_12_512,
        CKM_GOST28147_KEY_WRAP, CKM_GOST28147, CKM_GOST28147_MAC, CKM_MAGMA_CTR_ACPKM, CKM_KUZNYECHIK_CTR_ACPKM,
        CKM_MAGMA_MGM, CKM_KUZNYECHIK_MGM, CKM_CONCATENATE_BASE_AND_KEY, CKM_KDF_TREE_GOSTR3411_2012_256,
        CKM_GOST_KEG, CKM_ECDH1_DERIVE, CKM_KUZNYECHIK_KEXP_15_WRAP, CKM_MAGMA_KEXP_15_WRAP, CKM_AES_CBC,
        CKM_AES_CBC_PAD, CKM_GOSTR3410_KEY_WRAP};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (with[i] == type) return 1;
    return 0;
}

/* The answer of each function with a mechanism to this mechanism. Operations that begin are ended again. */
static void answers(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM *mechanism, CK_RV codes[10]) {
    CK_OBJECT_HANDLE one = 0, two = 0;
    CK_ULONG length = 0;
    if ((codes[0] = C_DigestInit(session, mechanism)) == CKR_OK) C_DigestInit(session, NULL);
    if ((codes[1] = C_SignInit(session, mechanism, key)) == CKR_OK) C_SignInit(session, NULL, 0);
    if ((codes[2] = C_VerifyInit(session, mechanism, key)) == CKR_OK) C_VerifyInit(session, NULL, 0);
    if ((codes[3] = C_EncryptInit(session, mechanism, key)) == CKR_OK) C_EncryptInit(session, NULL, 0);
    if ((codes[4] = C_DecryptInit(session, mechanism, key)) == CKR_OK) C_DecryptInit(session, NULL, 0);
    if ((codes[5] = C_GenerateKey(session, mechanism, NULL, 0, &one)) == CKR_OK) C_DestroyObject(session, one);
    if ((codes[6] = C_GenerateKeyPair(session, mechanism, NULL, 0, NULL, 0, &one, &two)) == CKR_OK) {
        C_DestroyObject(session, one);
        C_DestroyObject(session, two);
    }
    codes[7] = C_WrapKey(session, mechanism, key, key, NULL, &length);
    codes[8] = C_UnwrapKey(session, mechanism, key, message, sizeof message, NULL, 0, &one);
    codes[9] = C_DeriveKey(session, mechanism, key, NULL, 0, &one);
}

/* Programs leave the parameter of a mechanism that has none as it happens to be: it is as if there were nothing. */
static void wild_parameters(CK_SESSION_HANDLE session, CK_SLOT_ID slot, CK_OBJECT_HANDLE key) {
    static const CK_ULONG lengths[] = {1, 8, 16, 24, 40, 4096, 0xFFFFFFFFUL, ~0UL};
    CK_MECHANISM_TYPE types[140] = {
        CKM_SHA_1_HMAC, CKM_SHA256_HMAC, CKM_SHA512_HMAC, CKM_AES_KEY_GEN, CKM_AES_ECB, CKM_AES_CBC, CKM_AES_CBC_PAD,
        CKM_GOSTR3410_KEY_WRAP, CKM_VENDOR_DEFINED | 0x7777};
    CK_ULONG listed = 128;
    CK_RV plain[10], wild[10];

    expect(C_GetMechanismList(slot, types + 9, &listed), CKR_OK, "C_GetMechanismList");
    for (CK_ULONG i = 0; i < 9 + listed; i++) {
        CK_MECHANISM mechanism = {types[i], NULL, 0};
        int reads = takes_parameter(types[i]);
        answers(session, key, &mechanism, plain);
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            if (reads && lengths[j] < 4096) continue;
            mechanism = (CK_MECHANISM){types[i], (void *)16, lengths[j]};
            answers(session, key, &mechanism, wild);
            for (int k = 0; k < 10; k++) {
                char what[90];
                snprintf(what, sizeof what, "mechanism 0x%lX, function %d, a wild parameter of %lu", types[i], k, lengths[j]);
                expect(wild[k], reads ? CKR_MECHANISM_PARAM_INVALID : plain[k], what);
            }
        }
    }
}

static void searches(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key) {
    CK_BYTE id = 0x77;
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_ID, &id, 1}, {CKA_CLASS, &class, sizeof class}};
    CK_OBJECT_HANDLE found = 0;
    CK_ULONG count = 9;

    expect(C_FindObjects(session, &found, 1, &count), CKR_OPERATION_NOT_INITIALIZED, "C_FindObjects too early");
    expect(C_FindObjectsInit(session, template, 2), CKR_OK, "C_FindObjectsInit");
    expect(C_FindObjectsInit(session, template, 2), CKR_OPERATION_ACTIVE, "C_FindObjectsInit twice");
    expect(C_FindObjects(session, &found, 1, &count), CKR_OK, "C_FindObjects");
    expect_length(count, 1, "C_FindObjects");
    expect(found, key, "the handle of a key that is found");
    expect(C_FindObjects(session, &found, 1, &count), CKR_OK, "C_FindObjects at the end");
    expect_length(count, 0, "C_FindObjects at the end");
    expect(C_FindObjectsFinal(session), CKR_OK, "C_FindObjectsFinal");
}

int main(int argc, char **argv) {
    CK_SESSION_HANDLE session = 0;
    CK_SLOT_ID slot = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    CK_MECHANISM generate = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0};
    CK_BYTE id = 0x77;
    CK_ATTRIBUTE identify = {CKA_ID, &id, 1}, bad = {0x7FFFFFFFUL, &id, 1};
    CK_OBJECT_HANDLE public_key = 0, private_key = 0;
    CK_TOKEN_INFO_EXTENDED info;
    CK_ULONG count = 0;

    if (argc != 3)
        return 100;
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize");
    expect(C_OpenSession(slot, 0, NULL, NULL, &session), CKR_SESSION_PARALLEL_NOT_SUPPORTED, "C_OpenSession, parallel");
    expect(C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, NULL), CKR_ARGUMENTS_BAD, "C_OpenSession, no place");
    expect(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session), CKR_OK, "C_OpenSession");
    expect(C_Login(session, CKU_USER, NULL, 8), CKR_ARGUMENTS_BAD, "C_Login without a PIN");
    expect(C_Login(session, 77, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])), CKR_USER_TYPE_INVALID, "C_Login, nobody");
    expect(C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])), CKR_OK, "C_Login");
    expect(C_GenerateKeyPair(session, &generate, &bad, 1, NULL, 0, &public_key, &private_key),
           CKR_ATTRIBUTE_TYPE_INVALID, "C_GenerateKeyPair, unknown attribute");
    expect(C_GenerateKeyPair(session, &generate, &identify, 1, &identify, 1, &public_key, NULL), CKR_ARGUMENTS_BAD,
           "C_GenerateKeyPair, no place");
    expect(C_GenerateKeyPair(session, &generate, &identify, 1, &identify, 1, &public_key, &private_key), CKR_OK,
           "C_GenerateKeyPair");
    digests(session);
    signatures(session, private_key, public_key);
    attributes(session, private_key);
    searches(session, private_key);
    wild_lengths(session);
    wild_parameters(session, slot, private_key);

    memset(&info, 0, sizeof info);
    expect(C_EX_GetTokenInfoExtended(slot, &info), CKR_ARGUMENTS_BAD, "C_EX_GetTokenInfoExtended, size 0");
    info.ulSizeofThisStructure = 208;
    info.ulTokenClass = 77;
    expect(C_EX_GetTokenInfoExtended(slot, &info), CKR_OK, "C_EX_GetTokenInfoExtended, old size");
    expect_length(info.ulTokenClass, 77, "what lies behind the old size");
    info.ulSizeofThisStructure = sizeof info + 32;
    expect(C_EX_GetTokenInfoExtended(slot, &info), CKR_OK, "C_EX_GetTokenInfoExtended, future size");
    expect_length(info.ulSizeofThisStructure, sizeof info, "the size that was filled");
    expect(C_GetMechanismList(slot, NULL, &count), CKR_OK, "C_GetMechanismList");
    count--;
    expect(C_GetMechanismList(slot, (CK_MECHANISM_TYPE_PTR)&info, &count), CKR_BUFFER_TOO_SMALL, "C_GetMechanismList");
    expect(C_CloseAllSessions(slot), CKR_OK, "C_CloseAllSessions");
    expect(C_CloseSession(session), CKR_SESSION_HANDLE_INVALID, "C_CloseSession after all are closed");
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    return wrong;
}
