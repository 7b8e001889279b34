/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of RSA and EC keys of a token. The default provider has the parameters and the names of algorithms: its
 * own context, for the public half, keeps the parameters, and verifies. The token signs.
 */
#include "provider.h"

#include <openssl/rsa.h>
#include <string.h>

struct signing {
    struct provider *provider;
    struct pkey *pkey;
    /* The default provider's context, which has the parameters. */
    EVP_PKEY_CTX *inner;
    EVP_MD_CTX *hashing;
    bool is_signature;
};

static void *new(void *provider, const char *properties) {
    struct signing *signing = OPENSSL_zalloc(sizeof *signing);

    (void)properties;
    if (signing)
        signing->provider = provider;
    return signing;
}

static void forget(struct signing *signing) {
    EVP_PKEY_CTX_free(signing->inner);
    EVP_MD_CTX_free(signing->hashing);
    signing->inner = NULL;
    signing->hashing = NULL;
}

static void release(void *context) {
    struct signing *signing = context;

    forget(signing);
    pkey_free(signing->pkey);
    OPENSSL_free(signing);
}

static void *duplicate(void *context) {
    struct signing *signing = context, *copy = new(signing->provider, NULL);

    if (!copy)
        return NULL;
    copy->is_signature = signing->is_signature;
    copy->pkey = pkey_retain(signing->pkey);
    if ((signing->inner && !(copy->inner = EVP_PKEY_CTX_dup(signing->inner)))
        || (signing->hashing
            && (!(copy->hashing = EVP_MD_CTX_new()) || !EVP_MD_CTX_copy_ex(copy->hashing, signing->hashing)))) {
        release(copy);
        return NULL;
    }
    return copy;
}

static int begin(void *context, void *key, const OSSL_PARAM parameters[], bool is_signature) {
    struct signing *signing = context;

    pkey_replace(&signing->pkey, key);
    if (!given_check(parameters))
        return 0;
    if (!signing->pkey || !signing->pkey->pkey)
        return FAIL(REASON_INPUT, "there is no key");
    if (is_signature && !pkey_has_private(signing->pkey))
        return FAIL(REASON_INPUT, "the key has no private half");
    forget(signing);
    signing->is_signature = is_signature;
    signing->inner = EVP_PKEY_CTX_new_from_pkey(
        signing->provider->context, signing->pkey->pkey, "provider!=kanal");
    return signing->inner && (is_signature ? EVP_PKEY_sign_init(signing->inner) : EVP_PKEY_verify_init(signing->inner)) == 1
        && (!parameters || EVP_PKEY_CTX_set_params(signing->inner, parameters));
}
static int begin_sign(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, true);
}
static int begin_verify(void *context, void *key, const OSSL_PARAM parameters[]) {
    return begin(context, key, parameters, false);
}

static int begin_digest(
    void *context, const char *digest, void *key, const OSSL_PARAM parameters[], bool is_signature) {
    struct signing *signing = context;
    const char *name = digest && *digest ? digest : "SHA256";
    EVP_MD *md;
    int done;

    if (!given_check(parameters) || !begin(context, key, NULL, is_signature))
        return 0;
    md = EVP_MD_fetch(signing->provider->context, name, NULL);
    signing->hashing = EVP_MD_CTX_new();
    done = md && signing->hashing && EVP_DigestInit_ex2(signing->hashing, md, NULL)
        && EVP_PKEY_CTX_set_signature_md(signing->inner, md) > 0
        && (!parameters || EVP_PKEY_CTX_set_params(signing->inner, parameters));
    EVP_MD_free(md);
    return done;
}
static int begin_digest_sign(void *context, const char *digest, void *key, const OSSL_PARAM parameters[]) {
    return begin_digest(context, digest, key, parameters, true);
}
static int begin_digest_verify(void *context, const char *digest, void *key, const OSSL_PARAM parameters[]) {
    return begin_digest(context, digest, key, parameters, false);
}

static int sign(
    void *context, unsigned char *signature, size_t *length, size_t room, const unsigned char *digest,
    size_t digest_length) {
    struct signing *signing = context;
    size_t size = pkey_size(signing->pkey);

    if (!signature) {
        *length = size;
        return 1;
    }
    if (room < size)
        return FAIL(REASON_INPUT, "the signature has up to %zu bytes, and there is room for %zu", size, room);
    if (signing->pkey->has_native) {
        *length = room;
        return EVP_PKEY_sign(signing->inner, signature, length, digest, digest_length) == 1;
    }
    return signing->pkey->kind == KIND_RSA
        ? rsa_sign(signing->pkey, signing->inner, digest, digest_length, signature, length)
        : ec_sign(signing->pkey, digest, digest_length, signature, length, size);
}

static int verify(
    void *context, const unsigned char *signature, size_t length, const unsigned char *digest, size_t digest_length) {
    struct signing *signing = context;

    return EVP_PKEY_verify(signing->inner, signature, length, digest, digest_length) == 1;
}

static int update(void *context, const unsigned char *data, size_t length) {
    struct signing *signing = context;

    return signing->hashing && EVP_DigestUpdate(signing->hashing, data, length);
}

static int end_digest(struct signing *signing, unsigned char *digest, unsigned int *length) {
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    int done = signing->hashing && copy && EVP_MD_CTX_copy_ex(copy, signing->hashing)
        && EVP_DigestFinal_ex(copy, digest, length);

    EVP_MD_CTX_free(copy);
    return done;
}

static int end_sign(void *context, unsigned char *signature, size_t *length, size_t room) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_length = 0;

    if (!signature)
        return sign(context, NULL, length, 0, NULL, 0);
    return end_digest(context, digest, &digest_length) && sign(context, signature, length, room, digest, digest_length);
}

static int end_verify(void *context, const unsigned char *signature, size_t length) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_length = 0;

    return end_digest(context, digest, &digest_length) && verify(context, signature, length, digest, digest_length);
}

static int get(void *context, OSSL_PARAM parameters[]) {
    struct signing *signing = context;
    return wanted_check(parameters) && (!signing->inner || EVP_PKEY_CTX_get_params(signing->inner, parameters));
}
static int set(void *context, const OSSL_PARAM parameters[]) {
    struct signing *signing = context;
    return given_check(parameters)
        && (!signing->inner || !parameters || EVP_PKEY_CTX_set_params(signing->inner, parameters));
}

/* The same lists as the default provider's. */
CONTEXT_LIST(
    rsa_parameters, OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0))
CONTEXT_LIST(
    ec_parameters, OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
    OSSL_PARAM_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, NULL),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0))

#define SIGNATURE(name, parameters) \
    const OSSL_DISPATCH name[] = { \
        ENTRY(OSSL_FUNC_SIGNATURE_NEWCTX, new), \
        ENTRY(OSSL_FUNC_SIGNATURE_FREECTX, release), \
        ENTRY(OSSL_FUNC_SIGNATURE_DUPCTX, duplicate), \
        ENTRY(OSSL_FUNC_SIGNATURE_SIGN_INIT, begin_sign), \
        ENTRY(OSSL_FUNC_SIGNATURE_SIGN, sign), \
        ENTRY(OSSL_FUNC_SIGNATURE_VERIFY_INIT, begin_verify), \
        ENTRY(OSSL_FUNC_SIGNATURE_VERIFY, verify), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, begin_digest_sign), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, update), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, end_sign), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, begin_digest_verify), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, update), \
        ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, end_verify), \
        ENTRY(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, get), \
        ENTRY(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, parameters), \
        ENTRY(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, set), \
        ENTRY(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, parameters), \
        END_OF_TABLE, \
    }
SIGNATURE(rsa_signature, rsa_parameters);
SIGNATURE(ec_signature, ec_parameters);
