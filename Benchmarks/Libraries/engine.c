/* SPDX-License-Identifier: Apache-2.0 */
// OpenSSL's gost engine.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "private.h"

#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <string.h>

static ENGINE *engine;
static EVP_CIPHER_CTX *cipher_context;
static EVP_MD_CTX *digest_context;
static BN_CTX *number_context;

static size_t encipher(const char *name, const uint8_t *message, size_t count, uint8_t *output) {
    const EVP_CIPHER *cipher = ENGINE_get_cipher(engine, OBJ_txt2nid(name));
    int written = 0, rest = 0;
    bool done = cipher && EVP_EncryptInit_ex(cipher_context, cipher, engine, libraries_key, libraries_iv) == 1
        && EVP_CIPHER_CTX_set_padding(cipher_context, 0) == 1
        && EVP_EncryptUpdate(cipher_context, output, &written, message, (int)count) == 1
        && EVP_EncryptFinal_ex(cipher_context, output + written, &rest) == 1;
    return done ? (size_t)(written + rest) : 0;
}

static size_t hash(const char *name, const uint8_t *message, size_t count, uint8_t *output) {
    const EVP_MD *digest = ENGINE_get_digest(engine, OBJ_txt2nid(name));
    unsigned length = 0;
    bool done = digest && EVP_DigestInit_ex(digest_context, digest, engine) == 1
        && EVP_DigestUpdate(digest_context, message, count) == 1
        && EVP_DigestFinal_ex(digest_context, output, &length) == 1;
    return done ? length : 0;
}

static size_t code(const char *name, const uint8_t *message, size_t count, uint8_t *output) {
    int number = OBJ_txt2nid(name);
    const EVP_MD *digest = ENGINE_get_digest(engine, number);
    EVP_PKEY *key = EVP_PKEY_new_mac_key(number, engine, libraries_key, 32);
    size_t length = 64;
    bool done = digest && key && EVP_DigestSignInit(digest_context, NULL, digest, engine, key) == 1
        && EVP_DigestSignUpdate(digest_context, message, count) == 1
        && EVP_DigestSignFinal(digest_context, output, &length) == 1;
    EVP_PKEY_free(key);
    EVP_MD_CTX_reset(digest_context);
    return done ? length : 0;
}

#define MESSAGE(function, kind, name) \
    static size_t function(const uint8_t *message, size_t count, uint8_t *output) { \
        return kind(name, message, count, output); \
    }

MESSAGE(cnt, encipher, "gost89-cnt")
MESSAGE(cfb, encipher, "gost89")
MESSAGE(cbc, encipher, "gost89-cbc")
MESSAGE(imit, code, "gost-mac")
MESSAGE(magma_ctr, encipher, "magma-ctr")
MESSAGE(magma_cbc, encipher, "magma-cbc")
MESSAGE(magma_acpkm, encipher, "magma-ctr-acpkm")
MESSAGE(magma_omac, code, "magma-mac")
MESSAGE(kuznyechik_ecb, encipher, "kuznyechik-ecb")
MESSAGE(kuznyechik_ctr, encipher, "kuznyechik-ctr")
MESSAGE(kuznyechik_cfb, encipher, "kuznyechik-cfb")
MESSAGE(kuznyechik_ofb, encipher, "kuznyechik-ofb")
MESSAGE(kuznyechik_cbc, encipher, "kuznyechik-cbc")
MESSAGE(kuznyechik_acpkm, encipher, "kuznyechik-ctr-acpkm")
MESSAGE(kuznyechik_omac, code, "kuznyechik-mac")
MESSAGE(hash94, hash, "md_gost94")
MESSAGE(streebog256, hash, "md_gost12_256")
MESSAGE(streebog512, hash, "md_gost12_512")

const struct message_function engine_messages[] = {
    {"gost-engine", "28147-89 CNT", cnt},
    {"gost-engine", "28147-89 CFB", cfb},
    {"gost-engine", "28147-89 CBC", cbc},
    {"gost-engine", "28147-89 IMIT", imit},
    {"gost-engine", "Magma CTR", magma_ctr},
    {"gost-engine", "Magma CBC", magma_cbc},
    {"gost-engine", "Magma CTR-ACPKM", magma_acpkm},
    {"gost-engine", "Magma OMAC", magma_omac},
    {"gost-engine", "Kuznyechik ECB", kuznyechik_ecb},
    {"gost-engine", "Kuznyechik CTR", kuznyechik_ctr},
    {"gost-engine", "Kuznyechik CFB", kuznyechik_cfb},
    {"gost-engine", "Kuznyechik OFB", kuznyechik_ofb},
    {"gost-engine", "Kuznyechik CBC", kuznyechik_cbc},
    {"gost-engine", "Kuznyechik CTR-ACPKM", kuznyechik_acpkm},
    {"gost-engine", "Kuznyechik OMAC", kuznyechik_omac},
    {"gost-engine", "GOST R 34.11-94", hash94},
    {"gost-engine", "Streebog-256", streebog256},
    {"gost-engine", "Streebog-512", streebog512},
    {0},
};

struct key {
    const char *algorithm, *parameters;
    size_t size;
    EVP_PKEY *key;
    uint8_t signature[128];
};

/// A key of each curve, and one for making keys, while the others keep theirs.
static struct key keys[][2] = {
#define KEYS(length, set, octets) \
    {{.algorithm = "gost2012_" length, .parameters = set, .size = octets}, \
     {.algorithm = "gost2012_" length, .parameters = set, .size = octets}}
    KEYS("256", "TCA", 32), KEYS("256", "TCB", 32), KEYS("256", "TCC", 32), KEYS("256", "TCD", 32),
    KEYS("512", "A", 64), KEYS("512", "B", 64), KEYS("512", "C", 64),
};

static bool make(void *state) {
    struct key *key = state;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(OBJ_txt2nid(key->algorithm), engine);
    EVP_PKEY_free(key->key);
    key->key = NULL;
    bool done = context && EVP_PKEY_keygen_init(context) == 1
        && EVP_PKEY_CTX_ctrl_str(context, "paramset", key->parameters) == 1
        && EVP_PKEY_keygen(context, &key->key) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

static bool sign(void *state) {
    struct key *key = state;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, engine);
    size_t count = sizeof key->signature;
    bool done = context && EVP_PKEY_sign_init(context) == 1
        && EVP_PKEY_sign(context, key->signature, &count, libraries_digest, key->size) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

static bool verify(void *state) {
    struct key *key = state;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, engine);
    bool done = context && EVP_PKEY_verify_init(context) == 1
        && EVP_PKEY_verify(context, key->signature, 2 * key->size, libraries_digest, key->size) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

static bool agree(void *state) {
    struct key *key = state;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->key, engine);
    uint8_t common[64];
    size_t count = sizeof common;
    bool done = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, key->key) == 1
        && EVP_PKEY_CTX_ctrl(context, -1, -1, EVP_PKEY_CTRL_SET_IV, 8, (void *)libraries_iv) == 1
        && EVP_PKEY_derive(context, common, &count) == 1;
    EVP_PKEY_CTX_free(context);
    return done;
}

/// Runs OpenSSL's own EC_POINT_mul with the key's number: times P, or times the public key. Both use its ladder, which
/// is constant time, for the engine's groups have an order and a cofactor as ours have.
static bool multiply(const struct key *key, bool is_generator) {
    const EC_KEY *pair = EVP_PKEY_get0(key->key);
    const EC_GROUP *group = EC_KEY_get0_group(pair);
    const BIGNUM *number = EC_KEY_get0_private_key(pair);
    EC_POINT *product = EC_POINT_new(group);
    bool done = product
        && (is_generator ? EC_POINT_mul(group, product, number, NULL, NULL, number_context)
                         : EC_POINT_mul(group, product, NULL, EC_KEY_get0_public_key(pair), number, number_context))
            == 1;
    EC_POINT_free(product);
    return done;
}

static bool multiply_generator(void *key) { return multiply(key, true); }
static bool multiply_point(void *key) { return multiply(key, false); }

static bool prepare(struct key *key) { return make(key) && sign(key) && verify(key); }

bool engine_load(void) {
    ENGINE_load_builtin_engines();
    engine = ENGINE_by_id("gost");
    cipher_context = EVP_CIPHER_CTX_new();
    digest_context = EVP_MD_CTX_new();
    number_context = BN_CTX_new();
    bool done = engine && ENGINE_init(engine) == 1 && ENGINE_set_default(engine, ENGINE_METHOD_ALL) == 1 && cipher_context
        && digest_context && number_context;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) done = done && prepare(&keys[i][0]) && prepare(&keys[i][1]);
    return done;
}

const struct key_function engine_keys[] = {
#define FUNCTIONS(curve, index) \
    {"gost-engine", "key pair", curve, make, &keys[index][1]}, {"gost-engine", "sign", curve, sign, &keys[index][0]}, \
    {"gost-engine", "verify", curve, verify, &keys[index][0]}, {"gost-engine", "VKO", curve, agree, &keys[index][0]}, \
    {"EC_POINT_mul", "key pair", curve, multiply_generator, &keys[index][0]}, \
    {"EC_POINT_mul", "sign", curve, multiply_generator, &keys[index][0]}, \
    {"EC_POINT_mul", "VKO", curve, multiply_point, &keys[index][0]}
    FUNCTIONS("256-A", 0), FUNCTIONS("256-B", 1), FUNCTIONS("256-C", 2), FUNCTIONS("256-D", 3),
    FUNCTIONS("512-A", 4), FUNCTIONS("512-B", 5), FUNCTIONS("512-C", 6),
    {0},
};
