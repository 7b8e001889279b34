/* SPDX-License-Identifier: Apache-2.0 */
/* The provider "kanal" without OpenSSL between: a provider of the program's own gets OpenSSL's core functions. */
#ifndef CORE_H
#define CORE_H

#include <dlfcn.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const OSSL_CORE_HANDLE *core;
static const OSSL_DISPATCH *of_core;
static OSSL_PROVIDER *own, *standard;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static int begin_own(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **context) {
    static const OSSL_DISPATCH none[] = {{0, NULL}};

    core = handle;
    of_core = in;
    *out = none;
    *context = (void *)handle;
    return 1;
}

/* The function by which the provider in a file begins. */
static OSSL_provider_init_fn *open_provider(const char *file) {
    void *library = dlopen(file, RTLD_NOW);
    OSSL_provider_init_fn *init = library ? (OSSL_provider_init_fn *)dlsym(library, "OSSL_provider_init") : NULL;

    if (!init || !OSSL_PROVIDER_add_builtin(NULL, "own", begin_own) || !(own = OSSL_PROVIDER_load(NULL, "own"))
        || !(standard = OSSL_PROVIDER_load(NULL, "default")))
        fail("the file is no provider, or there is none of the program's own");
    return init;
}

/* Of a table; NULL if it has no such function. */
static void (*function_of(const OSSL_DISPATCH *table, int number))(void) {
    for (; table->function_id; table++)
        if (table->function_id == number)
            return table->function;
    return NULL;
}

static void end_provider(const OSSL_DISPATCH *table, void *context) {
    ((void (*)(void *))function_of(table, OSSL_FUNC_PROVIDER_TEARDOWN))(context);
}

#endif
