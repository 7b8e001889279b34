/* SPDX-License-Identifier: Apache-2.0 */
/* A library context with the provider "kanal", a key by its URI, and a signature that is verified. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/store.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

/* A library context with the settings of OPENSSL_CONF. The default context would have the provider, too, and keep the module. */
static inline OSSL_LIB_CTX *begin_with_settings(void) {
    static char *file;
    OSSL_LIB_CTX *library;

    if (!file)
        file = getenv("OPENSSL_CONF");
    unsetenv("OPENSSL_CONF");
    library = OSSL_LIB_CTX_new();
    if (!OSSL_LIB_CTX_load_config(library, file))
        fail("the settings are not loaded");
    return library;
}

static inline EVP_PKEY *load(OSSL_LIB_CTX *library, const char *uri) {
    OSSL_STORE_CTX *store = OSSL_STORE_open_ex(uri, library, NULL, NULL, NULL, NULL, NULL, NULL);
    OSSL_STORE_INFO *info = store && OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) ? OSSL_STORE_load(store) : NULL;
    EVP_PKEY *key = info ? OSSL_STORE_INFO_get1_PKEY(info) : NULL;

    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
    return key;
}

static inline bool sign(OSSL_LIB_CTX *library, EVP_PKEY *key) {
    unsigned char signature[1024];
    size_t length = sizeof signature;
    EVP_MD_CTX *signing = EVP_MD_CTX_new();
    bool done = EVP_DigestSignInit_ex(signing, NULL, NULL, library, NULL, key, NULL) == 1
        && EVP_DigestSign(signing, signature, &length, (const unsigned char *)"message", 7) == 1;

    EVP_MD_CTX_free(signing);
    signing = EVP_MD_CTX_new();
    done = done && EVP_DigestVerifyInit_ex(signing, NULL, NULL, library, NULL, key, NULL) == 1
        && EVP_DigestVerify(signing, signature, length, (const unsigned char *)"message", 7) == 1;
    EVP_MD_CTX_free(signing);
    return done;
}

#endif
