/* SPDX-License-Identifier: Apache-2.0 */
/* Magma and Kuznyechik with authentication, for OpenSSL: MGM (RFC 9058). The tag is a block, or its first bytes. */
#include "provider.h"

#include <string.h>

struct sealing {
    gost_cipher_name kind;
    gost_block block;
    gost_mgm mgm;
    bool is_encryption, has_key, has_nonce, is_begun, has_tag;
    unsigned char nonce[gost_block_largest], tag[gost_block_largest];
    size_t tag_length;
};

static void *new(gost_cipher_name kind) {
    struct sealing *sealing = OPENSSL_zalloc(sizeof *sealing);

    if (sealing) {
        sealing->kind = kind;
        sealing->tag_length = gost_block_size(kind);
    }
    return sealing;
}
static void *new_magma(void *provider) { return (void)provider, new(gost_cipher_magma); }
static void *new_kuznyechik(void *provider) { return (void)provider, new(gost_cipher_kuznyechik); }
static void release(void *context) { OPENSSL_clear_free(context, sizeof(struct sealing)); }
static void *duplicate(void *context) { return OPENSSL_memdup(context, sizeof(struct sealing)); }

/* ---- Parameters ---- */

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct sealing *sealing = context;
    const OSSL_PARAM *value;
    const void *octets = NULL;
    size_t length = 0;

    if (!parameters)
        return 1;
    if (!given_check_but(parameters, OSSL_CIPHER_PARAM_AEAD_TAG))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_AEAD_TAG))) {
        if (value->data_type != OSSL_PARAM_OCTET_STRING || value->data_size < 4 || value->data_size > gost_block_size(sealing->kind))
            return FAIL(REASON_INPUT, "a tag has from 4 to %zu bytes", gost_block_size(sealing->kind));
        sealing->tag_length = value->data_size;
        /* Without data, only the length is set. */
        if (value->data && OSSL_PARAM_get_octet_string_ptr(value, &octets, &length) && octets) {
            if (sealing->is_encryption)
                return FAIL(REASON_INPUT, "a tag is set for decryption only");
            memcpy(sealing->tag, octets, length);
            sealing->has_tag = true;
        }
    }
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_AEAD_IVLEN))
        && (!OSSL_PARAM_get_size_t(value, &length) || length != gost_block_size(sealing->kind)))
        return FAIL(REASON_INPUT, "a nonce of MGM has %zu bytes", gost_block_size(sealing->kind));
    value = OSSL_PARAM_locate_const(parameters, OSSL_CIPHER_PARAM_KEYLEN);
    return !value || (OSSL_PARAM_get_size_t(value, &length) && length == gost_key_size);
}

static int get(void *context, OSSL_PARAM parameters[]) {
    struct sealing *sealing = context;
    OSSL_PARAM *value;

    if (!wanted_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, gost_key_size))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN))
        && !OSSL_PARAM_set_size_t(value, gost_block_size(sealing->kind)))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_AEAD_TAGLEN))
        && !OSSL_PARAM_set_size_t(value, sealing->tag_length))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_AEAD_TAG);
    if (!value)
        return 1;
    if (!sealing->is_encryption || !sealing->has_tag || value->data_size < 4 || value->data_size > gost_block_size(sealing->kind))
        return FAIL(REASON_INPUT, "the tag is made at the end of encryption");
    return OSSL_PARAM_set_octet_string(value, sealing->tag, value->data_size);
}

CONTEXT_LIST(
    list_settable, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0))

CONTEXT_LIST(
    list_gettable, OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0))

static int describe(OSSL_PARAM parameters[], gost_cipher_name kind) {
    OSSL_PARAM *value;

    if (!wanted_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_AEAD)) && !OSSL_PARAM_set_int(value, 1))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_CUSTOM_IV)) && !OSSL_PARAM_set_int(value, 1))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_KEYLEN)) && !OSSL_PARAM_set_size_t(value, gost_key_size))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_IVLEN)) && !OSSL_PARAM_set_size_t(value, gost_block_size(kind)))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_CIPHER_PARAM_BLOCK_SIZE);
    return !value || OSSL_PARAM_set_size_t(value, 1);
}
static int describe_magma(OSSL_PARAM parameters[]) { return describe(parameters, gost_cipher_magma); }
static int describe_kuznyechik(OSSL_PARAM parameters[]) { return describe(parameters, gost_cipher_kuznyechik); }

/* ---- Text ---- */

static int begin(
    struct sealing *sealing, const unsigned char *key, size_t key_length, const unsigned char *nonce, size_t nonce_length,
    const OSSL_PARAM parameters[], bool is_encryption) {
    /* A tag that was set before key or nonce belongs to the message to come. */
    if (is_encryption || sealing->is_encryption)
        sealing->has_tag = false;
    sealing->is_encryption = is_encryption;
    if (key && key_length != gost_key_size)
        return FAIL(REASON_INPUT, "the key has %zu bytes instead of 32", key_length);
    if (key) {
        gost_block_begin(gost_best_path(), &sealing->block, sealing->kind);
        gost_block_set_key(&sealing->block, key);
        sealing->has_key = true;
    }
    if (nonce && (nonce_length != gost_block_size(sealing->kind) || nonce[0] & 0x80))
        return FAIL(REASON_INPUT, "a nonce of MGM has %zu bytes, and its first bit is 0", gost_block_size(sealing->kind));
    if (nonce) {
        memcpy(sealing->nonce, nonce, nonce_length);
        sealing->has_nonce = true;
    }
    /* Each message needs a nonce of its own. */
    if (sealing->has_key && sealing->has_nonce && (nonce || key))
        sealing->is_begun = gost_mgm_begin(&sealing->mgm, &sealing->block, sealing->nonce);
    return set(sealing, parameters);
}
static int begin_encrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *nonce, size_t nonce_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, nonce, nonce_length, parameters, true);
}
static int begin_decrypt(
    void *context, const unsigned char *key, size_t key_length, const unsigned char *nonce, size_t nonce_length,
    const OSSL_PARAM parameters[]) {
    return begin(context, key, key_length, nonce, nonce_length, parameters, false);
}

static int update(
    void *context, unsigned char *out, size_t *out_length, size_t room, const unsigned char *in, size_t length) {
    struct sealing *sealing = context;

    if (!sealing->is_begun)
        return FAIL(REASON_INPUT, "the cipher has no key, or no nonce for another message");
    /* A negative length of EVP becomes almost all memory here. */
    if (length > PTRDIFF_MAX || (length > 0 && !in))
        return FAIL(REASON_INPUT, "the text is missing, or longer than memory");
    *out_length = length;
    if (!out)
        return gost_mgm_authenticate(&sealing->mgm, in, length)
            || FAIL(REASON_INPUT, "too much data, or data after the text");
    if (length > room)
        return FAIL(REASON_INPUT, "there is room for %zu bytes of %zu", room, length);
    if (text_overlaps(out, in, length, length, false))
        return FAIL(REASON_INPUT, "the output overlaps the rest of the input");
    return gost_mgm_update(&sealing->mgm, sealing->is_encryption, in, out, length) || FAIL(REASON_INPUT, "the text is too long");
}

static int end(void *context, unsigned char *out, size_t *length, size_t room) {
    struct sealing *sealing = context;
    unsigned char tag[gost_block_largest];
    int is_right;

    (void)out, (void)room;
    *length = 0;
    if (!sealing->is_begun)
        return FAIL(REASON_INPUT, "the cipher has no key, or no nonce for another message");
    if (!sealing->is_encryption && !sealing->has_tag)
        return FAIL(REASON_INPUT, "the tag of the message is missing");
    sealing->is_begun = false;
    if (!gost_mgm_end(&sealing->mgm, tag))
        return FAIL(REASON_INPUT, "the message has neither text nor data");
    if (sealing->is_encryption) {
        memcpy(sealing->tag, tag, sizeof tag);
        sealing->has_tag = true;
        return 1;
    }
    sealing->has_tag = false;
    is_right = CRYPTO_memcmp(tag, sealing->tag, sealing->tag_length) == 0;
    OPENSSL_cleanse(tag, sizeof tag);
    return is_right || FAIL(REASON_INPUT, "the tag is wrong: the key is wrong, or the message was changed");
}

#define SEALING(which) \
    const OSSL_DISPATCH mgm_##which[] = { \
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
SEALING(magma);
SEALING(kuznyechik);
