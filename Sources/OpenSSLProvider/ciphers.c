/* SPDX-License-Identifier: Apache-2.0 */
/* GOST ciphers for OpenSSL, with the parameters that messages have: RFC 4490, 5; R 1323565.1.025-2019. */
#include "provider.h"

#include "cipher.h"

#include <string.h>

/* What OpenSSL 3.0 calls OSSL_CIPHER_PARAM_ALGORITHM_ID_PARAMS, and what 3.4 and later do. */
#define OLD_PARAMETERS "alg_id_param"
#define NEW_PARAMETERS "algorithm-id-params"

static const struct {
    const char *name;
    size_t seed_size;
} known[CIPHERS] = {
    [CIPHER_28147] = {"gost89", 0},
    [CIPHER_MAGMA] = {"magma-ctr-acpkm", 8},
    [CIPHER_KUZNYECHIK] = {"kuznyechik-ctr-acpkm", 8},
};

static struct cipher *new(enum cipher_kind kind) {
    struct cipher *cipher = OPENSSL_zalloc(sizeof *cipher);

    if (cipher) {
        cipher->kind = kind;
        cipher->path = hash_path();
    }
    return cipher;
}
static void *new_28147(void *provider) { return (void)provider, new(CIPHER_28147); }
static void *new_magma(void *provider) { return (void)provider, new(CIPHER_MAGMA); }
static void *new_kuznyechik(void *provider) { return (void)provider, new(CIPHER_KUZNYECHIK); }

static void release(void *context) { OPENSSL_clear_free(context, sizeof(struct cipher)); }
static void *duplicate(void *context) { return OPENSSL_memdup(context, sizeof(struct cipher)); }

/* ---- Parameters ---- */

/* SEQUENCE { iv, parameter set } of GOST 28147-89, and SEQUENCE { ukm } with the vector in front. */
static int read_parameters(struct cipher *cipher, struct der parameters) {
    size_t size = cipher_iv_size(cipher->kind), seed_size = known[cipher->kind].seed_size;
    struct der sequence, iv, set;
    const gost_sbox_set *rows;

    if (!der_take(&parameters, 0x30, &sequence) || parameters.length || !der_take(&sequence, 0x04, &iv)
        || iv.length != size + seed_size)
        return FAIL(REASON_INPUT, "the parameters of the cipher %s cannot be read", known[cipher->kind].name);
    if (cipher->kind == CIPHER_28147) {
        rows = der_take_whole(&sequence, 0x06, &set) ? gost_sbox_set_of(set.bytes, set.length) : NULL;
        if (!rows)
            return FAIL(REASON_INPUT, "the parameter set of GOST 28147-89 is not known");
        cipher->rows = rows->rows;
    }
    if (sequence.length)
        return FAIL(REASON_INPUT, "the parameters of the cipher %s have more than is known", known[cipher->kind].name);
    memcpy(cipher->iv, iv.bytes, size);
    memcpy(cipher->seed, iv.bytes + size, seed_size);
    cipher->has_iv = true;
    cipher_restart(cipher);
    return 1;
}

static unsigned char *write_parameters(const struct cipher *cipher, size_t *length) {
    size_t size = cipher_iv_size(cipher->kind), end;
    struct der_writer writer = {0};

    if (!der_begin(&writer, 64))
        return NULL;
    if (cipher->kind == CIPHER_28147)
        for (int i = 0; i < gost_sbox_count; i++) {
            const gost_sbox_set *set = gost_sbox_set_at((gost_sbox_name)i);
            if (set->rows == (cipher->rows ? cipher->rows : gost_sbox_set_at(gost_sbox_tc26_z)->rows))
                der_prepend(&writer, (struct der){set->oid, set->oid_length});
        }
    end = writer.front;
    der_prepend(&writer, (struct der){cipher->seed, known[cipher->kind].seed_size});
    der_prepend(&writer, (struct der){cipher->iv, size});
    der_wrap(&writer, 0x04, end);
    der_wrap(&writer, 0x30, writer.room);
    return der_end(&writer, length);
}

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct cipher *cipher = context;
    const OSSL_PARAM *value = parameters ? OSSL_PARAM_locate_const(parameters, NEW_PARAMETERS) : NULL;
    const void *octets;
    size_t length;

    if (parameters && !value)
        value = OSSL_PARAM_locate_const(parameters, OLD_PARAMETERS);
    if (value
        && (!OSSL_PARAM_get_octet_string_ptr(value, &octets, &length)
            || !read_parameters(cipher, (struct der){octets, length})))
        return 0;
    value = parameters ? OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_KEYLEN) : NULL;
    return !value || (OSSL_PARAM_get_size_t(value, &length) && length == 32);
}

static int get(void *context, OSSL_PARAM parameters[]) {
    static const char *const names[] = {OLD_PARAMETERS, NEW_PARAMETERS};
    struct cipher *cipher = context;
    size_t length = 0;
    unsigned char *octets;
    OSSL_PARAM *value;
    int done = 1;

    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, 32))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN))
        && !OSSL_PARAM_set_size_t(value, cipher_iv_size(cipher->kind)))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IV))
        && !OSSL_PARAM_set_octet_string(value, cipher->iv, cipher_iv_size(cipher->kind)))
        return 0;
    for (int i = 0; i < 2; i++)
        if ((value = OSSL_PARAM_locate(parameters, names[i]))) {
            octets = write_parameters(cipher, &length);
            done = done && octets && OSSL_PARAM_set_octet_string(value, octets, length);
            OPENSSL_free(octets);
        }
    return done;
}

static const OSSL_PARAM *list_settable(void *context, void *provider) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_octet_string(OLD_PARAMETERS, NULL, 0), OSSL_PARAM_octet_string(NEW_PARAMETERS, NULL, 0),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_END};

    (void)context, (void)provider;
    return list;
}

static const OSSL_PARAM *list_gettable(void *context, void *provider) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OLD_PARAMETERS, NULL, 0), OSSL_PARAM_octet_string(NEW_PARAMETERS, NULL, 0), OSSL_PARAM_END};

    (void)context, (void)provider;
    return list;
}

static int describe(OSSL_PARAM parameters[], enum cipher_kind kind) {
    OSSL_PARAM *value;

    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_MODE))
        && !OSSL_PARAM_set_uint(value, kind == CIPHER_28147 ? EVP_CIPH_CFB_MODE : EVP_CIPH_CTR_MODE))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, 32))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN))
        && !OSSL_PARAM_set_size_t(value, cipher_iv_size(kind)))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_BLOCK_SIZE);
    return !value || OSSL_PARAM_set_size_t(value, 1);
}
static int describe_28147(OSSL_PARAM parameters[]) { return describe(parameters, CIPHER_28147); }
static int describe_magma(OSSL_PARAM parameters[]) { return describe(parameters, CIPHER_MAGMA); }
static int describe_kuznyechik(OSSL_PARAM parameters[]) { return describe(parameters, CIPHER_KUZNYECHIK); }

/* ---- Text ---- */

static int begin(
    struct cipher *cipher, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[], bool is_encryption) {
    cipher->is_encryption = is_encryption;
    if (iv) {
        if (iv_length != cipher_iv_size(cipher->kind))
            return FAIL(REASON_INPUT, "the vector has %zu bytes", iv_length);
        memcpy(cipher->iv, iv, iv_length);
        cipher->has_iv = true;
    }
    if (key && key_length != 32)
        return FAIL(REASON_INPUT, "the key has %zu bytes instead of 32", key_length);
    if (key)
        cipher_set_key(cipher, key);
    else
        cipher_restart(cipher);
    return set(cipher, parameters);
}
static int begin_encrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, iv, iv_length, parameters, true);
}
static int begin_decrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *iv, size_t iv_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, iv, iv_length, parameters, false);
}

static int update(
    void *context, unsigned char *out, size_t *out_length, size_t room, const unsigned char *in, size_t length) {
    struct cipher *cipher = context;

    if (!cipher->has_key || !cipher->has_iv)
        return FAIL(REASON_INPUT, "the cipher has no key, or no vector");
    if (length > room)
        return FAIL(REASON_INPUT, "there is room for %zu bytes of %zu", room, length);
    if (length)
        cipher_update(cipher, in, out, length);
    *out_length = length;
    return 1;
}

static int end(void *context, unsigned char *out, size_t *length, size_t room) {
    (void)context, (void)out, (void)room;
    *length = 0;
    return 1;
}

#define CIPHER(which) \
    static const OSSL_DISPATCH cipher_##which[] = { \
        ENTRY(OSSL_FUNC_CIPHER_NEWCTX, new_##which), \
        ENTRY(OSSL_FUNC_CIPHER_FREECTX, release), \
        ENTRY(OSSL_FUNC_CIPHER_DUPCTX, duplicate), \
        ENTRY(OSSL_FUNC_CIPHER_ENCRYPT_INIT, begin_encrypt), \
        ENTRY(OSSL_FUNC_CIPHER_DECRYPT_INIT, begin_decrypt), \
        ENTRY(OSSL_FUNC_CIPHER_UPDATE, update), \
        ENTRY(OSSL_FUNC_CIPHER_FINAL, end), \
        ENTRY(OSSL_FUNC_CIPHER_GET_PARAMS, describe_##which), \
        ENTRY(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get), \
        ENTRY(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, list_gettable), \
        ENTRY(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set), \
        ENTRY(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, list_settable), \
        END_OF_TABLE, \
    }
CIPHER(28147);
CIPHER(magma);
CIPHER(kuznyechik);

const OSSL_ALGORITHM cipher_algorithms[] = {
    {"gost89:GOST 28147-89:1.2.643.2.2.21", PROPERTIES, cipher_28147, "GOST 28147-89 with feedback"},
    {"magma-ctr-acpkm:1.2.643.7.1.1.5.1.1", PROPERTIES, cipher_magma, "Magma, CTR-ACPKM"},
    {"kuznyechik-ctr-acpkm:1.2.643.7.1.1.5.2.1", PROPERTIES, cipher_kuznyechik, "Kuznyechik, CTR-ACPKM"},
    {NULL, NULL, NULL, NULL},
};
