/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parameters FILE
 *
 * Calls each function of the provider in FILE that accepts parameters with lists of them: without a value and with a length, with
 * a length of 0, of each type, texts without an end; and texts that cannot be to its ciphers. Nothing of it does harm, and a function that sets refuses a value that is
 * not there. Functions are called as OpenSSL's core does.
 */
#include "core.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdint.h>
#include <string.h>

static const OSSL_DISPATCH *of_provider;
static void *provider;
static long tried;

/* ---- Lists ---- */

/* A function with a list; the others of its arguments are in "call". */
struct call {
    const char *name;
    int (*run)(struct call *call, OSSL_PARAM *list);
    const OSSL_DISPATCH *table;
    int number, selection;
    void *context, *key;
    /* Only the length of this parameter may be returned. */
    const char *length_alone;
};

static void try(struct call *call, bool sets, const char *name, unsigned type, void *data, size_t size) {
    OSSL_PARAM list[] = {{name, type, data, size, OSSL_PARAM_UNMODIFIED}, OSSL_PARAM_END};
    int done = call->run(call, list);

    tried++;
    ERR_clear_error();
    if (sets && done == 1 && !data && size > 0 && (!call->length_alone || strcmp(name, call->length_alone) != 0)) {
        fprintf(stderr, "%s takes %s of %zu bytes that are not there\n", call->name, name, size);
        exit(1);
    }
}

static void try_all(struct call *call, bool sets, const OSSL_PARAM *names) {
    static const size_t sizes[] = {0, 1, 4, 8, 16, 32, 64, 257};

    for (; names && names->key; names++)
        for (unsigned type = 0; type <= OSSL_PARAM_OCTET_PTR + 1; type++) {
            bool is_pointer = type == OSSL_PARAM_UTF8_PTR || type == OSSL_PARAM_OCTET_PTR;
            /* OpenSSL's own functions write pointers, whatever the length. */
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                size_t room = is_pointer ? sizeof(void *) : sizes[i];
                void *data = malloc(room ? room : 1);
                memset(data, 'A', room);
                if (is_pointer)
                    memset(data, 0, room);
                try(call, sets, names->key, type, data, sizes[i]);
                free(data);
                try(call, sets, names->key, type, NULL, sizes[i]);
            }
            try(call, sets, names->key, type, NULL, SIZE_MAX);
        }
}

/* ---- Functions ---- */

static int run_context(struct call *call, OSSL_PARAM *list) {
    return ((int (*)(void *, OSSL_PARAM *))function_of(call->table, call->number))(call->context, list);
}
static int run_static(struct call *call, OSSL_PARAM *list) {
    return ((int (*)(OSSL_PARAM *))function_of(call->table, call->number))(list);
}
static int run_cipher(struct call *call, OSSL_PARAM *list) {
    static const unsigned char key[32] = {1}, vector[16] = {2};
    return ((int (*)(void *, const unsigned char *, size_t, const unsigned char *, size_t, OSSL_PARAM *))function_of(
        call->table, call->number))(call->context, key, sizeof key, vector, (size_t)call->selection, list);
}
static int run_mac(struct call *call, OSSL_PARAM *list) {
    static const unsigned char key[32] = {1};
    return ((int (*)(void *, const unsigned char *, size_t, OSSL_PARAM *))function_of(call->table, call->number))(
        call->context, key, sizeof key, list);
}
static int run_kdf(struct call *call, OSSL_PARAM *list) {
    unsigned char key[40];
    return ((int (*)(void *, unsigned char *, size_t, OSSL_PARAM *))function_of(call->table, call->number))(
        call->context, key, sizeof key, list);
}
static int run_key(struct call *call, OSSL_PARAM *list) {
    return ((int (*)(void *, void *, OSSL_PARAM *))function_of(call->table, call->number))(call->context, call->key, list);
}
static int run_digest_key(struct call *call, OSSL_PARAM *list) {
    return ((int (*)(void *, const char *, void *, OSSL_PARAM *))function_of(call->table, call->number))(
        call->context, NULL, call->key, list);
}
/* Each key is new, and what was generated is not wanted. */
static int run_import(struct call *call, OSSL_PARAM *list) {
    void *key = ((void *(*)(void *))function_of(call->table, OSSL_FUNC_KEYMGMT_NEW))(provider);
    int done = ((int (*)(void *, int, OSSL_PARAM *))function_of(call->table, call->number))(key, call->selection, list);

    ((void (*)(void *))function_of(call->table, OSSL_FUNC_KEYMGMT_FREE))(key);
    return done;
}
static int run_generation(struct call *call, OSSL_PARAM *list) {
    void *made = ((void *(*)(void *, int, OSSL_PARAM *))function_of(call->table, OSSL_FUNC_KEYMGMT_GEN_INIT))(
        provider, OSSL_KEYMGMT_SELECT_KEYPAIR, list);

    if (made)
        ((void (*)(void *))function_of(call->table, OSSL_FUNC_KEYMGMT_GEN_CLEANUP))(made);
    return made != NULL;
}

/* Names of parameters, which a function of the table lists. */
static const OSSL_PARAM *listed(const OSSL_DISPATCH *table, int number, void *context, bool has_context) {
    void (*function)(void) = function_of(table, number);

    if (!function)
        return NULL;
    return has_context ? ((const OSSL_PARAM *(*)(void *, void *))function)(context, provider)
                       : ((const OSSL_PARAM *(*)(void *))function)(provider);
}

/* A private key in memory of GOST, or a public one of another kind. */
static void *key_of(const OSSL_ALGORITHM *algorithm) {
    const OSSL_DISPATCH *table = algorithm->implementation;
    const char *name = strncmp(algorithm->algorithm_names, "RSA", 3) == 0 ? "RSA"
        : strncmp(algorithm->algorithm_names, "EC", 2) == 0               ? "EC"
                                                                          : NULL;
    void *key;

    if (!name) {
        void *making = ((void *(*)(void *, int, const OSSL_PARAM *))function_of(table, OSSL_FUNC_KEYMGMT_GEN_INIT))(
            provider, OSSL_KEYMGMT_SELECT_KEYPAIR, NULL);
        key = ((void *(*)(void *, void *, void *))function_of(table, OSSL_FUNC_KEYMGMT_GEN))(making, NULL, NULL);
        ((void (*)(void *))function_of(table, OSSL_FUNC_KEYMGMT_GEN_CLEANUP))(making);
    } else {
        EVP_PKEY *other = strcmp(name, "RSA") == 0 ? EVP_PKEY_Q_keygen(NULL, NULL, name, (size_t)2048)
                                                   : EVP_PKEY_Q_keygen(NULL, NULL, name, "P-256");
        OSSL_PARAM *data = NULL;
        key = ((void *(*)(void *))function_of(table, OSSL_FUNC_KEYMGMT_NEW))(provider);
        if (EVP_PKEY_todata(other, EVP_PKEY_PUBLIC_KEY, &data) != 1
            || !((int (*)(void *, int, OSSL_PARAM *))function_of(table, OSSL_FUNC_KEYMGMT_IMPORT))(
                key, OSSL_KEYMGMT_SELECT_PUBLIC_KEY | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, data))
            fail("no public key");
        OSSL_PARAM_free(data);
        EVP_PKEY_free(other);
    }
    if (!key)
        fail("no key");
    return key;
}

/* ---- Operations ---- */

/* Numbers of functions of an operation; 0 for none. */
struct operation {
    int number, new, free, set, settable, get, gettable;
    struct {
        int number;
        int (*run)(struct call *, OSSL_PARAM *);
    } begin[4];
    int fixed, fixed_list;
};
static const struct operation operations[] = {
    {OSSL_OP_DIGEST, OSSL_FUNC_DIGEST_NEWCTX, OSSL_FUNC_DIGEST_FREECTX, OSSL_FUNC_DIGEST_SET_CTX_PARAMS,
     OSSL_FUNC_DIGEST_SETTABLE_CTX_PARAMS, OSSL_FUNC_DIGEST_GET_CTX_PARAMS, OSSL_FUNC_DIGEST_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_DIGEST_INIT, run_context}}, OSSL_FUNC_DIGEST_GET_PARAMS, OSSL_FUNC_DIGEST_GETTABLE_PARAMS},
    {OSSL_OP_CIPHER, OSSL_FUNC_CIPHER_NEWCTX, OSSL_FUNC_CIPHER_FREECTX, OSSL_FUNC_CIPHER_SET_CTX_PARAMS,
     OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, OSSL_FUNC_CIPHER_GET_CTX_PARAMS, OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_CIPHER_ENCRYPT_INIT, run_cipher}, {OSSL_FUNC_CIPHER_DECRYPT_INIT, run_cipher}},
     OSSL_FUNC_CIPHER_GET_PARAMS, OSSL_FUNC_CIPHER_GETTABLE_PARAMS},
    {OSSL_OP_MAC, OSSL_FUNC_MAC_NEWCTX, OSSL_FUNC_MAC_FREECTX, OSSL_FUNC_MAC_SET_CTX_PARAMS,
     OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, OSSL_FUNC_MAC_GET_CTX_PARAMS, OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_MAC_INIT, run_mac}}, OSSL_FUNC_MAC_GET_PARAMS, OSSL_FUNC_MAC_GETTABLE_PARAMS},
    {OSSL_OP_KDF, OSSL_FUNC_KDF_NEWCTX, OSSL_FUNC_KDF_FREECTX, OSSL_FUNC_KDF_SET_CTX_PARAMS,
     OSSL_FUNC_KDF_SETTABLE_CTX_PARAMS, OSSL_FUNC_KDF_GET_CTX_PARAMS, OSSL_FUNC_KDF_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_KDF_DERIVE, run_kdf}}, 0, 0},
    {OSSL_OP_SIGNATURE, OSSL_FUNC_SIGNATURE_NEWCTX, OSSL_FUNC_SIGNATURE_FREECTX, OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS,
     OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_SIGNATURE_SIGN_INIT, run_key}, {OSSL_FUNC_SIGNATURE_VERIFY_INIT, run_key},
      {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, run_digest_key}, {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, run_digest_key}}, 0, 0},
    {OSSL_OP_ASYM_CIPHER, OSSL_FUNC_ASYM_CIPHER_NEWCTX, OSSL_FUNC_ASYM_CIPHER_FREECTX, OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS,
     OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS,
     OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, run_key}, {OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, run_key}}, 0, 0},
    {OSSL_OP_KEYEXCH, OSSL_FUNC_KEYEXCH_NEWCTX, OSSL_FUNC_KEYEXCH_FREECTX, OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS,
     OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS, OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS,
     {{OSSL_FUNC_KEYEXCH_INIT, run_key}}, 0, 0},
    {OSSL_OP_ENCODER, OSSL_FUNC_ENCODER_NEWCTX, OSSL_FUNC_ENCODER_FREECTX, OSSL_FUNC_ENCODER_SET_CTX_PARAMS,
     OSSL_FUNC_ENCODER_SETTABLE_CTX_PARAMS, 0, 0, {{0, NULL}}, 0, 0},
};

static const OSSL_ALGORITHM *query(int operation) {
    int no_cache;
    return ((const OSSL_ALGORITHM *(*)(void *, int, int *))function_of(of_provider, OSSL_FUNC_PROVIDER_QUERY_OPERATION))(
        provider, operation, &no_cache);
}

/* The manager of keys for an algorithm: both lists are in one order, but for the names of EC. */
static const OSSL_ALGORITHM *manager_of(const char *names) {
    for (const OSSL_ALGORITHM *one = query(OSSL_OP_KEYMGMT); one->algorithm_names; one++)
        if (strncmp(one->algorithm_names, names, 2) == 0 && (names[0] != '1' || strcmp(one->algorithm_names, names) == 0))
            return one;
    fail("no manager of keys");
    return NULL;
}

/* A text that cannot be is refused, before a byte of it is read or written. */
static void try_texts(const struct call *call) {
    int (*update)(void *, unsigned char *, size_t *, size_t, const unsigned char *, size_t) =
        (int (*)(void *, unsigned char *, size_t *, size_t, const unsigned char *, size_t))function_of(
            call->table, OSSL_FUNC_CIPHER_UPDATE);
    static const unsigned char key[32] = {1}, vector[16] = {2};
    unsigned char text[80] = {0};
    size_t length = 0;
    bool begins = false;

    for (size_t size = 0; size <= 16 && !begins; size += 4)
        begins = ((int (*)(void *, const unsigned char *, size_t, const unsigned char *, size_t, OSSL_PARAM *))function_of(
            call->table, OSSL_FUNC_CIPHER_ENCRYPT_INIT))(call->context, key, sizeof key, size ? vector : NULL, size, NULL);
    if (!begins)
        fail("a cipher does not begin");
    for (size_t less = 1; less <= 64; less++)
        if (update(call->context, text, &length, sizeof text, text, (size_t)0 - less))
            fail("a text is longer than memory");
    if (update(call->context, NULL, &length, sizeof text, text, 64) && !strstr(call->name, "mgm"))
        fail("a text is written to nowhere");
    if (update(call->context, text, &length, sizeof text, NULL, 64))
        fail("a text is read from nowhere");
    if (update(call->context, text + 1, &length, sizeof text, text, 64))
        fail("a text is written over itself");
    ERR_clear_error();
}

static void try_operation(const struct operation *operation, const OSSL_ALGORITHM *algorithm) {
    const OSSL_DISPATCH *table = algorithm->implementation;
    bool wants_key = operation->number == OSSL_OP_SIGNATURE || operation->number == OSSL_OP_ASYM_CIPHER
        || operation->number == OSSL_OP_KEYEXCH;
    const OSSL_ALGORITHM *manager = wants_key ? manager_of(algorithm->algorithm_names) : NULL;
    /* A new context of a signature gets names of properties, too, which change nothing. */
    void *context = ((void *(*)(void *, const char *))function_of(table, operation->new))(provider, NULL);
    const OSSL_PARAM *settable = listed(table, operation->settable, context, operation->number != OSSL_OP_ENCODER),
                     *gettable = operation->gettable ? listed(table, operation->gettable, context, true) : NULL;
    struct call call = {.name = algorithm->algorithm_names, .table = table, .context = context};

    if (operation->number == OSSL_OP_CIPHER && strstr(algorithm->algorithm_names, "mgm"))
        call.length_alone = OSSL_CIPHER_PARAM_AEAD_TAG;
    call.key = manager ? key_of(manager) : NULL;
    if (operation->number == OSSL_OP_CIPHER)
        try_texts(&call);
    /* Without a key, and with one. */
    for (int i = 0; i <= 4; i++) {
        if (settable && function_of(table, operation->set))
            call.run = run_context, call.number = operation->set, try_all(&call, i > 0 || !wants_key, settable);
        if (gettable)
            call.run = run_context, call.number = operation->get, try_all(&call, false, gettable);
        if (i == 4 || !operation->begin[i].number || !function_of(table, operation->begin[i].number))
            continue;
        call.run = operation->begin[i].run;
        call.number = operation->begin[i].number;
        for (call.selection = 0; call.selection <= (operation->number == OSSL_OP_CIPHER ? 16 : 0); call.selection += 4) {
            try_all(&call, true, settable);
            call.run(&call, NULL);
        }
        ERR_clear_error();
    }
    if (operation->fixed && function_of(table, operation->fixed)) {
        call.run = run_static;
        call.number = operation->fixed;
        if (function_of(table, operation->fixed_list))
            try_all(&call, false, listed(table, operation->fixed_list, NULL, false));
        else
            try_all(&call, false, settable), try_all(&call, false, gettable);
    }
    ((void (*)(void *))function_of(table, operation->free))(context);
    if (manager)
        ((void (*)(void *))function_of(manager->implementation, OSSL_FUNC_KEYMGMT_FREE))(call.key);
}

static void try_manager(const OSSL_ALGORITHM *algorithm) {
    const OSSL_DISPATCH *table = algorithm->implementation;
    const OSSL_PARAM *types = ((const OSSL_PARAM *(*)(int))function_of(table, OSSL_FUNC_KEYMGMT_IMPORT_TYPES))(
        OSSL_KEYMGMT_SELECT_PUBLIC_KEY);
    struct call call = {.name = algorithm->algorithm_names, .table = table, .context = key_of(algorithm)};
    void *making;

    call.run = run_context;
    call.number = OSSL_FUNC_KEYMGMT_GET_PARAMS;
    try_all(&call, false, listed(table, OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, NULL, false));
    if (function_of(table, call.number = OSSL_FUNC_KEYMGMT_SET_PARAMS))
        try_all(&call, true, listed(table, OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, NULL, false));
    call.run = run_import;
    call.number = OSSL_FUNC_KEYMGMT_IMPORT;
    for (int i = 0; i < 3; i++) {
        static const int selections[] = {
            OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, OSSL_KEYMGMT_SELECT_KEYPAIR};
        call.selection = selections[i];
        try_all(&call, true, types);
        /* What is not there comes behind a group that is. */
        for (const OSSL_PARAM *type = types; type && type->key; type++) {
            OSSL_PARAM list[] = {
                OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"A", 0),
                {type->key, type->data_type, NULL, 32, 0}, OSSL_PARAM_END};
            if (run_import(&call, list) == 1 && strcmp(type->key, OSSL_PKEY_PARAM_GROUP_NAME) != 0)
                fail("a key is imported of a value that is not there");
            ERR_clear_error();
        }
    }
    if (function_of(table, OSSL_FUNC_KEYMGMT_GEN_INIT)) {
        const OSSL_PARAM *settable;
        making = ((void *(*)(void *, int, const OSSL_PARAM *))function_of(table, OSSL_FUNC_KEYMGMT_GEN_INIT))(
            provider, OSSL_KEYMGMT_SELECT_KEYPAIR, NULL);
        settable = listed(table, OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, making, true);
        call.run = run_generation;
        try_all(&call, true, settable);
        ((void (*)(void *))function_of(table, OSSL_FUNC_KEYMGMT_FREE))(call.context);
        call.context = making;
        call.run = run_context;
        call.number = OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS;
        try_all(&call, true, settable);
        ((void (*)(void *))function_of(table, OSSL_FUNC_KEYMGMT_GEN_CLEANUP))(making);
    } else {
        ((void (*)(void *))function_of(table, OSSL_FUNC_KEYMGMT_FREE))(call.context);
    }
}

static void try_store(const OSSL_ALGORITHM *algorithm) {
    const OSSL_DISPATCH *table = algorithm->implementation;
    struct call call = {.name = "store", .table = table, .run = run_context, .number = OSSL_FUNC_STORE_SET_CTX_PARAMS};

    call.context = ((void *(*)(void *, const char *))function_of(table, OSSL_FUNC_STORE_OPEN))(provider, "pkcs11:");
    try_all(&call, true, listed(table, OSSL_FUNC_STORE_SETTABLE_CTX_PARAMS, NULL, false));
    ((int (*)(void *))function_of(table, OSSL_FUNC_STORE_CLOSE))(call.context);
}

int main(int argc, char **argv) {
    OSSL_provider_init_fn *init = argc == 2 ? open_provider(argv[1]) : NULL;
    struct call call = {.name = "provider", .run = run_context, .number = OSSL_FUNC_PROVIDER_GET_PARAMS};

    if (!init || !init(core, of_core, &of_provider, &provider))
        fail("the provider does not begin");
    call.table = of_provider;
    call.context = provider;
    try_all(&call, false, listed(of_provider, OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, NULL, false));
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (const OSSL_ALGORITHM *one = query(operations[i].number); one->algorithm_names; one++)
            try_operation(&operations[i], one);
    for (const OSSL_ALGORITHM *one = query(OSSL_OP_KEYMGMT); one->algorithm_names; one++)
        try_manager(one);
    for (const OSSL_ALGORITHM *one = query(OSSL_OP_STORE); one->algorithm_names; one++)
        try_store(one);
    end_provider(of_provider, provider);
    OSSL_PROVIDER_unload(own);
    OSSL_PROVIDER_unload(standard);
    printf("%ld lists\n", tried);
    return 0;
}
