/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GOST keys. The engine "gost" has digests, ciphers, encodings, and methods for keys in memory. It stays the default:
 * OpenSSL finds our methods only through keys of a token, which name this engine. They are copies of gost's methods,
 * with gost's data in each context, because other parts of gost use the data; only operations with the private key are
 * done here. UKM of an agreement is kept in a list of contexts.
 */
#define _GNU_SOURCE
#include "engine.h"

#include <dlfcn.h>
#include <string.h>

static const int types[] = {NID_id_GostR3410_2001, NID_id_GostR3410_2012_256, NID_id_GostR3410_2012_512};
enum { TYPES = sizeof types / sizeof types[0] };
static EVP_PKEY_METHOD *methods[TYPES];

/* The functions of gost's methods; all types share them, apart from settings in words. */
static struct {
    int (*copy)(EVP_PKEY_CTX *, const EVP_PKEY_CTX *);
    void (*cleanup)(EVP_PKEY_CTX *);
    int (*set)(EVP_PKEY_CTX *, int, int, void *);
    int (*set_text[TYPES])(EVP_PKEY_CTX *, const char *, const char *);
    int (*sign)(EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
    int (*decrypt)(EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
    int (*derive)(EVP_PKEY_CTX *, unsigned char *, size_t *);
} gosts;

/* The contexts that have been given UKM, guarded by "state". */
struct told {
    struct told *next;
    const EVP_PKEY_CTX *context;
    struct agreement agreement;
};
static struct told *list;

bool is_gost(int type) { return type == types[0] || type == types[1] || type == types[2]; }

/* The engine gost, in use; NULL with an error. */
static ENGINE *gost_engine(int type) {
    ENGINE *gost = ENGINE_get_pkey_meth_engine(type);

    if (!gost)
        FAIL(REASON_GOST, "install it (Debian: libengine-gost-openssl)");
    return gost;
}

/* Loads the engine gost, and makes it the default of its algorithms, unless the program did that. */
int gost_prepare(void) {
    ENGINE *gost = ENGINE_get_pkey_meth_engine(NID_id_GostR3410_2012_256);

    if (gost) {
        ENGINE_finish(gost);
        return 1;
    }
    ERR_set_mark();
    /* Not from a changed root directory, where a stranger may have put it. */
    gost = process_root_has_changed() ? NULL : ENGINE_by_id("gost");
    if (gost && ENGINE_init(gost)) {
        ENGINE_set_default(gost, ENGINE_METHOD_ALL);
        ENGINE_finish(gost);
    }
    ENGINE_free(gost);
    ERR_pop_to_mark();
    gost = gost_engine(NID_id_GostR3410_2012_256);
    ENGINE_finish(gost);
    return gost != NULL;
}

static struct key *key_of(EVP_PKEY_CTX *context) {
    EVP_PKEY *pkey = EVP_PKEY_CTX_get0_pkey(context);
    return pkey ? ec_key(EVP_PKEY_get0(pkey)) : NULL;
}

static struct agreement agreement_of(const EVP_PKEY_CTX *context) {
    struct agreement agreement = {0};

    state_lock();
    for (struct told *told = list; told; told = told->next)
        if (told->context == context)
            agreement = told->agreement;
    state_unlock();
    return agreement;
}

static void forget(const EVP_PKEY_CTX *context) {
    struct told *old = NULL;

    state_lock();
    for (struct told **told = &list; *told; told = &(*told)->next)
        if ((*told)->context == context) {
            old = *told;
            *told = old->next;
            break;
        }
    state_unlock();
    OPENSSL_clear_free(old, sizeof *old);
}

static int remember(const EVP_PKEY_CTX *context, const void *ukm, size_t length) {
    struct told *told;

    forget(context);
    if (length == 0)
        return 1;
    if (length > sizeof told->agreement.ukm || !ukm)
        return FAIL(REASON_INPUT, "UKM of %zu bytes", length);
    told = OPENSSL_zalloc(sizeof *told);
    if (!told)
        return NO_MEMORY();
    told->context = context;
    memcpy(told->agreement.ukm, ukm, length);
    told->agreement.ukm_length = length;
    state_lock();
    told->next = list;
    list = told;
    state_unlock();
    return 1;
}

static int copy(EVP_PKEY_CTX *to, const EVP_PKEY_CTX *from) {
    struct agreement agreement = agreement_of(from);
    return gosts.copy(to, from) && remember(to, agreement.ukm, agreement.ukm_length);
}

static void cleanup(EVP_PKEY_CTX *context) {
    forget(context);
    gosts.cleanup(context);
}

static int set(EVP_PKEY_CTX *context, int type, int number, void *pointer) {
    if (type == EVP_PKEY_CTRL_SET_IV && !remember(context, pointer, number < 0 ? 0 : (size_t)number))
        return 0;
    return gosts.set(context, type, number, pointer);
}

static int set_text(EVP_PKEY_CTX *context, const char *type, const char *value, int which) {
    long length;
    unsigned char *octets;
    int done;

    if (strcmp(type, "ukmhex") != 0)
        return gosts.set_text[which] ? gosts.set_text[which](context, type, value) : -2;
    octets = value ? OPENSSL_hexstr2buf(value, &length) : NULL;
    done = octets && length <= 64 ? set(context, EVP_PKEY_CTRL_SET_IV, (int)length, octets)
                                  : FAIL(REASON_INPUT, "ukmhex has to be up to 64 bytes in hexadecimal");
    OPENSSL_free(octets);
    return done;
}

static int set_text_2001(EVP_PKEY_CTX *context, const char *type, const char *value) {
    return set_text(context, type, value, 0);
}
static int set_text_256(EVP_PKEY_CTX *context, const char *type, const char *value) {
    return set_text(context, type, value, 1);
}
static int set_text_512(EVP_PKEY_CTX *context, const char *type, const char *value) {
    return set_text(context, type, value, 2);
}

static int sign(
    EVP_PKEY_CTX *context, unsigned char *signature, size_t *length, const unsigned char *digest,
    size_t digest_length) {
    struct key *key = key_of(context);
    size_t size;
    CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};

    if (!key)
        return gosts.sign(context, signature, length, digest, digest_length);
    size = key->object.type == CKK_GOSTR3410_512 ? 128 : 64;
    if (!signature) {
        *length = size;
        return 1;
    }
    if (*length < size)
        return FAIL(REASON_INPUT, "the signature has %zu bytes, and there is room for %zu", size, *length);
    if (digest_length != size / 2)
        return FAIL(REASON_INPUT, "the digest has %zu bytes instead of %zu", digest_length, size / 2);
    if (size == 128)
        mechanism.mechanism = CKM_GOSTR3410_512;
    if (!key_sign(key, &mechanism, digest, digest_length, signature, size))
        return 0;
    *length = size;
    return 1;
}

/* Both public halves of an agreement, in memory of libcrypto; the other side's may be missing. */
struct halves {
    unsigned char *own_der, *peer_der;
    struct info own, peer;
};
static struct halves take_halves(EVP_PKEY_CTX *context) {
    struct halves halves;

    halves.own_der = public_take(EVP_PKEY_CTX_get0_pkey(context), &halves.own);
    halves.peer_der = public_take(EVP_PKEY_CTX_get0_peerkey(context), &halves.peer);
    return halves;
}
static void free_halves(struct halves *halves) {
    OPENSSL_free(halves->own_der);
    OPENSSL_free(halves->peer_der);
}

static int decrypt(
    EVP_PKEY_CTX *context, unsigned char *result, size_t *length, const unsigned char *data, size_t data_length) {
    struct key *key = key_of(context);
    struct agreement agreement;
    struct halves halves;
    int done;

    if (!key)
        return gosts.decrypt(context, result, length, data, data_length);
    agreement = agreement_of(context);
    halves = take_halves(context);
    done = halves.own_der
        && transport_decrypt(
               key, &halves.own, &agreement, halves.peer_der ? &halves.peer : NULL, point_accepts, data, data_length,
               result, length);
    free_halves(&halves);
    return done;
}

static int derive(EVP_PKEY_CTX *context, unsigned char *secret, size_t *length) {
    struct key *key = key_of(context);
    struct agreement agreement;
    struct halves halves;
    int done;

    if (!key)
        return gosts.derive(context, secret, length);
    agreement = agreement_of(context);
    halves = take_halves(context);
    done = halves.own_der
        && transport_derive(key, &halves.own, &agreement, halves.peer_der ? &halves.peer : NULL, point_accepts, secret, length);
    free_halves(&halves);
    return done;
}

/* Copies gost's functions; they stay in memory after the engine gost ends. */
static EVP_PKEY_METHOD *make(int which) {
    static int (*const set_texts[TYPES])(EVP_PKEY_CTX *, const char *, const char *) = {
        set_text_2001, set_text_256, set_text_512};
    ENGINE *gost = gost_engine(types[which]);
    const EVP_PKEY_METHOD *theirs = gost ? ENGINE_get_pkey_meth(gost, types[which]) : NULL;
    EVP_PKEY_METHOD *method = theirs ? EVP_PKEY_meth_new(types[which], 0) : NULL;
    int (*begin_sign)(EVP_PKEY_CTX *), (*begin_decrypt)(EVP_PKEY_CTX *), (*begin_derive)(EVP_PKEY_CTX *);
    Dl_info place;

    if (method) {
        EVP_PKEY_meth_get_copy(theirs, &gosts.copy);
        EVP_PKEY_meth_get_cleanup(theirs, &gosts.cleanup);
        EVP_PKEY_meth_get_ctrl(theirs, &gosts.set, &gosts.set_text[which]);
        EVP_PKEY_meth_get_sign(theirs, &begin_sign, &gosts.sign);
        EVP_PKEY_meth_get_decrypt(theirs, &begin_decrypt, &gosts.decrypt);
        EVP_PKEY_meth_get_derive(theirs, &begin_derive, &gosts.derive);
        EVP_PKEY_meth_copy(method, theirs);
        EVP_PKEY_meth_set_copy(method, copy);
        EVP_PKEY_meth_set_cleanup(method, cleanup);
        EVP_PKEY_meth_set_ctrl(method, set, set_texts[which]);
        EVP_PKEY_meth_set_sign(method, begin_sign, sign);
        EVP_PKEY_meth_set_decrypt(method, begin_decrypt, decrypt);
        EVP_PKEY_meth_set_derive(method, begin_derive, derive);
        if (!gosts.copy || !gosts.cleanup || !gosts.set || !gosts.sign || !gosts.decrypt || !gosts.derive
            || !dladdr((void *)gosts.set, &place) || !dlopen(place.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) {
            FAIL(REASON_GOST, "the engine gost lacks a method; use a newer version of it");
            EVP_PKEY_meth_free(method);
            method = NULL;
        }
    }
    ENGINE_finish(gost);
    return method;
}

/* Held while the methods are made. Another thread may hold it while the process is forked. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static void in_child(void) { pthread_mutex_init(&making, NULL); }
static void prepare_forks(void) { pthread_atfork(NULL, NULL, in_child); }

/* Lists no types, so that OpenSSL does not make the engine a default; each type has a method nevertheless. */
int gost_methods(ENGINE *engine, EVP_PKEY_METHOD **method, const int **listed, int type) {
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;

    (void)engine;
    if (!method) {
        *listed = types;
        return 0;
    }
    pthread_once(&prepared, prepare_forks);
    *method = NULL;
    for (int i = 0; i < TYPES; i++) {
        if (types[i] != type)
            continue;
        pthread_mutex_lock(&making);
        if (!methods[i])
            methods[i] = make(i);
        *method = methods[i];
        pthread_mutex_unlock(&making);
    }
    return *method != NULL;
}

int gost_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key) {
    return ec_set_key((EC_KEY *)EVP_PKEY_get0(pkey), key) && EVP_PKEY_set1_engine(pkey, engine);
}
