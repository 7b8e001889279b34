/* SPDX-License-Identifier: Apache-2.0 */
/* Management of keys for OpenSSL's core. */
#include "provider.h"

#include <openssl/cms.h>
#include <openssl/x509.h>
#include <string.h>

enum { PRIVATE = OSSL_KEYMGMT_SELECT_PRIVATE_KEY, PUBLIC = OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
       PARAMETERS = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS };

/* OpenSSL 4 asks by it for a key's type of recipient of a message. */
#define RECIPIENT_TYPE "ri-type"

/* Receives the reference from pkey_give(). */
static void *load(const void *reference, size_t length) {
    struct pkey *pkey;

    if (!reference || length != sizeof pkey)
        return NULL;
    pkey = *(struct pkey **)reference;
    *(struct pkey **)reference = NULL;
    return pkey;
}

static void release(void *pkey) { pkey_free(pkey); }

/* A whole key is shared. A copy of the parameters is a key that may get a public half. */
static void *duplicate(const void *data, int selection) {
    const struct pkey *pkey = data;
    struct pkey *copy;

    if (pkey->der && (selection & PRIVATE || (selection & PUBLIC && !pkey_has_private(pkey))))
        return pkey_retain((struct pkey *)pkey);
    if (pkey->der && selection & PUBLIC)
        return pkey_new(pkey->provider, OPENSSL_memdup(pkey->der, pkey->info.whole.length), pkey->info.whole.length);
    copy = pkey_empty(pkey->provider, pkey->kind);
    if (!copy)
        return NULL;
    copy->curve = pkey->curve;
    if (!pkey->pkey)
        return copy;
    copy->pkey = EVP_PKEY_new();
    if (copy->pkey && EVP_PKEY_copy_parameters(copy->pkey, pkey->pkey) == 1)
        return copy;
    pkey_free(copy);
    return NULL;
}

static int set(void *data, const OSSL_PARAM parameters[]) {
    struct pkey *pkey = data;
    unsigned char *der = NULL;
    EVP_PKEY *old;
    int length;

    if (!given_check(parameters))
        return 0;
    if (pkey->der || !pkey->pkey)
        return !parameters || !parameters[0].key || FAIL(REASON_UNSUPPORTED, "a complete key cannot be changed");
    if (EVP_PKEY_set_params(pkey->pkey, (OSSL_PARAM *)parameters) != 1 || (length = i2d_PUBKEY(pkey->pkey, &der)) <= 0)
        return 0;
    old = pkey->pkey;
    pkey->pkey = NULL;
    EVP_PKEY_free(old);
    return pkey_fill(pkey, der, (size_t)length);
}

PROVIDER_LIST(settable, OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0))

static int has(const void *data, int selection) {
    const struct pkey *pkey = data;

    if (!pkey || !(selection & (PRIVATE | PUBLIC)))
        return pkey && (pkey->der || pkey->curve || pkey->pkey);
    return pkey->der && (!(selection & PRIVATE) || pkey_has_private(pkey));
}

/* Private halves are equal if the public ones are. */
static int match(const void *first, const void *second, int selection) {
    const struct pkey *one = first, *other = second;

    if (one->kind != other->kind)
        return 0;
    if (one->pkey && other->pkey)
        return selection & (PRIVATE | PUBLIC) ? EVP_PKEY_eq(one->pkey, other->pkey) == 1
                                              : EVP_PKEY_parameters_eq(one->pkey, other->pkey) == 1;
    if (!one->curve || !other->curve || one->curve->numbers != other->curve->numbers)
        return 0;
    return !(selection & (PRIVATE | PUBLIC)) || (one->der && other->der && der_equal(one->info.key, other->info.key));
}

/* Points were checked when the key was made. */
static int validate(const void *data, int selection, int type) {
    (void)type;
    return has(data, selection);
}

/* Like OSSL_PARAM_set_BN: padded to the room, in the processor's order. */
static int get_number(const struct pkey *pkey, OSSL_PARAM *wanted) {
    if (!pkey->number || wanted->data_type != OSSL_PARAM_UNSIGNED_INTEGER)
        return 0;
    wanted->return_size = pkey->number->length;
    if (!wanted->data)
        return 1;
    if (wanted->data_size < pkey->number->length)
        return 0;
    memset(wanted->data, 0, wanted->data_size);
    memcpy(wanted->data, pkey->number->octets, pkey->number->length);
    wanted->return_size = wanted->data_size;
    return 1;
}

/* The digest of a signature; GOST keys accept no other. */
static int get_gost(const struct pkey *pkey, OSSL_PARAM parameters[]) {
    const char *digest = digest_name(pkey_hash(pkey));
    int size = 2 * (int)pkey->curve->numbers->size, bits = 4 * size;
    OSSL_PARAM *wanted;

    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_BITS)) && !OSSL_PARAM_set_int(wanted, bits))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_SECURITY_BITS))
        && !OSSL_PARAM_set_int(wanted, bits / 2))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_MAX_SIZE))
        && !OSSL_PARAM_set_int(wanted, size))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_MANDATORY_DIGEST))
        && !OSSL_PARAM_set_utf8_string(wanted, digest))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_DEFAULT_DIGEST))
        && !OSSL_PARAM_set_utf8_string(wanted, digest))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, RECIPIENT_TYPE)) && !OSSL_PARAM_set_int(wanted, CMS_RECIPINFO_TRANS))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_GROUP_NAME))
        && !OSSL_PARAM_set_utf8_string(wanted, pkey->curve->name))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_PUB_KEY))
        && (!pkey->der || !OSSL_PARAM_set_octet_string(wanted, pkey->info.key.bytes, pkey->info.key.length)))
        return 0;
    wanted = OSSL_PARAM_locate(parameters, OSSL_PKEY_PARAM_PRIV_KEY);
    return !wanted || get_number(pkey, wanted);
}

static int get(void *data, OSSL_PARAM parameters[]) {
    const struct pkey *pkey = data;

    if (!wanted_check(parameters))
        return 0;
    return pkey->pkey ? EVP_PKEY_get_params(pkey->pkey, parameters) : pkey->curve && get_gost(pkey, parameters);
}

PROVIDER_LIST(
    gettable, OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL), OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL), OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0), OSSL_PARAM_int(RECIPIENT_TYPE, NULL),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0))

/*
 * Only the public half of a token's key leaves the provider. OpenSSL asks for the private half before another provider
 * signs; this fails, and OpenSSL returns to this provider.
 */
static int export_key(void *data, int selection, OSSL_CALLBACK *callback, void *argument) {
    const struct pkey *pkey = data;

    if (is_gost_kind(pkey->kind))
        return data_export(pkey, selection, callback, argument);
    if (!pkey->pkey || (selection & PRIVATE && pkey->key))
        return 0;
    return EVP_PKEY_export(pkey->pkey, pkey->has_native ? selection : selection & ~PRIVATE, callback, argument);
}

static const OSSL_PARAM *export_types(int selection) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0), OSSL_PARAM_END,
    };

    return selection & PRIVATE ? NULL : list;
}

static int import_gost(void *data, int selection, const OSSL_PARAM parameters[]) {
    return data_import(data, selection, parameters);
}

static void *new_gost_2001(void *provider) { return pkey_empty(provider, KIND_GOST_2001); }
static void *new_gost_256(void *provider) { return pkey_empty(provider, KIND_GOST_256); }
static void *new_gost_512(void *provider) { return pkey_empty(provider, KIND_GOST_512); }
static void *new_rsa(void *provider) { return pkey_empty(provider, KIND_RSA); }
static void *new_ec(void *provider) { return pkey_empty(provider, KIND_EC); }

/*
 * Imports public keys, such as the other side's key of an agreement. An EC key is imported with its private half, and
 * the default provider computes with it, because OpenSSL passes the other side's key as a whole. Private keys of RSA
 * stay in their provider.
 */
static int import_key(void *data, int selection, const OSSL_PARAM parameters[]) {
    struct pkey *pkey = data;
    OSSL_LIB_CTX *context = provider_context(pkey->provider);
    bool has_private = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_PRIV_KEY) != NULL;
    EVP_PKEY_CTX *making;
    EVP_PKEY *made = NULL;
    int is_made;

    if (!given_check(parameters) || pkey->der || !(selection & PUBLIC) || OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_RSA_D))
        return 0;
    has_private = has_private && selection & PRIVATE;
    making = context ? EVP_PKEY_CTX_new_from_name(context, pkey_name(pkey->kind), "provider!=kanal") : NULL;
    is_made = making && EVP_PKEY_fromdata_init(making) == 1
        && EVP_PKEY_fromdata(
               making, &made, has_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, (OSSL_PARAM *)parameters) == 1;
    EVP_PKEY_CTX_free(making);
    return is_made && pkey_adopt(pkey, made, has_private);
}

static const OSSL_PARAM *import_types(int selection) { return selection & PUBLIC ? export_types(PUBLIC) : NULL; }

static const char *ec_operation(int operation) { return operation == OSSL_OP_KEYEXCH ? "ECDH" : "ECDSA"; }

#define COMMON \
    ENTRY(OSSL_FUNC_KEYMGMT_LOAD, load), ENTRY(OSSL_FUNC_KEYMGMT_FREE, release), \
    ENTRY(OSSL_FUNC_KEYMGMT_DUP, duplicate), ENTRY(OSSL_FUNC_KEYMGMT_HAS, has), \
    ENTRY(OSSL_FUNC_KEYMGMT_MATCH, match), ENTRY(OSSL_FUNC_KEYMGMT_VALIDATE, validate), \
    ENTRY(OSSL_FUNC_KEYMGMT_GET_PARAMS, get), ENTRY(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, gettable)
#define EXPORTING \
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT, export_key), ENTRY(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, export_types), \
        ENTRY(OSSL_FUNC_KEYMGMT_IMPORT, import_key), ENTRY(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, import_types)

#define GENERATING(kind) \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_INIT, begin_##kind), ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, generation_set), \
        ENTRY(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, generation_settable), \
        ENTRY(OSSL_FUNC_KEYMGMT_GEN, generation_run), ENTRY(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, generation_end)
#define BEGIN(kind) \
    static void *begin_##kind(void *provider, int selection, const OSSL_PARAM parameters[]) { \
        return generation_begin(provider, selection, parameters, kind); \
    }
BEGIN(KIND_GOST_2001)
BEGIN(KIND_GOST_256)
BEGIN(KIND_GOST_512)
BEGIN(KIND_RSA)
BEGIN(KIND_EC)

#define GOST(which, kind) \
    static const OSSL_DISPATCH gost_##which[] = { \
        ENTRY(OSSL_FUNC_KEYMGMT_NEW, new_gost_##which), \
        COMMON, \
        ENTRY(OSSL_FUNC_KEYMGMT_EXPORT, export_key), \
        ENTRY(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, data_types), \
        ENTRY(OSSL_FUNC_KEYMGMT_IMPORT, import_gost), \
        ENTRY(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, data_types), \
        GENERATING(kind), \
        ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, generation_set_template), \
        END_OF_TABLE, \
    }
GOST(2001, KIND_GOST_2001);
GOST(256, KIND_GOST_256);
GOST(512, KIND_GOST_512);
static const OSSL_DISPATCH rsa[] = {
    ENTRY(OSSL_FUNC_KEYMGMT_NEW, new_rsa), COMMON, EXPORTING, GENERATING(KIND_RSA), END_OF_TABLE};
static const OSSL_DISPATCH ec[] = {
    ENTRY(OSSL_FUNC_KEYMGMT_NEW, new_ec),
    ENTRY(OSSL_FUNC_KEYMGMT_SET_PARAMS, set),
    ENTRY(OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, settable),
    COMMON,
    EXPORTING,
    GENERATING(KIND_EC),
    ENTRY(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, ec_operation),
    END_OF_TABLE};

const OSSL_ALGORITHM keymgmt_algorithms[] = {
    {GOST_256_NAMES, PROPERTIES, gost_256, "GOST R 34.10-2012, 256 bits"},
    {GOST_512_NAMES, PROPERTIES, gost_512, "GOST R 34.10-2012, 512 bits"},
    {GOST_2001_NAMES, PROPERTIES, gost_2001, "GOST R 34.10-2001"},
    {RSA_NAMES, PROPERTIES, rsa, "RSA keys of tokens"},
    {EC_NAMES, PROPERTIES, ec, "EC keys of tokens"},
    {NULL, NULL, NULL, NULL},
};
