/* SPDX-License-Identifier: Apache-2.0 */
/* Key agreement and decryption by GOST keys, on a token or in memory, with one type of context for both. */
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

    if (copy) {
        pkey_retain(copy->pkey);
        pkey_retain(copy->peer);
    }
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

CONTEXT_LIST(
    settable, OSSL_PARAM_octet_string("ukm", NULL, 0), OSSL_PARAM_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, NULL, 0))

static int begin(void *context, void *key, const OSSL_PARAM parameters[]) {
    struct agreeing *agreeing = context;

    unopened_forget();
    pkey_replace(&agreeing->pkey, key);
    if (!agreeing->pkey || !pkey_has_private(agreeing->pkey))
        return FAIL(REASON_INPUT, "the key has no private half");
    return set(context, parameters);
}

static int set_peer(void *context, void *key) {
    struct agreeing *agreeing = context;

    pkey_replace(&agreeing->peer, key);
    return 1;
}

static bool accepts(struct der curve, const unsigned char *point, size_t length) {
    const gost_curve_set *set = gost_curve_set_of(curve.bytes, curve.length);
    gost_domain domain;

    return set && 2 * set->numbers->size == length && domain_of(set, &domain) && gost_is_point(&domain, point);
}

static int derive(void *context, unsigned char *secret, size_t *length, size_t room) {
    struct agreeing *agreeing = context;

    *length = room;
    if (agreeing->pkey->number)
        return software_derive(agreeing->pkey, &agreeing->agreement, agreeing->peer, secret, length);
    return transport_derive(
        agreeing->pkey->key, &agreeing->pkey->info, &agreeing->agreement, agreeing->peer ? &agreeing->peer->info : NULL,
        accepts, secret, length);
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
            agreeing->pkey->key, &agreeing->pkey->info, &agreeing->agreement, NULL, accepts, data, data_length,
            secret, length);
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
