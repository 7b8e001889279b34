/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of GOST keys: the token signs, or software with a key in memory; software verifies. */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

struct signing {
    struct pkey *pkey;
    gost_hash hash;
};

static void *new(void *provider, const char *properties) {
    (void)provider, (void)properties;
    return OPENSSL_zalloc(sizeof(struct signing));
}

static void release(void *context) {
    struct signing *signing = context;

    pkey_free(signing->pkey);
    OPENSSL_clear_free(signing, sizeof *signing);
}

static void *duplicate(void *context) {
    struct signing *signing = context, *copy = OPENSSL_memdup(signing, sizeof *signing);

    if (copy)
        pkey_retain(copy->pkey);
    return copy;
}

static int check_digest(const struct pkey *pkey, const char *name) {
    if (!name || !*name || digest_is(pkey_hash(pkey), name))
        return 1;
    return FAIL(
        REASON_UNSUPPORTED, "the digest %.80s with a key of %s; it accepts only %s", name, pkey_name(pkey->kind),
        digest_name(pkey_hash(pkey)));
}

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct signing *signing = context;
    const OSSL_PARAM *digest = parameters ? OSSL_PARAM_locate_const(parameters, OSSL_SIGNATURE_PARAM_DIGEST) : NULL;
    char name[LONGEST_TEXT];

    if (!given_check(parameters))
        return 0;
    if (!digest || !signing->pkey)
        return 1;
    return given_text(digest, name, sizeof name) && check_digest(signing->pkey, name);
}

static int begin(void *context, void *key, const OSSL_PARAM parameters[], bool is_signature) {
    struct signing *signing = context;

    pkey_replace(&signing->pkey, key);
    if (!signing->pkey)
        return FAIL(REASON_INPUT, "there is no key");
    if (is_signature && !pkey_has_private(signing->pkey))
        return FAIL(REASON_INPUT, "the key has no private half");
    if (!signing->pkey->der)
        return FAIL(REASON_INPUT, "the key has only parameters");
    gost_hash_begin(gost_best_path(), &signing->hash, pkey_hash(signing->pkey));
    return set(context, parameters);
}
static int begin_sign(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, true);
}
static int begin_verify(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, false);
}
static int begin_digest_sign(void *context, const char *digest, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, true) && check_digest(((struct signing *)context)->pkey, digest);
}
static int begin_digest_verify(void *context, const char *digest, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, false) && check_digest(((struct signing *)context)->pkey, digest);
}

static int sign(
    void *context, unsigned char *signature, size_t *length, size_t room, const unsigned char *digest,
    size_t digest_length) {
    struct signing *signing = context;
    size_t size = pkey_size(signing->pkey);
    CK_MECHANISM mechanism = {size == 128 ? CKM_GOSTR3410_512 : CKM_GOSTR3410, NULL, 0};

    if (!signature) {
        *length = size;
        return 1;
    }
    if (room < size)
        return FAIL(REASON_INPUT, "the signature has %zu bytes, and there is room for %zu", size, room);
    if (digest_length != size / 2)
        return FAIL(REASON_INPUT, "the digest has %zu bytes instead of %zu", digest_length, size / 2);
    if (!(signing->pkey->number ? software_sign(signing->pkey, digest, signature)
                                : key_sign(signing->pkey->key, &mechanism, digest, digest_length, signature, size)))
        return 0;
    *length = size;
    return 1;
}

/* The key's point, prepared from its second signature on. NULL before, and without memory. */
static const gost_prepared_point *prepared(struct pkey *pkey, const gost_domain *domain) {
    gost_prepared_point *known = __atomic_load_n(&pkey->prepared, __ATOMIC_ACQUIRE), *made;

    if (known || __atomic_fetch_add(&pkey->verified, 1, __ATOMIC_RELAXED) == 0)
        return known;
    made = malloc(sizeof *made);
    if (!made)
        return NULL;
    gost_curve_prepare_point(domain->curve, made, pkey->info.key.bytes);
    /* Of several threads, the first to make it wins. */
    if (__atomic_compare_exchange_n(&pkey->prepared, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return known;
}

static int verify(
    void *context, const unsigned char *signature, size_t length, const unsigned char *digest, size_t digest_length) {
    struct signing *signing = context;
    struct pkey *pkey = signing->pkey;
    gost_domain domain;

    if (digest_length != pkey->curve->numbers->size)
        return FAIL(
            REASON_INPUT, "the digest has %zu bytes instead of %zu", digest_length, pkey->curve->numbers->size);
    return length == pkey->info.key.length && domain_of(pkey->curve, &domain)
        && gost_verify(&domain, pkey->info.key.bytes, prepared(pkey, &domain), digest, signature);
}

static int update(void *context, const unsigned char *data, size_t length) {
    struct signing *signing = context;

    if (length)
        gost_hash_update(&signing->hash, data, length);
    return 1;
}

static int end_sign(void *context, unsigned char *signature, size_t *length, size_t room) {
    struct signing *signing = context;
    gost_hash_name kind = signing->hash.name;
    gost_hash copy = signing->hash;
    unsigned char digest[64];
    int done;

    if (!signature)
        return sign(context, NULL, length, 0, NULL, 0);
    gost_hash_end(&copy, digest);
    done = sign(context, signature, length, room, digest, gost_hash_size(kind));
    /* After a failure the message is still there to be signed. */
    if (done)
        gost_hash_begin(gost_best_path(), &signing->hash, kind);
    return done;
}

static int end_verify(void *context, const unsigned char *signature, size_t length) {
    struct signing *signing = context;
    gost_hash_name kind = signing->hash.name;
    unsigned char digest[64];

    gost_hash_end(&signing->hash, digest);
    gost_hash_begin(gost_best_path(), &signing->hash, kind);
    return verify(context, signature, length, digest, gost_hash_size(kind));
}

/* RFC 9215, 2: signature algorithms have no parameters. */
static int get(void *context, OSSL_PARAM parameters[]) {
    static const unsigned char identifiers[][12] = {
        [gost_hash_streebog256] = {0x30, 0x0A, 0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x02},
        [gost_hash_streebog512] = {0x30, 0x0A, 0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x03},
        [gost_hash_r341194] = {0x30, 0x08, 0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x03},
    };
    struct signing *signing = context;
    gost_hash_name kind;
    OSSL_PARAM *wanted;

    if (!wanted_check(parameters))
        return 0;
    if (!signing->pkey)
        return 1;
    kind = pkey_hash(signing->pkey);
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_SIGNATURE_PARAM_ALGORITHM_ID))
        && !OSSL_PARAM_set_octet_string(wanted, identifiers[kind], identifiers[kind][1] + 2u))
        return 0;
    wanted = OSSL_PARAM_locate(parameters, OSSL_SIGNATURE_PARAM_DIGEST);
    return !wanted || OSSL_PARAM_set_utf8_string(wanted, digest_name(kind));
}

CONTEXT_LIST(
    gettable, OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0))

CONTEXT_LIST(settable, OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0))

const OSSL_DISPATCH gost_signature[] = {
    ENTRY(OSSL_FUNC_SIGNATURE_NEWCTX, new),
    ENTRY(OSSL_FUNC_SIGNATURE_FREECTX, release),
    ENTRY(OSSL_FUNC_SIGNATURE_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN_INIT, begin_sign),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN, sign),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY_INIT, begin_verify),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, begin_digest_sign),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, end_sign),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, begin_digest_verify),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, end_verify),
    ENTRY(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, get),
    ENTRY(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, gettable),
    ENTRY(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, settable),
    END_OF_TABLE,
};
