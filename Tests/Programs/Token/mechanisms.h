/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys, parameters and lengths that mechanisms.c uses each mechanism with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int wrong;
static CK_SESSION_HANDLE session;
static CK_MECHANISM_TYPE current;
static const char *place_names[] = {"session", "token"};
static int place;

static int require(int holds, const char *what) {
    if (!holds) {
        wrong++;
        printf("mechanism 0x%lX, keys of the %s: %s\n", current, place_names[place], what);
    }
    return holds;
}

static int succeeds(CK_RV code, const char *what) {
    char text[100];
    snprintf(text, sizeof text, "%s gives 0x%lX", what, code);
    return require(code == CKR_OK, text);
}

/* ---- Keys ---- */

enum kind { NONE, RSA, GOST, GOST_512, EC, GOST28147, MAGMA, KUZNYECHIK, MAGMA_TWIN, KUZNYECHIK_TWIN, GENERIC, KINDS };

/* By place and kind; a secret key is both its halves. */
static struct { CK_OBJECT_HANDLE public_key, private_key; } keys[2][KINDS];

static CK_BYTE p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};

static int make_pair(CK_MECHANISM_TYPE type, int on_token, CK_OBJECT_HANDLE *public_key,
                     CK_OBJECT_HANDLE *private_key) {
    CK_BBOOL token = on_token, agrees = type != CKM_RSA_PKCS_KEY_PAIR_GEN, wraps = type != CKM_EC_KEY_PAIR_GEN;
    CK_ULONG bits = 1024;
    CK_ATTRIBUTE public_template[] = {{CKA_TOKEN, &token, 1}, {CKA_WRAP, &wraps, 1}, {0}};
    CK_ATTRIBUTE private_template[] = {
        {CKA_TOKEN, &token, 1}, {CKA_UNWRAP, &wraps, 1}, {CKA_DERIVE, &agrees, 1},
    };
    CK_ULONG count = COUNT(public_template);
    if (type == CKM_RSA_PKCS_KEY_PAIR_GEN)
        public_template[2] = (CK_ATTRIBUTE){CKA_MODULUS_BITS, &bits, sizeof bits};
    else if (type == CKM_EC_KEY_PAIR_GEN)
        public_template[2] = (CK_ATTRIBUTE){CKA_EC_PARAMS, p256, sizeof p256};
    else
        count--;
    CK_MECHANISM generation = {type, NULL, 0};
    return succeeds(C_GenerateKeyPair(session, &generation, public_template, count, private_template,
                                      COUNT(private_template), public_key, private_key),
                    "C_GenerateKeyPair");
}

static int make_secret(CK_MECHANISM_TYPE type, int on_token, CK_OBJECT_HANDLE *key) {
    CK_BBOOL token = on_token;
    CK_ULONG length = 32;
    CK_ATTRIBUTE template[] = {{CKA_TOKEN, &token, 1}, {CKA_VALUE_LEN, &length, sizeof length}};
    CK_MECHANISM generation = {type, NULL, 0};
    return succeeds(C_GenerateKey(session, &generation, template, COUNT(template), key), "C_GenerateKey");
}

static int make_twin(CK_KEY_TYPE type, int on_token, CK_OBJECT_HANDLE *key) {
    CK_OBJECT_CLASS secret = CKO_SECRET_KEY;
    CK_BBOOL token = on_token;
    CK_BYTE value[64] = {1, 2, 3};
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &secret, sizeof secret}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &token, 1},
        {CKA_VALUE, value, sizeof value},
    };
    return succeeds(C_CreateObject(session, template, COUNT(template), key), "C_CreateObject");
}

static void make_keys(void) {
    static const struct { enum kind kind; CK_MECHANISM_TYPE type; } pairs[] = {
        {RSA, CKM_RSA_PKCS_KEY_PAIR_GEN}, {GOST, CKM_GOSTR3410_KEY_PAIR_GEN}, {EC, CKM_EC_KEY_PAIR_GEN},
        {GOST_512, CKM_GOSTR3410_512_KEY_PAIR_GEN},
    }, secrets[] = {
        {GOST28147, CKM_GOST28147_KEY_GEN}, {MAGMA, CKM_MAGMA_KEY_GEN}, {KUZNYECHIK, CKM_KUZNECHIK_KEY_GEN},
        {GENERIC, CKM_GENERIC_SECRET_KEY_GEN},
    }, twins[] = {{MAGMA_TWIN, CKK_MAGMA_TWIN_KEY}, {KUZNYECHIK_TWIN, CKK_KUZNECHIK_TWIN_KEY}};
    for (size_t i = 0; i < COUNT(pairs); i++)
        make_pair(pairs[i].type, place, &keys[place][pairs[i].kind].public_key,
                  &keys[place][pairs[i].kind].private_key);
    for (size_t i = 0; i < COUNT(secrets); i++)
        make_secret(secrets[i].type, place, &keys[place][secrets[i].kind].private_key);
    for (size_t i = 0; i < COUNT(twins); i++)
        make_twin(twins[i].type, place, &keys[place][twins[i].kind].private_key);
    for (enum kind kind = GOST28147; kind < KINDS; kind++)
        keys[place][kind].public_key = keys[place][kind].private_key;
}

static void destroy_keys(void) {
    for (enum kind kind = RSA; kind < KINDS; kind++) {
        if (kind < GOST28147) C_DestroyObject(session, keys[1][kind].public_key);
        succeeds(C_DestroyObject(session, keys[1][kind].private_key), "C_DestroyObject");
    }
}

/* ---- Mechanisms ---- */

static CK_BYTE octets[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
/* Sections of 16 bytes, then half a block. */
static CK_BYTE counter[12] = {16, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
static CK_RSA_PKCS_OAEP_PARAMS oaep = {CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0};
static CK_RSA_PKCS_PSS_PARAMS pss[] = {
    {CKM_SHA_1, CKG_MGF1_SHA1, 20}, {CKM_SHA224, CKG_MGF1_SHA224, 28}, {CKM_SHA256, CKG_MGF1_SHA256, 32},
    {CKM_SHA384, CKG_MGF1_SHA384, 48}, {CKM_SHA512, CKG_MGF1_SHA512, 32},
};

/* The input of a mechanism: a key, a parameter, and the length of the data. */
struct use {
    CK_MECHANISM_TYPE type;
    enum kind kind;
    CK_ULONG text;
    void *parameter;
    CK_ULONG length;
};

static const struct use uses[] = {
    {CKM_RSA_PKCS_KEY_PAIR_GEN}, {CKM_RSA_PKCS, RSA, 35}, {CKM_RSA_X_509, RSA, 128},
    {CKM_RSA_PKCS_OAEP, RSA, 35, &oaep, sizeof oaep}, {CKM_RSA_PKCS_PSS, RSA, 20, &pss[0], sizeof *pss},
    {CKM_MD5_RSA_PKCS, RSA, 200}, {CKM_SHA1_RSA_PKCS, RSA, 200}, {CKM_SHA224_RSA_PKCS, RSA, 200},
    {CKM_SHA256_RSA_PKCS, RSA, 200}, {CKM_SHA384_RSA_PKCS, RSA, 200}, {CKM_SHA512_RSA_PKCS, RSA, 200},
    {CKM_SHA1_RSA_PKCS_PSS, RSA, 200, &pss[0], sizeof *pss}, {CKM_SHA224_RSA_PKCS_PSS, RSA, 200, &pss[1], sizeof *pss},
    {CKM_SHA256_RSA_PKCS_PSS, RSA, 200, &pss[2], sizeof *pss},
    {CKM_SHA384_RSA_PKCS_PSS, RSA, 200, &pss[3], sizeof *pss},
    {CKM_SHA512_RSA_PKCS_PSS, RSA, 200, &pss[4], sizeof *pss},
    {CKM_MD5}, {CKM_SHA_1}, {CKM_SHA224}, {CKM_SHA256}, {CKM_SHA384}, {CKM_SHA512},
    {CKM_GOSTR3411}, {CKM_GOSTR3411_12_256}, {CKM_GOSTR3411_12_512},
    {CKM_GOSTR3410_KEY_PAIR_GEN}, {CKM_GOSTR3410_512_KEY_PAIR_GEN}, {CKM_EC_KEY_PAIR_GEN},
    {CKM_GOSTR3410, GOST, 32}, {CKM_GOSTR3410_512, GOST_512, 64}, {CKM_GOSTR3410_WITH_GOSTR3411, GOST, 200},
    {CKM_GOSTR3410_WITH_GOSTR3411_12_256, GOST, 200}, {CKM_GOSTR3410_WITH_GOSTR3411_12_512, GOST_512, 200},
    {CKM_ECDSA, EC, 32}, {CKM_ECDSA_SHA1, EC, 200}, {CKM_ECDSA_SHA224, EC, 200}, {CKM_ECDSA_SHA256, EC, 200},
    {CKM_ECDSA_SHA384, EC, 200}, {CKM_ECDSA_SHA512, EC, 200},
    {CKM_GOSTR3410_DERIVE, GOST}, {CKM_GOSTR3410_12_DERIVE, GOST}, {CKM_GOSTR3410_12_DERIVE, GOST_512},
    {CKM_VKO_GOSTR3410_2012_512, GOST_512}, {CKM_GOST_KEG, GOST}, {CKM_GOST_KEG, GOST_512}, {CKM_ECDH1_DERIVE, EC},
    {CKM_CONCATENATE_BASE_AND_KEY, MAGMA}, {CKM_KDF_TREE_GOSTR3411_2012_256, MAGMA},
    {CKM_GOST28147_KEY_WRAP, GOST28147, 0, octets, 8}, {CKM_MAGMA_KEXP_15_WRAP, MAGMA_TWIN, 0, octets, 4},
    {CKM_KUZNECHIK_KEXP_15_WRAP, KUZNYECHIK_TWIN, 0, octets, 8},
    {CKM_GOST28147_KEY_GEN}, {CKM_MAGMA_KEY_GEN}, {CKM_KUZNECHIK_KEY_GEN}, {CKM_GENERIC_SECRET_KEY_GEN},
    {CKM_GOST28147_ECB, GOST28147, 48}, {CKM_GOST28147, GOST28147, 45}, {CKM_GOST28147, GOST28147, 45, octets, 8},
    {CKM_GOST28147_MAC, GOST28147, 45}, {CKM_GOST28147_MAC, GOST28147, 45, octets, 8},
    {CKM_MAGMA_ECB, MAGMA, 48}, {CKM_KUZNECHIK_ECB, KUZNYECHIK, 48},
    {CKM_MAGMA_CTR_ACPKM, MAGMA, 45, counter, 8}, {CKM_KUZNECHIK_CTR_ACPKM, KUZNYECHIK, 45, counter, 12},
    {CKM_MAGMA_MGM, MAGMA, 45, octets, 8}, {CKM_KUZNECHIK_MGM, KUZNYECHIK, 45, octets, 16},
    {CKM_MAGMA_MAC, MAGMA, 45}, {CKM_KUZNECHIK_MAC, KUZNYECHIK, 45},
    {CKM_GOSTR3411_HMAC, GENERIC, 45}, {CKM_GOSTR3411_12_256_HMAC, GENERIC, 45},
    {CKM_GOSTR3411_12_512_HMAC, GENERIC, 45},
};

/* Mechanisms that wrap keys although no flag claims it: the vendor's flags do not, or the mechanism is not listed. */
static CK_GOSTR3410_KEY_WRAP_PARAMS transport = {NULL, 0, octets, 8, CK_INVALID_HANDLE};
static const struct use unclaimed_wrapping[] = {
    {CKM_RSA_PKCS, RSA}, {CKM_RSA_PKCS_OAEP, RSA, 0, &oaep, sizeof oaep}, {CKM_GOSTR3410_KEY_WRAP, GOST},
    {CKM_GOSTR3410_KEY_WRAP, GOST, 0, &transport, sizeof transport},
    {CKM_GOSTR3410_KEY_WRAP, GOST_512, 0, &transport, sizeof transport},
};
