/* SPDX-License-Identifier: Apache-2.0 */
/* A private key of a token, what is done with it in a session, and how OpenSSL gets it. */
#include "keys.h"

#include <string.h>

/* Instead of a module's code: the key is not found again. */
#define CODE_NOT_ONE (CKR_VENDOR_DEFINED | 0x4B414E42UL)

struct key *key_new(struct token *token, const struct object *object, bool always_asks) {
    struct key *key = OPENSSL_zalloc(sizeof *key);

    if (!key || !object_copy(&key->object, object)) {
        OPENSSL_free(key);
        NO_MEMORY();
        return NULL;
    }
    key->references = 1;
    key->token = token;
    key->always_asks = always_asks;
    users_add();
    return key;
}

void key_retain(struct key *key) { __atomic_add_fetch(&key->references, 1, __ATOMIC_RELAXED); }

void key_free(struct key *key) {
    if (!key || __atomic_sub_fetch(&key->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    object_free(&key->object);
    OPENSSL_free(key);
    users_remove();
}

/* The key's handle in this connection; it is searched for in a new one. */
static CK_RV find_handle(struct use *use, unsigned long connection) {
    struct key *key = use->key;
    struct object *objects;
    size_t count, found = 0;
    bool is_known;
    CK_RV code;

    state_lock();
    is_known = key->object.connection == connection;
    use->handle = key->object.handle;
    state_unlock();
    if (is_known)
        return CKR_OK;
    use->called = "C_FindObjects";
    code = object_list(key->token, use->session, CKO_PRIVATE_KEY, &objects, &count);
    for (size_t i = 0; i < count; i++)
        if (is_same_object(&objects[i], &key->object)) {
            use->handle = objects[i].handle;
            found++;
        }
    objects_free(objects, count);
    if (code != CKR_OK)
        return code;
    if (found != 1)
        return CODE_NOT_ONE;
    state_lock();
    key->object.handle = use->handle;
    key->object.connection = connection;
    state_unlock();
    return CKR_OK;
}

static int fail(const struct use *use, CK_RV code) {
    struct text text = {0};

    if (code != CODE_NOT_ONE)
        return FAIL_CODE(use->called, code);
    object_describe(&use->key->object, &text);
    return FAIL(REASON_OBJECT, "the token has none, or several, private keys %s now", text.characters);
}

int key_perform(struct key *key, key_work work, void *data) {
    for (bool is_second = false;; is_second = true) {
        struct use use = {.key = key, .called = "the module"};
        unsigned long connection;
        CK_RV code;

        if (!token_acquire(key->token, &use.session, &connection))
            return 0;
        code = find_handle(&use, connection);
        if (code == CKR_OK)
            code = work(&use, data);
        if (is_loss(code))
            token_lost(key->token, connection);
        token_release(key->token, use.session, connection);
        if (code == CKR_OK)
            return 1;
        /* An answer is lost, as when many processes share a token's channels. Nothing is spoilt by a second one. */
        if (is_second || !(is_loss(code) || (code == CKR_DEVICE_ERROR && !key->always_asks)))
            return fail(&use, code);
        settings_note("%s gives 0x%lX, and the operation runs again", use.called, code);
    }
}

/* A signature, or what a key decrypts. */
struct operation {
    CK_MECHANISM *mechanism;
    const unsigned char *data;
    size_t length;
    unsigned char *result;
    /* The room for the result, or the length that it has to have. */
    size_t result_length;
    bool is_signature, is_exact;
};

/*
 * The module writes into room for the answer of any key, because what it thinks of the key may be other than what
 * OpenSSL knows, and the caller gets all of it or nothing.
 */
static CK_RV answer(struct use *use, void *data) {
    struct operation *operation = data;
    struct module *module = use->key->token->module;
    CK_RV (*finish)(struct module *, CK_SESSION_HANDLE, const unsigned char *, size_t, unsigned char *, CK_ULONG *) =
        operation->is_signature ? call_sign : call_decrypt;
    unsigned char result[LARGEST_RSA] = {0};
    CK_ULONG length = sizeof result;
    CK_RV code;

    use->called = operation->is_signature ? "C_SignInit" : "C_DecryptInit";
    code = operation->is_signature ? CALL(module, C_SignInit, use->session, operation->mechanism, use->handle)
                                   : CALL(module, C_DecryptInit, use->session, operation->mechanism, use->handle);
    if (code != CKR_OK)
        return code;
    if (use->key->always_asks) {
        use->called = "C_Login for this operation";
        code = token_login_again(use->key->token, use->session);
    }
    if (code == CKR_OK) {
        use->called = operation->is_signature ? "C_Sign" : "C_Decrypt";
        code = finish(module, use->session, operation->data, operation->length, result, &length);
    } else {
        /* It refuses, and the session is free for another operation. */
        finish(module, use->session, operation->data, operation->length, result, &length);
    }
    if (code == CKR_OK
        && (operation->is_exact ? length != operation->result_length : length > operation->result_length))
        code = CODE_OTHER_LENGTH;
    if (code == CKR_OK) {
        memcpy(operation->result, result, length);
        operation->result_length = length;
    }
    OPENSSL_cleanse(result, sizeof result);
    return code;
}

int key_sign(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t result_length) {
    struct operation operation = {mechanism, data, length, result, result_length, true, true};

    return key_perform(key, answer, &operation);
}

int key_decrypt(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length, bool is_exact) {
    struct operation operation = {mechanism, data, length, result, *result_length, false, is_exact};

    if (!key_perform(key, answer, &operation))
        return 0;
    *result_length = operation.result_length;
    return 1;
}

CK_RV key_read_secret(struct use *use, CK_OBJECT_HANDLE secret, unsigned char *result, size_t length) {
    struct module *module = use->key->token->module;
    CK_ATTRIBUTE value = {CKA_VALUE, result, (CK_ULONG)length};
    CK_RV code = call_attribute(module, use->session, secret, &value);

    CALL(module, C_DestroyObject, use->session, secret);
    return code == CKR_OK && value.ulValueLen != length ? CODE_OTHER_LENGTH : code;
}

struct derivation {
    CK_MECHANISM *mechanism;
    unsigned char *result;
    CK_ULONG length;
};

static CK_RV derive(struct use *use, void *data) {
    struct derivation *derivation = data;
    CK_OBJECT_CLASS kind = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_GENERIC_SECRET;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &kind, sizeof kind},       {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_TOKEN, &no, sizeof no},           {CKA_SENSITIVE, &no, sizeof no},
        {CKA_EXTRACTABLE, &yes, sizeof yes},   {CKA_VALUE_LEN, &derivation->length, sizeof derivation->length},
    };
    CK_OBJECT_HANDLE secret = 0;
    CK_RV code;

    use->called = "C_DeriveKey";
    code = CALL(
        use->key->token->module, C_DeriveKey, use->session, derivation->mechanism, use->handle, template,
        sizeof template / sizeof template[0], &secret);
    if (code != CKR_OK)
        return code;
    use->called = "C_GetAttributeValue of the agreed key";
    return key_read_secret(use, secret, derivation->result, derivation->length);
}

int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length) {
    struct derivation derivation = {mechanism, result, (CK_ULONG)length};

    return key_perform(key, derive, &derivation);
}
