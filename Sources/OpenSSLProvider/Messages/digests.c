/* SPDX-License-Identifier: Apache-2.0 */
/* GOST digests for OpenSSL. */
#include "provider.h"

#include <string.h>

/* The last is the first name of the digest in gost-engine's provider. */
static const struct {
    const char *names[4];
} known[gost_hash_count] = {
    [gost_hash_streebog256] =
        {{"md_gost12_256", "GOST R 34.11-2012 with 256 bit hash", "1.2.643.7.1.1.2.2", "id-tc26-gost3411-12-256"}},
    [gost_hash_streebog512] =
        {{"md_gost12_512", "GOST R 34.11-2012 with 512 bit hash", "1.2.643.7.1.1.2.3", "id-tc26-gost3411-12-512"}},
    [gost_hash_r341194] = {{"md_gost94", "GOST R 34.11-94", "1.2.643.2.2.9", "id-GostR3411-94"}},
};

const char *digest_name(gost_hash_name kind) { return known[kind].names[0]; }

bool digest_is(gost_hash_name kind, const char *name) {
    for (size_t i = 0; i < sizeof known->names / sizeof *known->names; i++)
        if (OPENSSL_strcasecmp(name, known[kind].names[i]) == 0)
            return true;
    return kind == gost_hash_streebog256 ? OPENSSL_strcasecmp(name, "streebog256") == 0
        : kind == gost_hash_streebog512  ? OPENSSL_strcasecmp(name, "streebog512") == 0
                            : false;
}

static gost_hash *new(gost_hash_name kind) {
    gost_hash *hash = OPENSSL_zalloc(sizeof *hash);

    if (hash)
        gost_hash_begin(gost_best_path(), hash, kind);
    return hash;
}
static void *new_256(void *provider) { return (void)provider, new(gost_hash_streebog256); }
static void *new_512(void *provider) { return (void)provider, new(gost_hash_streebog512); }
static void *new_94(void *provider) { return (void)provider, new(gost_hash_r341194); }

static void release(void *context) { OPENSSL_clear_free(context, sizeof(gost_hash)); }
static void *duplicate(void *context) { return OPENSSL_memdup(context, sizeof(gost_hash)); }

static int begin(void *context, const OSSL_PARAM parameters[]) {
    gost_hash *hash = context;

    (void)parameters;
    gost_hash_begin(gost_best_path(), hash, hash->name);
    return 1;
}

static int update(void *context, const unsigned char *data, size_t length) {
    if (length)
        gost_hash_update(context, data, length);
    return 1;
}

static int end(void *context, unsigned char *digest, size_t *length, size_t room) {
    gost_hash *hash = context;
    size_t size = gost_hash_size(hash->name);
    gost_hash_name kind = hash->name;

    if (room < size)
        return FAIL(REASON_INPUT, "the digest has %zu bytes, and there is room for %zu", size, room);
    gost_hash_end(hash, digest);
    hash->name = kind;
    *length = size;
    return 1;
}

static int get(OSSL_PARAM parameters[], gost_hash_name kind) {
    OSSL_PARAM *wanted;

    if (!wanted_check(parameters))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_DIGEST_PARAM_BLOCK_SIZE))
        && !OSSL_PARAM_set_size_t(wanted, gost_hash_block_size(kind)))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_DIGEST_PARAM_SIZE))
        && !OSSL_PARAM_set_size_t(wanted, gost_hash_size(kind)))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_DIGEST_PARAM_XOF)) && !OSSL_PARAM_set_int(wanted, 0))
        return 0;
    if ((wanted = OSSL_PARAM_locate(parameters, OSSL_DIGEST_PARAM_ALGID_ABSENT)) && !OSSL_PARAM_set_int(wanted, 1))
        return 0;
    return 1;
}
static int get_256(OSSL_PARAM parameters[]) { return get(parameters, gost_hash_streebog256); }
static int get_512(OSSL_PARAM parameters[]) { return get(parameters, gost_hash_streebog512); }
static int get_94(OSSL_PARAM parameters[]) { return get(parameters, gost_hash_r341194); }

PROVIDER_LIST(
    gettable, OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_BLOCK_SIZE, NULL), OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_SIZE, NULL),
    OSSL_PARAM_int(OSSL_DIGEST_PARAM_XOF, NULL), OSSL_PARAM_int(OSSL_DIGEST_PARAM_ALGID_ABSENT, NULL))

#define DIGEST(which) \
    static const OSSL_DISPATCH digest_##which[] = { \
        ENTRY(OSSL_FUNC_DIGEST_NEWCTX, new_##which), ENTRY(OSSL_FUNC_DIGEST_FREECTX, release), \
        ENTRY(OSSL_FUNC_DIGEST_DUPCTX, duplicate), ENTRY(OSSL_FUNC_DIGEST_INIT, begin), \
        ENTRY(OSSL_FUNC_DIGEST_UPDATE, update), ENTRY(OSSL_FUNC_DIGEST_FINAL, end), \
        ENTRY(OSSL_FUNC_DIGEST_GET_PARAMS, get_##which), ENTRY(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, gettable), \
        END_OF_TABLE, \
    }
DIGEST(256);
DIGEST(512);
DIGEST(94);

const OSSL_ALGORITHM digest_algorithms[] = {
    {"md_gost12_256:GOST R 34.11-2012 with 256 bit hash:streebog256:1.2.643.7.1.1.2.2", PROPERTIES, digest_256,
     "GOST R 34.11-2012, 256 bits"},
    {"md_gost12_512:GOST R 34.11-2012 with 512 bit hash:streebog512:1.2.643.7.1.1.2.3", PROPERTIES, digest_512,
     "GOST R 34.11-2012, 512 bits"},
    {"md_gost94:GOST R 34.11-94:1.2.643.2.2.9", PROPERTIES, digest_94, "GOST R 34.11-94"},
    {NULL, NULL, NULL, NULL},
};
