/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of tokens by URIs: private keys, public keys and certificates, one after the other. A URI with "object" or "id"
 * names one object of each class; without them it lists all of the token's.
 */
#include "provider.h"

#include <openssl/store.h>
#include <string.h>

enum { CLASSES = 3 };
struct store {
    struct provider *provider;
    struct name name;
    int expected;
    /* The classes that were not searched yet. */
    CK_OBJECT_CLASS classes[CLASSES];
    size_t class_count;
    bool has_classes;
    /* The objects of one class that were found, and the next one to deliver. */
    CK_OBJECT_CLASS class;
    struct token *token;
    struct object *objects;
    size_t count, next;
    /* Some were found, or private keys were left out of a list. */
    bool has_some, has_failed;
};

/* ---- The PIN ---- */

struct passphrase {
    OSSL_PASSPHRASE_CALLBACK *callback;
    void *argument;
};

static size_t answer(void *data, const char *prompt, char *buffer, size_t room) {
    const struct passphrase *passphrase = data;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PASSPHRASE_PARAM_INFO, (char *)prompt, 0),
        OSSL_PARAM_construct_end(),
    };
    size_t length = 0;

    return passphrase->callback(buffer, room, &length, parameters, passphrase->argument) && length <= room ? length : 0;
}

/* ---- Which objects ---- */

static bool has_class(const struct name *name, CK_OBJECT_CLASS class) {
    CK_ATTRIBUTE *attribute = name->uri ? p11_kit_uri_get_attribute(name->uri, CKA_CLASS) : NULL;

    return !attribute || (attribute->ulValueLen == sizeof class && memcmp(attribute->pValue, &class, sizeof class) == 0);
}

static void choose_classes(struct store *store) {
    static const CK_OBJECT_CLASS all[CLASSES] = {CKO_PRIVATE_KEY, CKO_PUBLIC_KEY, CKO_CERTIFICATE};
    /* A public key may come from a certificate, or a private key, of the name. */
    static const CK_OBJECT_CLASS public[CLASSES] = {CKO_PUBLIC_KEY, CKO_CERTIFICATE, CKO_PRIVATE_KEY};
    bool is_public = store->expected == OSSL_STORE_INFO_PUBKEY;

    for (int i = 0; i < CLASSES; i++) {
        CK_OBJECT_CLASS class = is_public ? public[i] : all[i];
        bool is_wanted = store->expected == 0 || is_public
            || (store->expected == OSSL_STORE_INFO_PKEY && class == CKO_PRIVATE_KEY)
            || (store->expected == OSSL_STORE_INFO_CERT && class == CKO_CERTIFICATE);
        if (is_wanted && has_class(&store->name, class))
            store->classes[store->class_count++] = class;
    }
    store->has_classes = true;
}

/* ---- What OpenSSL calls ---- */

static int close_store(void *context) {
    struct store *store = context;

    name_free(&store->name);
    objects_free(store->objects, store->count);
    OPENSSL_free(store);
    return 1;
}

static void *open_store(void *context, const char *uri) {
    struct store *store = OPENSSL_zalloc(sizeof *store);

    if (!store) {
        NO_MEMORY();
        return NULL;
    }
    store->provider = context;
    if (!name_read(&store->name, uri, CKO_CERTIFICATE)) {
        close_store(store);
        return NULL;
    }
    return store;
}

PROVIDER_LIST(settable, OSSL_PARAM_int(OSSL_STORE_PARAM_EXPECT, NULL))

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct store *store = context;
    const OSSL_PARAM *expected = OSSL_PARAM_locate_const(parameters, OSSL_STORE_PARAM_EXPECT);

    return given_check(parameters) && (!expected || OSSL_PARAM_get_int(expected, &store->expected));
}

/* Finds the next class that has an object. Returns 0 with an error. */
static int find(struct store *store, const struct asking *asking) {
    bool is_named = store->name.has_id || store->name.label, is_only = store->expected != 0;

    while (store->next == store->count && store->class_count > 0) {
        int found;
        objects_free(store->objects, store->count);
        store->objects = NULL;
        store->count = store->next = 0;
        store->class = store->classes[0];
        memmove(store->classes, store->classes + 1, --store->class_count * sizeof *store->classes);
        if (is_named && is_only) {
            /* One object, or an error that lists the objects. */
            struct object *object = OPENSSL_zalloc(sizeof *object);
            found = object ? object_find(
                                 &store->name, store->class, asking, store->class_count == 0, &store->token, object)
                           : NO_MEMORY();
            store->objects = object;
            store->count = found > 0;
        } else {
            /* A list leaves out private keys if there is no PIN. */
            found = object_find_all(
                &store->name, store->class, asking, &store->token, &store->objects, &store->count);
            if (!found && !is_only && store->class == CKO_PRIVATE_KEY && ERR_GET_REASON(ERR_peek_last_error()) == REASON_PIN)
                found = -1;
        }
        if (found == 0)
            return 0;
        store->has_some = store->has_some || store->count > 0 || (found < 0 && !is_only);
        if (store->count > 0 && store->expected == OSSL_STORE_INFO_PUBKEY)
            store->class_count = 0;
    }
    return 1;
}

static int give_certificate(const unsigned char *der, size_t length, OSSL_CALLBACK *callback, void *argument) {
    int type = OSSL_OBJECT_CERT;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
        OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, "CERTIFICATE", 0),
        OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_DATA, (void *)der, length),
        OSSL_PARAM_construct_end(),
    };

    /* OpenSSL drops its own errors of malformed certificates. */
    return callback(parameters, argument) || FAIL(REASON_INPUT, "the certificate is malformed; replace it on the token");
}

/* Other providers decode RSA and EC keys. */
static int give_public(
    struct provider *provider, unsigned char *der, size_t length, OSSL_CALLBACK *callback, void *argument) {
    int type = OSSL_OBJECT_PKEY;
    struct info info;
    struct pkey *pkey;

    if (!info_read(der, length, &info) || is_gost_kind(info.kind)) {
        pkey = pkey_new(provider, der, length);
        return pkey && pkey_give(pkey, callback, argument);
    }
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
        OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)pkey_name(info.kind), 0),
        OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_STRUCTURE, "SubjectPublicKeyInfo", 0),
        OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_DATA, der, length),
        OSSL_PARAM_construct_end(),
    };
    int done = pkey_name(info.kind)
        ? callback(parameters, argument)
            || FAIL(REASON_PUBLIC, "no provider reads this public key: it is malformed, or the default provider is not active")
        : FAIL(REASON_UNSUPPORTED, "this kind of key");

    OPENSSL_free(der);
    return done;
}

static int give(struct store *store, const struct object *object, OSSL_CALLBACK *callback, void *argument) {
    unsigned char *der;
    bool always_asks;
    struct pkey *pkey;
    size_t length;
    int done;

    if (store->class == CKO_PRIVATE_KEY && store->expected != OSSL_STORE_INFO_PUBKEY) {
        pkey = pkey_of_token(store->provider, store->token, object);
        return pkey && pkey_give(pkey, callback, argument);
    }
    if (store->class != CKO_CERTIFICATE || store->expected == OSSL_STORE_INFO_PUBKEY) {
        der = public_info(store->token, store->class, object, &always_asks, &length);
        return der && give_public(store->provider, der, length, callback, argument);
    }
    der = public_certificate(store->token, object, &length);
    done = der && give_certificate(der, length, callback, argument);
    OPENSSL_free(der);
    return done;
}

/* Reports that there is no object of this name, with the names that there are. */
static int fail_missing(struct store *store, const struct asking *asking) {
    CK_OBJECT_CLASS class = has_class(&store->name, CKO_PRIVATE_KEY) ? CKO_PRIVATE_KEY : store->class;
    struct object object;

    if (object_find(&store->name, class, asking, true, &store->token, &object))
        FAIL(REASON_OBJECT, "it has come while it was searched for; try again");
    object_free(&object);
    return 0;
}

/* A list of all objects may be empty. For a search of one type OpenSSL reports only that nothing was read. */
static int fail_empty(struct store *store, const struct asking *asking) {
    bool is_named = store->name.has_id || store->name.label;

    switch (store->expected) {
    case 0: return is_named && !store->has_some ? fail_missing(store, asking) : 0;
    case OSSL_STORE_INFO_PKEY:
        return has_class(&store->name, CKO_PRIVATE_KEY)
            ? FAIL(REASON_OBJECT, "the token has no private key")
            : FAIL(REASON_NAME, "the URI has another type; a private key is wanted");
    case OSSL_STORE_INFO_PUBKEY:
        return FAIL(REASON_OBJECT, "the token has no key and no certificate that the URI means");
    case OSSL_STORE_INFO_CERT:
        return has_class(&store->name, CKO_CERTIFICATE)
            ? FAIL(REASON_OBJECT, "the token has no certificate; if it hides it without a PIN, set FORCE_LOGIN = 1")
            : FAIL(REASON_NAME, "the URI has another type; a certificate is wanted");
    default: return FAIL(REASON_OBJECT, "a token has keys and certificates, and nothing else that OpenSSL reads");
    }
}

static int load(
    void *context, OSSL_CALLBACK *callback, void *argument, OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    struct store *store = context;
    struct passphrase passphrase = {ask, ask_argument};
    struct asking asking = {.data = &passphrase, .answer = ask ? answer : NULL};
    int done = 0;

    if (!store->has_classes)
        choose_classes(store);
    if (store->has_failed || !find(store, &asking)) {
        store->has_failed = true;
        return 0;
    }
    if (store->next == store->count)
        return fail_empty(store, &asking);
    /* Unusable objects of a list, such as a key without a public half, are passed over. */
    while (!done && store->next < store->count) {
        bool is_last;
        ERR_set_mark();
        done = give(store, &store->objects[store->next++], callback, argument);
        is_last = store->next == store->count && store->class_count == 0;
        if (done || is_last)
            ERR_clear_last_mark();
        else
            ERR_pop_to_mark();
        if (!done && store->next == store->count && !find(store, &asking))
            break;
    }
    return done;
}

static int is_at_end(void *context) {
    struct store *store = context;

    return store->has_failed || (store->has_classes && store->next == store->count && store->class_count == 0);
}

struct pkey *store_find(struct provider *provider, const char *uri, OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    struct passphrase passphrase = {ask, argument};
    struct asking asking = {.data = &passphrase, .answer = ask ? answer : NULL};
    struct name name;
    struct token *token;
    struct object object = {0};
    struct pkey *pkey = NULL;

    if (name_read_of_file(&name, uri, CKO_PRIVATE_KEY)
        && object_find(&name, CKO_PRIVATE_KEY, &asking, true, &token, &object))
        pkey = pkey_of_token(provider, token, &object);
    object_free(&object);
    name_free(&name);
    return pkey;
}

static const OSSL_DISPATCH functions[] = {
    ENTRY(OSSL_FUNC_STORE_OPEN, open_store), ENTRY(OSSL_FUNC_STORE_SETTABLE_CTX_PARAMS, settable),
    ENTRY(OSSL_FUNC_STORE_SET_CTX_PARAMS, set), ENTRY(OSSL_FUNC_STORE_LOAD, load),
    ENTRY(OSSL_FUNC_STORE_EOF, is_at_end), ENTRY(OSSL_FUNC_STORE_CLOSE, close_store), END_OF_TABLE};

const OSSL_ALGORITHM store_algorithms[] = {
    {"pkcs11", PROPERTIES, functions, "objects of PKCS #11 tokens"},
    {NULL, NULL, NULL, NULL},
};
