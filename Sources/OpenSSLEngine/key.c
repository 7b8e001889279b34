/* SPDX-License-Identifier: Apache-2.0 */
/* A private key of a token, what is done with it in a session, and how OpenSSL gets it. */
#include "engine.h"

#include <string.h>

/* Instead of a module's code: the key is not found again. */
#define CODE_NOT_ONE (CKR_VENDOR_DEFINED | 0x4B414E42UL)

struct key *key_new(struct token *token, const struct object *object, bool always_asks) {
    struct key *key = OPENSSL_zalloc(sizeof *key);

    if (!key) {
        NO_MEMORY();
        return NULL;
    }
    key->references = 1;
    key->token = token;
    key->object = *object;
    key->always_asks = always_asks;
    users_add();
    return key;
}

void key_retain(struct key *key) { __atomic_add_fetch(&key->references, 1, __ATOMIC_RELAXED); }

void key_free(struct key *key) {
    if (!key || __atomic_sub_fetch(&key->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
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
    OPENSSL_free(objects);
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
        struct use use = {.key = key, .functions = key->token->module->functions, .called = "the module"};
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

struct operation {
    CK_MECHANISM *mechanism;
    const unsigned char *data;
    size_t length;
    unsigned char *result;
    CK_ULONG result_length;
};

static CK_RV sign(struct use *use, void *data) {
    struct operation *operation = data;
    CK_ULONG length = operation->result_length;
    CK_RV code;

    use->called = "C_SignInit";
    code = use->functions->C_SignInit(use->session, operation->mechanism, use->handle);
    if (code == CKR_OK && use->key->always_asks) {
        use->called = "C_Login for this operation";
        code = token_login_again(use->key->token, use->session);
        /* It refuses, and the session is free for another operation. */
        if (code != CKR_OK)
            use->functions->C_Sign(
                use->session, (CK_BYTE_PTR)operation->data, (CK_ULONG)operation->length, operation->result, &length);
    }
    if (code == CKR_OK) {
        use->called = "C_Sign";
        code = use->functions->C_Sign(
            use->session, (CK_BYTE_PTR)operation->data, (CK_ULONG)operation->length, operation->result, &length);
    }
    if (code == CKR_OK)
        operation->result_length = length;
    return code;
}

static CK_RV decrypt(struct use *use, void *data) {
    struct operation *operation = data;
    CK_ULONG length = operation->result_length;
    CK_RV code;

    use->called = "C_DecryptInit";
    code = use->functions->C_DecryptInit(use->session, operation->mechanism, use->handle);
    if (code == CKR_OK && use->key->always_asks) {
        use->called = "C_Login for this operation";
        code = token_login_again(use->key->token, use->session);
        if (code != CKR_OK)
            use->functions->C_Decrypt(
                use->session, (CK_BYTE_PTR)operation->data, (CK_ULONG)operation->length, operation->result, &length);
    }
    if (code == CKR_OK) {
        use->called = "C_Decrypt";
        code = use->functions->C_Decrypt(
            use->session, (CK_BYTE_PTR)operation->data, (CK_ULONG)operation->length, operation->result, &length);
    }
    if (code == CKR_OK)
        operation->result_length = length;
    return code;
}

static int perform(
    struct key *key, key_work work, CK_MECHANISM *mechanism, const unsigned char *data, size_t length,
    unsigned char *result, size_t *result_length) {
    struct operation operation = {mechanism, data, length, result, (CK_ULONG)*result_length};

    if (!key_perform(key, work, &operation))
        return 0;
    *result_length = operation.result_length;
    return 1;
}

int key_sign(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length) {
    return perform(key, sign, mechanism, data, length, result, result_length);
}

int key_decrypt(
    struct key *key, CK_MECHANISM *mechanism, const unsigned char *data, size_t length, unsigned char *result,
    size_t *result_length) {
    return perform(key, decrypt, mechanism, data, length, result, result_length);
}

static CK_RV derive(struct use *use, void *data) {
    struct operation *operation = data;
    CK_OBJECT_CLASS kind = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_GENERIC_SECRET;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &kind, sizeof kind},       {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_TOKEN, &no, sizeof no},           {CKA_SENSITIVE, &no, sizeof no},
        {CKA_EXTRACTABLE, &yes, sizeof yes},   {CKA_VALUE_LEN, &operation->result_length, sizeof(CK_ULONG)},
    };
    CK_ATTRIBUTE value = {CKA_VALUE, operation->result, operation->result_length};
    CK_OBJECT_HANDLE secret;
    CK_RV code;

    use->called = "C_DeriveKey";
    code = use->functions->C_DeriveKey(
        use->session, operation->mechanism, use->handle, template, sizeof template / sizeof template[0], &secret);
    if (code != CKR_OK)
        return code;
    use->called = "C_GetAttributeValue of the agreed key";
    code = use->functions->C_GetAttributeValue(use->session, secret, &value, 1);
    use->functions->C_DestroyObject(use->session, secret);
    return code == CKR_OK && value.ulValueLen != operation->result_length ? CKR_GENERAL_ERROR : code;
}

int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length) {
    struct operation operation = {mechanism, NULL, 0, result, (CK_ULONG)length};

    return key_perform(key, derive, &operation);
}
