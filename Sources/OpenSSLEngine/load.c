/* SPDX-License-Identifier: Apache-2.0 */
/* How OpenSSL gets a key of a token: the public half as an EVP_PKEY, which the private one is tied to. */
#include "engine.h"

#include <string.h>

static bool wants_pin_each_time(struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
    size_t length;
    unsigned char *value = object_attribute(token, session, object, CKA_ALWAYS_AUTHENTICATE, &length);
    bool is_set = value && length == 1 && value[0] == CK_TRUE;

    OPENSSL_free(value);
    return is_set;
}

static EVP_PKEY *read_key(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks) {
    CK_SESSION_HANDLE session;
    unsigned long connection;
    EVP_PKEY *pkey = NULL;

    *always_asks = false;
    if (!token_acquire(token, &session, &connection))
        return NULL;
    if (connection == object->connection) {
        pkey = public_read(token, session, kind, object);
        *always_asks = kind == CKO_PRIVATE_KEY && wants_pin_each_time(token, session, object->handle);
    } else {
        FAIL(REASON_TOKEN, "the token has left meanwhile");
    }
    token_release(token, session, connection);
    return pkey;
}

EVP_PKEY *load_private_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data) {
    struct asking asking = {.method = method, .data = data};
    struct name name;
    struct token *token;
    struct object object = {0};
    struct key *key;
    EVP_PKEY *pkey = NULL;
    bool always_asks;
    int tied = 0;

    if (name_read(&name, text, CKO_PRIVATE_KEY)
        && object_find(&name, CKO_PRIVATE_KEY, &asking, true, &token, &object))
        pkey = read_key(token, CKO_PRIVATE_KEY, &object, &always_asks);
    name_free(&name);
    key = pkey ? key_new(token, &object, always_asks) : NULL;
    object_free(&object);
    if (!pkey)
        return NULL;
    if (key) {
        switch (EVP_PKEY_get_base_id(pkey)) {
        case EVP_PKEY_RSA: tied = rsa_attach(engine, pkey, key); break;
        case EVP_PKEY_EC: tied = ec_attach(engine, pkey, key); break;
        default:
            tied = is_gost(EVP_PKEY_get_base_id(pkey)) ? gost_attach(engine, pkey, key)
                                                        : FAIL(REASON_UNSUPPORTED, "this type of key");
        }
    }
    key_free(key);
    if (tied)
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

EVP_PKEY *load_public_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data) {
    static const CK_OBJECT_CLASS kinds[] = {CKO_PUBLIC_KEY, CKO_CERTIFICATE, CKO_PRIVATE_KEY};
    struct asking asking = {.method = method, .data = data};
    struct name name;
    EVP_PKEY *pkey = NULL;
    int found = -1;

    (void)engine;
    if (name_read(&name, text, CKO_PUBLIC_KEY))
        for (int i = 0; found < 0 && i < 3; i++) {
            struct token *token;
            struct object object = {0};
            bool always_asks;
            found = object_find(&name, kinds[i], &asking, i == 2, &token, &object);
            if (found > 0)
                pkey = read_key(token, kinds[i], &object, &always_asks);
            object_free(&object);
        }
    name_free(&name);
    return pkey;
}
