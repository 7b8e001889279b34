/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A visit to the library: loaded, asked for all that a program asks for, and ended. With a token in a reader, a login and
 * work with keys belong to it.
 */
#ifndef VISIT_H
#define VISIT_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <rtpkcs11.h>

#define PIN "12345678"

static CK_FUNCTION_LIST *p11;
static const char *library;
/* The first call that did not answer CKR_OK, and its answer. */
static const char *refused;
static CK_RV refusal;

static int load(int flags, long name_space) {
    void *module = name_space == LM_ID_BASE ? dlopen(library, flags) : dlmopen(name_space, library, flags);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    CK_RV (*list)(CK_FUNCTION_LIST **);
    *(void **)&list = dlsym(module, "C_GetFunctionList");
    return list && list(&p11) == CKR_OK;
}

static int answered(CK_RV code, const char *function) {
    if (code != CKR_OK && !refused) {
        refused = function;
        refusal = code;
    }
    return code == CKR_OK;
}

#define ASK(function, ...) answered(p11->function(__VA_ARGS__), #function)

static void work(CK_SESSION_HANDLE session) {
    CK_BYTE data[1000] = {1}, result[1100], seed[16];
    CK_ULONG length = sizeof result, found = 0;
    CK_MECHANISM digest = {CKM_GOSTR3411_12_256, NULL, 0}, sha = {CKM_SHA256, NULL, 0};
    CK_MECHANISM generate = {CKM_KUZNYECHIK_KEY_GEN, NULL, 0}, encrypt = {CKM_KUZNYECHIK_ECB, NULL, 0};
    CK_OBJECT_HANDLE key, objects[16];
    CK_BBOOL no = CK_FALSE;
    CK_ATTRIBUTE session_key[] = {{CKA_TOKEN, &no, sizeof no}};

    if (ASK(C_DigestInit, session, &digest)) ASK(C_Digest, session, data, sizeof data, result, &length);
    length = sizeof result;
    if (ASK(C_DigestInit, session, &sha)) {
        ASK(C_DigestUpdate, session, data, sizeof data);
        ASK(C_DigestFinal, session, result, &length);
    }
    if (ASK(C_GenerateKey, session, &generate, session_key, 1, &key)) {
        length = sizeof result;
        if (ASK(C_EncryptInit, session, &encrypt, key)) ASK(C_Encrypt, session, data, 992, result, &length);
        ASK(C_DestroyObject, session, key);
    }
    if (ASK(C_FindObjectsInit, session, NULL, 0)) {
        ASK(C_FindObjects, session, objects, 16, &found);
        ASK(C_FindObjectsFinal, session);
    }
    ASK(C_GenerateRandom, session, seed, sizeof seed);
}

static void use(void) {
    CK_INFO info;
    CK_SLOT_ID slots[16];
    CK_ULONG count = 16;
    CK_SESSION_HANDLE session;

    ASK(C_GetInfo, &info);
    ASK(C_GetSlotList, CK_FALSE, NULL, &count);
    count = 16;
    if (!ASK(C_GetSlotList, CK_TRUE, slots, &count)) return;
    if (count == 0) return;
    CK_SLOT_INFO slot;
    CK_TOKEN_INFO token;
    CK_SESSION_INFO state;
    CK_MECHANISM_TYPE mechanisms[128];
    CK_ULONG number = 128;
    ASK(C_GetSlotInfo, slots[0], &slot);
    ASK(C_GetTokenInfo, slots[0], &token);
    ASK(C_GetMechanismList, slots[0], mechanisms, &number);
    if (!ASK(C_OpenSession, slots[0], CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session)) return;
    ASK(C_GetSessionInfo, session, &state);
    int has_login = ASK(C_Login, session, CKU_USER, (CK_UTF8CHAR *)PIN, strlen(PIN));
    work(session);
    if (has_login) ASK(C_Logout, session);
    ASK(C_CloseSession, session);
}

static void visit(void) {
    if (!ASK(C_Initialize, NULL)) return;
    use();
    ASK(C_Finalize, NULL);
}

#endif
