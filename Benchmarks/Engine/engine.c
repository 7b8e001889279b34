/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine MODULE SLOT KEY THREADS
 *
 * Signatures a second with a GOST key of 256 bits, by the engine "kanal", which the configuration names, and by C_Sign
 * of the module, in turns in one process. KEY is the key's label; after "pkcs11:object=" the provider "kanal" is
 * measured in the engine's place. Prints the medians, and of the ratios of adjacent turns the median and the quartiles.
 */
#define OPENSSL_API_COMPAT 10101
#include <dlfcn.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/store.h>
#include <p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "failed: %s\n", #condition); \
            ERR_print_errors_fp(stderr); \
            exit(1); \
        } \
    } while (0)

enum { LARGEST_TURNS = 25, LARGEST_THREADS = 64 };

static CK_FUNCTION_LIST *functions;
static CK_OBJECT_HANDLE handle;
static EVP_PKEY *key;
static struct worker {
    CK_SESSION_HANDLE session;
    EVP_PKEY_CTX *context;
    long count;
} workers[LARGEST_THREADS];
static double until;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *by_engine(void *data) {
    struct worker *worker = data;
    unsigned char digest[32] = {1}, signature[64];
    for (; now() < until; worker->count++) {
        size_t length = sizeof signature;
        CHECK(EVP_PKEY_sign(worker->context, signature, &length, digest, sizeof digest) > 0);
    }
    return NULL;
}

static void *by_module(void *data) {
    struct worker *worker = data;
    unsigned char digest[32] = {1}, signature[64];
    for (; now() < until; worker->count++) {
        CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};
        CK_ULONG length = sizeof signature;
        CHECK(functions->C_SignInit(worker->session, &mechanism, handle) == CKR_OK);
        CHECK(functions->C_Sign(worker->session, digest, sizeof digest, signature, &length) == CKR_OK);
    }
    return NULL;
}

static double turn(void *(*work)(void *), int threads) {
    pthread_t started[LARGEST_THREADS];
    double start = now();
    long count = 0;
    /* Many threads wait for one token: in a short turn most of the signatures would be those that it ends with. */
    until = start + (threads > 1 ? 3 : 0.4);
    for (int i = 0; i < threads; i++) {
        workers[i].count = 0;
        CHECK(pthread_create(&started[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < threads; i++) {
        CHECK(pthread_join(started[i], NULL) == 0);
        count += workers[i].count;
    }
    return (double)count / (now() - start);
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static void find(const char *label, CK_SESSION_HANDLE session) {
    CK_OBJECT_CLASS kind = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE wanted[] = {{CKA_CLASS, &kind, sizeof kind}, {CKA_LABEL, (void *)label, strlen(label)}};
    CK_ULONG count = 0;
    CHECK(functions->C_FindObjectsInit(session, wanted, 2) == CKR_OK);
    CHECK(functions->C_FindObjects(session, &handle, 1, &count) == CKR_OK && count == 1);
    CHECK(functions->C_FindObjectsFinal(session) == CKR_OK);
}

static EVP_PKEY *load_by_provider(const char *uri) {
    OSSL_STORE_CTX *store = OSSL_STORE_open(uri, NULL, NULL, NULL, NULL);
    CHECK(store && OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1);
    OSSL_STORE_INFO *info = OSSL_STORE_load(store);
    CHECK(info);
    EVP_PKEY *loaded = OSSL_STORE_INFO_get1_PKEY(info);
    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
    return loaded;
}

int main(int argc, char **argv) {
    double engines[LARGEST_TURNS], modules[LARGEST_TURNS], ratios[LARGEST_TURNS];
    CHECK(argc == 5);
    int threads = atoi(argv[4]);
    CHECK(threads > 0 && threads <= LARGEST_THREADS);

    /* Engine and provider log the process in. */
    static const char prefix[] = "pkcs11:object=";
    const char *label = argv[3];
    ENGINE *engine = NULL;
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    if (strncmp(label, prefix, sizeof prefix - 1) == 0) {
        key = load_by_provider(label);
        label += sizeof prefix - 1;
    } else {
        engine = ENGINE_by_id("kanal");
        CHECK(engine && ENGINE_init(engine));
        key = ENGINE_load_private_key(engine, label, NULL, NULL);
    }
    CHECK(key);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
    CHECK(get && get(&functions) == CKR_OK);
    for (int i = 0; i < threads; i++) {
        CK_SLOT_ID slot = strtoul(argv[2], NULL, 10);
        CHECK(functions->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &workers[i].session) == CKR_OK);
        workers[i].context = EVP_PKEY_CTX_new(key, NULL);
        CHECK(workers[i].context && EVP_PKEY_sign_init(workers[i].context) > 0);
    }
    find(label, workers[0].session);
    int turns = threads > 1 ? 9 : LARGEST_TURNS;
    turn(by_engine, threads);
    /* What the machine does beside it comes slowly or in moments: turns are compared with their neighbours, each first in turn. */
    for (int i = 0; i < turns; i++) {
        if (i % 2)
            engines[i] = turn(by_engine, threads);
        modules[i] = turn(by_module, threads);
        if (i % 2 == 0)
            engines[i] = turn(by_engine, threads);
        ratios[i] = engines[i] / modules[i];
    }
    qsort(modules, (size_t)turns, sizeof modules[0], compare);
    qsort(engines, (size_t)turns, sizeof engines[0], compare);
    qsort(ratios, (size_t)turns, sizeof ratios[0], compare);
    printf(
        "%.1f | %.1f | %.3f | %.2f to %.2f\n", engines[turns / 2], modules[turns / 2], ratios[turns / 2], ratios[turns / 4],
        ratios[turns - 1 - turns / 4]);
    for (int i = 0; i < threads; i++) EVP_PKEY_CTX_free(workers[i].context);
    EVP_PKEY_free(key);
    if (engine)
        ENGINE_finish(engine);
    ENGINE_free(engine);
    return 0;
}
