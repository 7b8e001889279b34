/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operations MODULE PIN TRACE
 *
 * Does with the first token of a PKCS #11 library what applications do most, and prints for each operation how many
 * commands the emulator's trace grew by and how many milliseconds it took: "name|commands|milliseconds". An operation
 * that the library refuses has "-" in both places.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rtpkcs11.h>

#include "trace.h"

static const char *trace;
static CK_FUNCTION_LIST_PTR p11;
static CK_SLOT_ID slot;
static CK_SESSION_HANDLE session;
static const char *user_pin;

static void measure(const char *name, CK_RV (*operation)(void)) {
    int before = commands(trace);
    double begin = now();
    CK_RV result = operation();
    double end = now();
    if (result == CKR_OK)
        printf("%s|%d|%.0f\n", name, commands(trace) - before, end - begin);
    else
        printf("%s|-|-\n", name);
}

static CK_RV start(void) {
    CK_ULONG count = 1;
    CK_RV result = p11->C_Initialize(NULL);
    if (result == CKR_OK)
        result = p11->C_GetSlotList(CK_TRUE, &slot, &count);
    if (result == CKR_OK && count == 0)
        result = CKR_TOKEN_NOT_PRESENT;
    if (result == CKR_OK)
        result = p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    return result;
}

static CK_RV token_info(void) {
    CK_TOKEN_INFO info;
    return p11->C_GetTokenInfo(slot, &info);
}

static CK_RV log_in(void) {
    return p11->C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)user_pin, strlen(user_pin));
}

static CK_RV find(CK_ATTRIBUTE_PTR template, CK_ULONG size, CK_OBJECT_HANDLE *objects, CK_ULONG *count) {
    CK_RV result = p11->C_FindObjectsInit(session, template, size);
    if (result == CKR_OK)
        result = p11->C_FindObjects(session, objects, *count, count);
    p11->C_FindObjectsFinal(session);
    return result;
}

static CK_RV find_all(void) {
    CK_OBJECT_HANDLE objects[64];
    CK_ULONG count = 64;
    return find(NULL, 0, objects, &count);
}

static CK_OBJECT_HANDLE key;

/* The private key that the next operations use: the first one of a type. Not measured. */
static int choose_key(CK_KEY_TYPE type) {
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}};
    CK_ULONG count = 1;
    return find(template, 2, &key, &count) == CKR_OK && count == 1;
}

static CK_RV sign(CK_MECHANISM_TYPE type) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    CK_BYTE data[32] = {0}, signature[512];
    CK_ULONG size = sizeof signature;
    CK_RV result = p11->C_SignInit(session, &mechanism, key);
    return result == CKR_OK ? p11->C_Sign(session, data, sizeof data, signature, &size) : result;
}

static CK_RV sign_gost(void) { return sign(CKM_GOSTR3410); }
static CK_RV sign_rsa(void) { return sign(CKM_RSA_PKCS); }

/* Takes a block as a cryptogram without padding, so that any below the modulus will do. */
static CK_RV decrypt_rsa(void) {
    CK_MECHANISM mechanism = {CKM_RSA_X_509, NULL, 0};
    CK_BYTE block[256] = {0, 2}, plain[256];
    CK_ULONG size = sizeof plain;
    CK_RV result = p11->C_DecryptInit(session, &mechanism, key);
    return result == CKR_OK ? p11->C_Decrypt(session, block, sizeof block, plain, &size) : result;
}

static CK_RV random_bytes(void) {
    CK_BYTE bytes[32];
    return p11->C_GenerateRandom(session, bytes, sizeof bytes);
}

static CK_OBJECT_CLASS certificate_class = CKO_CERTIFICATE;

static CK_RV read_certificate(void) {
    CK_ATTRIBUTE template = {CKA_CLASS, &certificate_class, sizeof certificate_class};
    CK_BYTE value[2048];
    CK_ATTRIBUTE attribute = {CKA_VALUE, value, sizeof value};
    CK_OBJECT_HANDLE certificate;
    CK_ULONG count = 1;
    CK_RV result = find(&template, 1, &certificate, &count);
    if (result == CKR_OK && count == 0)
        result = CKR_OBJECT_HANDLE_INVALID;
    return result == CKR_OK ? p11->C_GetAttributeValue(session, certificate, &attribute, 1) : result;
}

static CK_BYTE certificate[2048];
static size_t certificate_size;

static CK_RV store_certificate(void) {
    CK_CERTIFICATE_TYPE type = CKC_X_509;
    CK_BBOOL yes = CK_TRUE;
    CK_BYTE id = 0x33;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &certificate_class, sizeof certificate_class},
        {CKA_CERTIFICATE_TYPE, &type, sizeof type},
        {CKA_TOKEN, &yes, sizeof yes},
        {CKA_LABEL, "certificate", 11},
        {CKA_ID, &id, sizeof id},
        {CKA_VALUE, certificate, certificate_size},
    };
    CK_OBJECT_HANDLE object;
    return p11->C_CreateObject(session, template, sizeof template / sizeof *template, &object);
}

/* Makes a pair of keys on the token; `parameter` is what its type has to be told. */
static CK_RV make_keys(CK_MECHANISM_TYPE type, CK_ATTRIBUTE parameter, CK_BYTE id) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    CK_BBOOL yes = CK_TRUE;
    CK_ATTRIBUTE public_key[] = {
        {CKA_TOKEN, &yes, sizeof yes}, {CKA_VERIFY, &yes, sizeof yes}, {CKA_ID, &id, sizeof id}, parameter};
    CK_ATTRIBUTE private_key[] = {
        {CKA_TOKEN, &yes, sizeof yes}, {CKA_PRIVATE, &yes, sizeof yes}, {CKA_SIGN, &yes, sizeof yes},
        {CKA_ID, &id, sizeof id}};
    CK_OBJECT_HANDLE pair[2];
    return p11->C_GenerateKeyPair(session, &mechanism, public_key, 4, private_key, 4, &pair[0], &pair[1]);
}

static CK_RV make_gost_keys(void) {
    static CK_BYTE set[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
    return make_keys(CKM_GOSTR3410_KEY_PAIR_GEN, (CK_ATTRIBUTE){CKA_GOSTR3410_PARAMS, set, sizeof set}, 0x31);
}

static CK_RV make_rsa_keys(void) {
    static CK_ULONG bits = 2048;
    return make_keys(CKM_RSA_PKCS_KEY_PAIR_GEN, (CK_ATTRIBUTE){CKA_MODULUS_BITS, &bits, sizeof bits}, 0x32);
}

static CK_RV log_out(void) { return p11->C_Logout(session); }

static CK_RV finish(void) { return p11->C_Finalize(NULL); }

int main(int argc, char **argv) {
    CK_RV (*get)(CK_FUNCTION_LIST_PTR_PTR);
    void *module = argc == 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
    FILE *file = argc == 5 ? fopen(argv[4], "rb") : NULL;
    if (!module || !(get = (CK_RV(*)(CK_FUNCTION_LIST_PTR_PTR))dlsym(module, "C_GetFunctionList")) || get(&p11) ||
        !file) {
        fprintf(stderr, "usage: operations MODULE PIN TRACE CERTIFICATE\n");
        return 1;
    }
    user_pin = argv[2];
    trace = argv[3];
    certificate_size = fread(certificate, 1, sizeof certificate, file);
    fclose(file);
    measure("identify, open a session", start);
    measure("C_GetTokenInfo", token_info);
    measure("C_GetTokenInfo, again", token_info);
    measure("C_Login", log_in);
    measure("first search of all objects", find_all);
    measure("later search, nothing changed", find_all);
    if (choose_key(CKK_GOSTR3410)) {
        measure("C_Sign, GOST", sign_gost);
        measure("C_Sign, GOST, again", sign_gost);
    }
    if (choose_key(CKK_RSA)) {
        measure("C_Sign, RSA-2048", sign_rsa);
        measure("C_Sign, RSA-2048, again", sign_rsa);
        measure("C_Decrypt, RSA-2048", decrypt_rsa);
    }
    measure("C_GenerateRandom, 32 bytes", random_bytes);
    measure("C_CreateObject, certificate", store_certificate);
    measure("search and CKA_VALUE of the certificate", read_certificate);
    measure("the same again", read_certificate);
    measure("C_GenerateKeyPair, GOST", make_gost_keys);
    measure("C_GenerateKeyPair, RSA-2048", make_rsa_keys);
    measure("C_Logout", log_out);
    measure("C_Finalize", finish);
    return 0;
}
