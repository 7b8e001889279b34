/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto MODULE default|deepbind|apart SLOT CERTIFICATE works|fails [LIBRARY...]
 *
 * Loads other libraries into the process first, then the module: as most programs do, with RTLD_DEEPBIND, or into a name
 * space of its own. It hashes, verifies by RSA and ECDSA and prints a certificate, all of which libcrypto computes: all of
 * it works, or each call is CKR_FUNCTION_FAILED. GOST works in any case: a key pair is made, signs and verifies.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static CK_FUNCTION_LIST_PTR functions;
static CK_FUNCTION_LIST_EXTENDED_PTR extended;
static CK_SESSION_HANDLE session;
static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_OBJECT_CLASS public_key = CKO_PUBLIC_KEY, private_key = CKO_PRIVATE_KEY, certificates = CKO_CERTIFICATE;
static CK_BYTE certificate[4096];
static CK_ULONG certificate_size;

/* The generator of P-256, an OCTET STRING, and prime256v1. */
static CK_BYTE point[] = {
    0x04, 0x41, 0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
    0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42,
    0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31,
    0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5};
static CK_BYTE curve[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
/* id-tc26-gost-3410-2012-256-paramSetB, and the hash function. */
static CK_BYTE gost_curve[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
static CK_BYTE gost_hash[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02};
/* SHA-256 of "abc" (FIPS 180-2, B.1). */
static const CK_BYTE known_digest[] = {
    0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22, 0x23,
    0xB0, 0x03, 0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD};

static CK_RV hash(void) {
    CK_MECHANISM mechanism = {CKM_SHA256, NULL, 0};
    CK_BYTE text[] = {'a', 'b', 'c'}, digest[32];
    CK_ULONG size = sizeof digest;
    CK_RV code = functions->C_DigestInit(session, &mechanism);
    if (code == CKR_OK)
        code = functions->C_Digest(session, text, sizeof text, digest, &size);
    if (code == CKR_OK && memcmp(digest, known_digest, sizeof digest) != 0)
        code = CKR_DATA_INVALID;
    return code;
}

/* CKR_OK if an invalid signature is refused. */
static CK_RV verify(CK_ATTRIBUTE *template, CK_ULONG count, CK_MECHANISM_TYPE type, CK_ULONG size) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    CK_BYTE data[32] = {1}, signature[256] = {0, 1};
    CK_OBJECT_HANDLE key;
    CK_RV code = functions->C_CreateObject(session, template, count, &key);
    if (code == CKR_OK)
        code = functions->C_VerifyInit(session, &mechanism, key);
    if (code == CKR_OK)
        code = functions->C_Verify(session, data, sizeof data, signature, size);
    return code == CKR_SIGNATURE_INVALID ? CKR_OK : code == CKR_OK ? CKR_DATA_INVALID : code;
}

static CK_RV verify_ec(void) {
    CK_KEY_TYPE type = CKK_EC;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &public_key, sizeof public_key}, {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_EC_POINT, point, sizeof point}, {CKA_EC_PARAMS, curve, sizeof curve}};
    return verify(template, COUNT(template), CKM_ECDSA, 64);
}

static CK_RV verify_rsa(void) {
    CK_KEY_TYPE type = CKK_RSA;
    CK_BYTE modulus[256], exponent[] = {1, 0, 1};
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &public_key, sizeof public_key}, {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_MODULUS, modulus, sizeof modulus}, {CKA_PUBLIC_EXPONENT, exponent, sizeof exponent}};
    memset(modulus, 0xFF, sizeof modulus);
    return verify(template, COUNT(template), CKM_SHA256_RSA_PKCS, sizeof modulus);
}

static CK_RV print(void) {
    CK_CERTIFICATE_TYPE type = CKC_X_509;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &certificates, sizeof certificates}, {CKA_CERTIFICATE_TYPE, &type, sizeof type},
        {CKA_VALUE, certificate, certificate_size}};
    CK_OBJECT_HANDLE object;
    CK_CHAR_PTR text = NULL;
    CK_ULONG size = 0;
    CK_RV code = functions->C_CreateObject(session, template, COUNT(template), &object);
    if (code != CKR_OK)
        return CKR_DATA_INVALID;
    code = extended->C_EX_GetCertificateInfoText(session, object, &text, &size);
    if (code == CKR_OK && (size < 12 || memcmp(text, "Certificate:", 12) != 0))
        code = CKR_DATA_INVALID;
    return code;
}

/* A key pair of the session signs, and its other half verifies. */
static CK_RV gost(void) {
    CK_MECHANISM making = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0}, signing = {CKM_GOSTR3410_WITH_GOSTR3411_12_256, NULL, 0};
    CK_ATTRIBUTE public[] = {
        {CKA_TOKEN, &no, sizeof no}, {CKA_VERIFY, &yes, sizeof yes},
        {CKA_GOSTR3410_PARAMS, gost_curve, sizeof gost_curve}, {CKA_GOSTR3411_PARAMS, gost_hash, sizeof gost_hash}};
    CK_ATTRIBUTE private[] = {
        {CKA_CLASS, &private_key, sizeof private_key}, {CKA_TOKEN, &no, sizeof no}, {CKA_SIGN, &yes, sizeof yes}};
    CK_OBJECT_HANDLE verifier, signer;
    CK_BYTE data[] = "data", signature[64];
    CK_ULONG size = sizeof signature;
    CK_RV code = functions->C_Login(session, CKU_USER, (CK_BYTE_PTR)"12345678", 8);
    if (code == CKR_OK)
        code = functions->C_GenerateKeyPair(
            session, &making, public, COUNT(public), private, COUNT(private), &verifier, &signer);
    if (code == CKR_OK)
        code = functions->C_SignInit(session, &signing, signer);
    if (code == CKR_OK)
        code = functions->C_Sign(session, data, sizeof data, signature, &size);
    if (code == CKR_OK)
        code = functions->C_VerifyInit(session, &signing, verifier);
    if (code == CKR_OK)
        code = functions->C_Verify(session, data, sizeof data, signature, size);
    return code;
}

static int load(const char *path, const char *way) {
    CK_C_GetFunctionList list;
    CK_C_EX_GetFunctionListExtended extended_list;
    void *module, *symbol;
    if (strcmp(way, "apart") == 0)
        module = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    else
        module = dlopen(path, RTLD_NOW | (strcmp(way, "deepbind") == 0 ? RTLD_DEEPBIND : 0));
    if (!module) {
        printf("%s\n", dlerror());
        return 0;
    }
    symbol = dlsym(module, "C_GetFunctionList");
    memcpy(&list, &symbol, sizeof symbol);
    symbol = dlsym(module, "C_EX_GetFunctionListExtended");
    memcpy(&extended_list, &symbol, sizeof symbol);
    return list(&functions) == CKR_OK && extended_list(&extended) == CKR_OK;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        CK_RV (*run)(void);
    } steps[] = {{"hash", hash}, {"ECDSA", verify_ec}, {"RSA", verify_rsa}, {"certificate", print}};
    FILE *file = argc > 5 ? fopen(argv[4], "rb") : NULL;
    int result = 0;
    CK_RV code;
    if (!file)
        return 1;
    certificate_size = fread(certificate, 1, sizeof certificate, file);
    fclose(file);
    for (int i = 6; i < argc; i++)
        if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL)) {
            printf("%s\n", dlerror());
            return 2;
        }
    if (!load(argv[1], argv[2]) || functions->C_Initialize(NULL) != CKR_OK)
        return 3;
    if (functions->C_OpenSession(
            strtoul(argv[3], NULL, 10), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session) != CKR_OK)
        return 4;
    for (size_t i = 0; i < COUNT(steps); i++) {
        code = steps[i].run();
        printf("%s 0x%lX\n", steps[i].name, code);
        if (code != (strcmp(argv[5], "works") == 0 ? CKR_OK : CKR_FUNCTION_FAILED))
            result = 5;
    }
    code = gost();
    printf("GOST 0x%lX\n", code);
    if (code != CKR_OK)
        result = 6;
    functions->C_Finalize(NULL);
    return result;
}
