/* SPDX-License-Identifier: Apache-2.0 */
/* EC keys of a token: ECDSA, and ECDH with the key derivation of CMS. */
#include "provider.h"

#include <openssl/kdf.h>
#include <string.h>

static size_t coordinate_size(const struct pkey *pkey) { return ((size_t)EVP_PKEY_get_bits(pkey->pkey) + 7) / 8; }

/* The token's r and s of fixed length become ECDSA-Sig-Value (RFC 3279, 2.2.3). */
int ec_sign(
    const struct pkey *pkey, const unsigned char *digest, size_t length, unsigned char *signature,
    size_t *signature_length, size_t room) {
    size_t size = coordinate_size(pkey);
    unsigned char numbers[2 * LARGEST_COORDINATE];
    struct der_writer writer = {0};
    unsigned char *der;

    if (!key_sign_ec(pkey->key, digest, length, numbers, size))
        return 0;
    if (!der_begin(&writer, 2 * size + 32))
        return NO_MEMORY();
    der_prepend_number(&writer, (struct der){numbers + size, size});
    der_prepend_number(&writer, (struct der){numbers, size});
    der_wrap(&writer, 0x30, writer.room);
    der = der_end(&writer, signature_length);
    if (!der || *signature_length > room) {
        OPENSSL_free(der);
        return FAIL(REASON_INPUT, "there is no room for the signature");
    }
    memcpy(signature, der, *signature_length);
    OPENSSL_free(der);
    return 1;
}

/* ---- Agreement ---- */

struct agreeing {
    struct provider *provider;
    struct pkey *pkey, *peer;
    /* X9.63, or nothing. */
    bool has_kdf;
    char digest[64];
    size_t length;
    unsigned char *ukm;
    size_t ukm_length;
};

static void *new(void *provider) {
    struct agreeing *agreeing = OPENSSL_zalloc(sizeof *agreeing);

    if (agreeing)
        agreeing->provider = provider;
    return agreeing;
}

static void release(void *context) {
    struct agreeing *agreeing = context;

    pkey_free(agreeing->pkey);
    pkey_free(agreeing->peer);
    OPENSSL_clear_free(agreeing->ukm, agreeing->ukm_length);
    OPENSSL_free(agreeing);
}

static void *duplicate(void *context) {
    struct agreeing *agreeing = context, *copy = OPENSSL_memdup(agreeing, sizeof *agreeing);

    if (!copy)
        return NULL;
    copy->pkey = pkey_retain(agreeing->pkey);
    copy->peer = pkey_retain(agreeing->peer);
    copy->ukm = agreeing->ukm ? OPENSSL_memdup(agreeing->ukm, agreeing->ukm_length) : NULL;
    if (!agreeing->ukm || copy->ukm)
        return copy;
    copy->ukm_length = 0;
    release(copy);
    return NULL;
}

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;
    const OSSL_PARAM *value;
    char text[LONGEST_TEXT];
    int mode;

    if (!parameters)
        return 1;
    if (!given_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE))
        && !OSSL_PARAM_get_int(value, &mode))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_KDF_TYPE))) {
        if (!given_text(value, text, sizeof text))
            return 0;
        if (*text && OPENSSL_strcasecmp(text, "X963KDF") != 0)
            return FAIL(REASON_UNSUPPORTED, "the derivation of keys %.40s", text);
        agreeing->has_kdf = *text != 0;
    }
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_KDF_DIGEST))
        && !given_text(value, agreeing->digest, sizeof agreeing->digest))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_KDF_OUTLEN))
        && !OSSL_PARAM_get_size_t(value, &agreeing->length))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_KDF_UKM))) {
        void *ukm = NULL;
        size_t length = 0;
        if (!OSSL_PARAM_get_octet_string(value, &ukm, 0, &length))
            return 0;
        OPENSSL_clear_free(agreeing->ukm, agreeing->ukm_length);
        if (length == 0) {
            OPENSSL_free(ukm);
            ukm = NULL;
        }
        agreeing->ukm = ukm;
        agreeing->ukm_length = length;
    }
    return 1;
}

static int get(void *context, OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;
    OSSL_PARAM *value;

    if (!wanted_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE))
        && !OSSL_PARAM_set_int(value, 0))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_EXCHANGE_PARAM_KDF_TYPE))
        && !OSSL_PARAM_set_utf8_string(value, agreeing->has_kdf ? "X963KDF" : ""))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_EXCHANGE_PARAM_KDF_DIGEST))
        && !OSSL_PARAM_set_utf8_string(value, agreeing->digest))
        return 0;
    if ((value = OSSL_PARAM_locate(parameters, OSSL_EXCHANGE_PARAM_KDF_OUTLEN))
        && !OSSL_PARAM_set_size_t(value, agreeing->length))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_EXCHANGE_PARAM_KDF_UKM);
    return !value || OSSL_PARAM_set_octet_ptr(value, agreeing->ukm, agreeing->ukm_length);
}

CONTEXT_LIST(
    list_parameters, OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, NULL, 0),
    OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, NULL, 0))

static int begin(void *context, void *key, const OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;

    pkey_replace(&agreeing->pkey, key);
    if (!agreeing->pkey || !pkey_has_private(agreeing->pkey))
        return FAIL(REASON_INPUT, "the key has no private half");
    agreeing->has_kdf = false;
    return set(context, parameters);
}

static int set_peer(void *context, void *key) {
    struct agreeing *agreeing = context;
    struct pkey *peer = key;

    if (!peer->pkey || !agreeing->pkey || EVP_PKEY_parameters_eq(peer->pkey, agreeing->pkey->pkey) != 1)
        return FAIL(REASON_INPUT, "the other side's public key is on another curve");
    pkey_replace(&agreeing->peer, peer);
    return 1;
}

static int derive_key(
    const struct agreeing *agreeing, const unsigned char *secret, size_t size, unsigned char *result) {
    EVP_KDF *kdf = EVP_KDF_fetch(agreeing->provider->context, "X963KDF", NULL);
    EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)agreeing->digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, size),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, agreeing->ukm, agreeing->ukm_length),
        OSSL_PARAM_construct_end(),
    };
    int done;

    if (!agreeing->ukm)
        parameters[2] = OSSL_PARAM_construct_end();
    done = context && EVP_KDF_derive(context, result, agreeing->length, parameters) > 0;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return done;
}

/* By the default provider, for a key that is not on a token. */
static int agree_natively(const struct agreeing *agreeing, unsigned char *shared, size_t size) {
    EVP_PKEY_CTX *inner =
        EVP_PKEY_CTX_new_from_pkey(agreeing->provider->context, agreeing->pkey->pkey, "provider!=kanal");
    size_t length = size;
    int done = inner && EVP_PKEY_derive_init(inner) == 1 && EVP_PKEY_derive_set_peer(inner, agreeing->peer->pkey) == 1
        && EVP_PKEY_derive(inner, shared, &length) == 1 && length == size;

    EVP_PKEY_CTX_free(inner);
    return done;
}

static int derive(void *context, unsigned char *secret, size_t *length, size_t room) {
    struct agreeing *agreeing = context;
    unsigned char point[1 + 2 * LARGEST_COORDINATE], shared[LARGEST_COORDINATE];
    size_t size, point_length = 0, result_length;
    int done;

    if (!agreeing->pkey || !agreeing->peer)
        return FAIL(REASON_INPUT, "the other side's public key is missing");
    size = coordinate_size(agreeing->pkey);
    result_length = agreeing->has_kdf ? agreeing->length : size;
    if (!secret) {
        *length = result_length;
        return 1;
    }
    if (size > LARGEST_COORDINATE || room < result_length)
        return FAIL(REASON_INPUT, "the secret has %zu bytes, and there is room for %zu", result_length, room);
    if (!EVP_PKEY_get_octet_string_param(
            agreeing->peer->pkey, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point, sizeof point, &point_length)
        || point_length != 1 + 2 * size || point[0] != 4)
        return FAIL(REASON_INPUT, "the other side's public key cannot be read");
    done = agreeing->pkey->has_native ? agree_natively(agreeing, shared, size)
                                      : key_derive_ec(agreeing->pkey->key, point, point_length, shared, size);
    if (done && agreeing->has_kdf)
        done = derive_key(agreeing, shared, size, secret);
    else if (done)
        memcpy(secret, shared, size);
    OPENSSL_cleanse(shared, sizeof shared);
    *length = result_length;
    return done;
}

const OSSL_DISPATCH ec_agreement[] = {
    ENTRY(OSSL_FUNC_KEYEXCH_NEWCTX, new),
    ENTRY(OSSL_FUNC_KEYEXCH_FREECTX, release),
    ENTRY(OSSL_FUNC_KEYEXCH_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_KEYEXCH_INIT, begin),
    ENTRY(OSSL_FUNC_KEYEXCH_SET_PEER, set_peer),
    ENTRY(OSSL_FUNC_KEYEXCH_DERIVE, derive),
    ENTRY(OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS, get),
    ENTRY(OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS, list_parameters),
    ENTRY(OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, list_parameters),
    END_OF_TABLE,
};
