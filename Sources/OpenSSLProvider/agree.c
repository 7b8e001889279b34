/* SPDX-License-Identifier: Apache-2.0 */
/* What GOST keys agree on and decrypt, on a token or in memory: one context has what an operation of either kind was told. */
#include "provider.h"

#include <string.h>

struct agreeing {
    struct pkey *pkey, *peer;
    struct agreement agreement;
};

static void *new(void *provider) {
    (void)provider;
    return OPENSSL_zalloc(sizeof(struct agreeing));
}

static void release(void *context) {
    struct agreeing *agreeing = context;

    pkey_free(agreeing->pkey);
    pkey_free(agreeing->peer);
    OPENSSL_clear_free(agreeing, sizeof *agreeing);
}

static void *duplicate(void *context) {
    struct agreeing *agreeing = context, *copy = OPENSSL_memdup(agreeing, sizeof *agreeing);

    if (copy && copy->pkey)
        pkey_retain(copy->pkey);
    if (copy && copy->peer)
        pkey_retain(copy->peer);
    return copy;
}

/* UKM; "-pkeyopt hexukm:…" of OpenSSL's commands. */
static int set(void *context, const OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;
    const OSSL_PARAM *value = parameters ? OSSL_PARAM_locate_const(parameters, "ukm") : NULL;
    void *ukm = agreeing->agreement.ukm;

    if (!given_check(parameters))
        return 0;
    if (parameters && !value)
        value = OSSL_PARAM_locate_const(parameters, OSSL_EXCHANGE_PARAM_KDF_UKM);
    if (!value)
        return 1;
    return OSSL_PARAM_get_octet_string(
               value, &ukm, sizeof agreeing->agreement.ukm, &agreeing->agreement.ukm_length)
        || FAIL(REASON_INPUT, "UKM has to be up to %zu bytes", sizeof agreeing->agreement.ukm);
}

static const OSSL_PARAM *settable(void *context, void *provider) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_octet_string("ukm", NULL, 0), OSSL_PARAM_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, NULL, 0),
        OSSL_PARAM_END};

    (void)context, (void)provider;
    return list;
}

static int begin(void *context, void *key, const OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;

    if (key) {
        pkey_free(agreeing->pkey);
        agreeing->pkey = pkey_retain(key);
    }
    if (!agreeing->pkey || !pkey_has_private(agreeing->pkey))
        return FAIL(REASON_INPUT, "the key has no private half");
    return set(context, parameters);
}

static int set_peer(void *context, void *key) {
    struct agreeing *agreeing = context;

    pkey_free(agreeing->peer);
    agreeing->peer = pkey_retain(key);
    return 1;
}

bool transport_accepts(struct der curve, const unsigned char *point, size_t length) {
    const gost_curve_set *set = gost_curve_set_of(curve.bytes, curve.length);

    return set && 2 * set->numbers->size == length && curve_prepare(set) && curve_has_point(set, point);
}

static int derive(void *context, unsigned char *secret, size_t *length, size_t room) {
    struct agreeing *agreeing = context;

    *length = room;
    if (agreeing->pkey->number)
        return software_derive(agreeing->pkey, &agreeing->agreement, agreeing->peer, secret, length);
    return transport_derive(
        agreeing->pkey->key, &agreeing->pkey->info, &agreeing->agreement, agreeing->peer ? &agreeing->peer->info : NULL,
        secret, length);
}

static int decrypt(
    void *context, unsigned char *secret, size_t *length, size_t room, const unsigned char *data, size_t data_length) {
    struct agreeing *agreeing = context;
    int done;

    *length = room;
    if (agreeing->pkey->number)
        done = software_decrypt(agreeing->pkey, &agreeing->agreement, data, data_length, secret, length);
    else
        done = transport_decrypt(
            agreeing->pkey->key, &agreeing->pkey->info, &agreeing->agreement, NULL, data, data_length, secret, length);
    if (!done)
        unopened_note();
    else if (secret)
        unopened_forget();
    return done;
}

const OSSL_DISPATCH gost_agreement[] = {
    ENTRY(OSSL_FUNC_KEYEXCH_NEWCTX, new),
    ENTRY(OSSL_FUNC_KEYEXCH_FREECTX, release),
    ENTRY(OSSL_FUNC_KEYEXCH_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_KEYEXCH_INIT, begin),
    ENTRY(OSSL_FUNC_KEYEXCH_SET_PEER, set_peer),
    ENTRY(OSSL_FUNC_KEYEXCH_DERIVE, derive),
    ENTRY(OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, settable),
    END_OF_TABLE,
};

const OSSL_DISPATCH gost_decryption[] = {
    ENTRY(OSSL_FUNC_ASYM_CIPHER_NEWCTX, new),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_FREECTX, release),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, begin),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, settable),
    END_OF_TABLE,
};
