/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derivation of keys, for OpenSSL: KDF_TREE_GOSTR3411_2012_256 (RFC 7836, 4.4). Its parameters are "key", "label", "seed" and, as
 * that of KBKDF, "r", the bits of the counter: 8 unless another is given.
 */
#include "provider.h"

#include <string.h>

/* OSSL_KDF_PARAM_KBKDF_R of OpenSSL 3.1 and later. */
#define COUNTER_BITS "r"

struct piece {
    unsigned char *octets;
    size_t length;
};

struct deriving {
    struct piece key, label, seed;
    unsigned int counter_bits;
};

static void *new(void *provider) {
    struct deriving *deriving = OPENSSL_zalloc(sizeof *deriving);

    (void)provider;
    if (deriving)
        deriving->counter_bits = 8;
    return deriving;
}

static void clear(struct piece *piece) {
    OPENSSL_clear_free(piece->octets, piece->length);
    *piece = (struct piece){NULL, 0};
}

static void reset(void *context) {
    struct deriving *deriving = context;

    clear(&deriving->key);
    clear(&deriving->label);
    clear(&deriving->seed);
    deriving->counter_bits = 8;
}

static void release(void *context) {
    if (context)
        reset(context);
    OPENSSL_free(context);
}

/* A piece of no octets is there, too. */
static int copy(struct piece *to, const void *octets, size_t length) {
    unsigned char *copied = OPENSSL_malloc(length + 1);

    if (!copied)
        return 0;
    if (length > 0)
        memcpy(copied, octets, length);
    clear(to);
    *to = (struct piece){copied, length};
    return 1;
}

static void *duplicate(void *context) {
    const struct deriving *from = context;
    struct deriving *to = new (NULL);

    if (!to)
        return NULL;
    to->counter_bits = from->counter_bits;
    if ((from->key.octets && !copy(&to->key, from->key.octets, from->key.length))
        || (from->label.octets && !copy(&to->label, from->label.octets, from->label.length))
        || (from->seed.octets && !copy(&to->seed, from->seed.octets, from->seed.length))) {
        release(to);
        return NULL;
    }
    return to;
}

static int set_piece(struct piece *piece, const OSSL_PARAM parameters[], const char *name) {
    const OSSL_PARAM *value = OSSL_PARAM_locate_const(parameters, name);
    const void *octets;
    size_t length;

    return !value || (OSSL_PARAM_get_octet_string_ptr(value, &octets, &length) && copy(piece, octets, length));
}

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct deriving *deriving = context;
    const OSSL_PARAM *value;
    unsigned int bits;

    if (!parameters)
        return 1;
    if (!given_check(parameters) || !set_piece(&deriving->key, parameters, OSSL_KDF_PARAM_KEY)
        || !set_piece(&deriving->label, parameters, OSSL_KDF_PARAM_LABEL)
        || !set_piece(&deriving->seed, parameters, OSSL_KDF_PARAM_SEED))
        return 0;
    if (!(value = OSSL_PARAM_locate_const(parameters, COUNTER_BITS)))
        return 1;
    if (!OSSL_PARAM_get_uint(value, &bits) || bits < 8 || bits > 32 || bits % 8 != 0)
        return FAIL(REASON_INPUT, "the counter has 8, 16, 24 or 32 bits");
    deriving->counter_bits = bits;
    return 1;
}

/* The octets that can be derived: fewer than 2^(bits of the counter) digests. */
static size_t greatest(const struct deriving *deriving) { return (((size_t)1 << deriving->counter_bits) - 1) * 32; }

static int derive(void *context, unsigned char *out, size_t length, const OSSL_PARAM parameters[]) {
    struct deriving *deriving = context;

    if (!set(deriving, parameters))
        return 0;
    if (!deriving->key.octets || !deriving->seed.octets || !deriving->label.octets)
        return FAIL(REASON_INPUT, "the key, the label or the seed is missing");
    if (!out || length < 1 || length > greatest(deriving))
        return FAIL(REASON_INPUT, "from 1 to %zu bytes can be derived", greatest(deriving));
    gost_kdf_tree(
        gost_best_path(), gost_hash_streebog256, (gost_octets){deriving->key.octets, deriving->key.length},
        (gost_octets){deriving->label.octets, deriving->label.length},
        (gost_octets){deriving->seed.octets, deriving->seed.length}, deriving->counter_bits / 8, out, length);
    return 1;
}

static int get(void *context, OSSL_PARAM parameters[]) {
    OSSL_PARAM *value;

    if (!wanted_check(parameters))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_KDF_PARAM_SIZE);
    return !value || OSSL_PARAM_set_size_t(value, greatest(context));
}

CONTEXT_LIST(
    list_settable, OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, NULL, 0),
    OSSL_PARAM_octet_string(OSSL_KDF_PARAM_LABEL, NULL, 0), OSSL_PARAM_octet_string(OSSL_KDF_PARAM_SEED, NULL, 0),
    OSSL_PARAM_uint(COUNTER_BITS, NULL))
CONTEXT_LIST(list_gettable, OSSL_PARAM_size_t(OSSL_KDF_PARAM_SIZE, NULL))

static const OSSL_DISPATCH kdf_tree[] = {
    ENTRY(OSSL_FUNC_KDF_NEWCTX, new),
    ENTRY(OSSL_FUNC_KDF_FREECTX, release),
    ENTRY(OSSL_FUNC_KDF_DUPCTX, duplicate),
    ENTRY(OSSL_FUNC_KDF_RESET, reset),
    ENTRY(OSSL_FUNC_KDF_DERIVE, derive),
    ENTRY(OSSL_FUNC_KDF_GET_CTX_PARAMS, get),
    ENTRY(OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS, list_gettable),
    ENTRY(OSSL_FUNC_KDF_SET_CTX_PARAMS, set),
    ENTRY(OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, list_settable),
    END_OF_TABLE,
};

const OSSL_ALGORITHM kdf_algorithms[] = {
    {"KDF_TREE_GOSTR3411_2012_256:kdf-tree-gost", PROPERTIES, kdf_tree, "keys by HMAC with GOST R 34.11-2012"},
    {NULL, NULL, NULL, NULL},
};
