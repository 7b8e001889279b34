/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a key of a token: its public half as an EVP_PKEY, which refers to the private half. */
#include "engine.h"

static EVP_PKEY *read_key(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks) {
    bool is_gost_key = kind != CKO_CERTIFICATE && (object->type == CKK_GOSTR3410 || object->type == CKK_GOSTR3410_512);

    return !is_gost_key || gost_prepare() ? public_read(token, kind, object, always_asks) : NULL;
}

EVP_PKEY *load_private_key(ENGINE *engine, const char *text, UI_METHOD *method, void *data) {
    struct asking asking = {.method = method, .data = data};
    struct name name;
    struct token *token;
    struct object object = {0};
    struct key *key;
    EVP_PKEY *pkey = NULL;
    bool always_asks = false;
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
