/* SPDX-License-Identifier: Apache-2.0 */
/* A private key of a token, and operations with it in a session. */
#include "keys.h"

#include <string.h>

/* In place of a module's code: the key is not found again. */
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

/* The key's handle in this connection. In a new connection the key is searched for. */
static CK_RV find_handle(struct use *use, unsigned long connection) {
    struct key *key = use->key;
    struct sought sought = {
        CKO_PRIVATE_KEY, key->object.id, object_label(&key->object), key->object.id_length, key->object.label_length};
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
    code = object_list(key->token, use->session, &sought, &objects, &count);
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
    return FAIL(REASON_OBJECT, "the token now has no private key %s, or several", text.characters);
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
        /* The answer is lost, as when many processes share a token's channels. A second operation does no harm. */
        if (is_second || !(is_loss(code) || (code == CKR_DEVICE_ERROR && !key->always_asks)))
            return fail(&use, code);
        note("%s returns 0x%lX, and the operation runs again", use.called, code);
    }
}

/* A signature, or a decryption. */
struct operation {
    CK_MECHANISM *mechanism;
    const unsigned char *data;
    size_t length;
    unsigned char *result;
    /* The room for the result, or its only possible length. */
    size_t result_length;
    bool is_signature, is_exact;
};

/*
 * The module writes into room for the answer of the largest key, because it may hold the key for longer than OpenSSL
 * does. The caller gets the whole answer or nothing.
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
        /* The module refuses, and the session is free for another operation. */
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
    CK_RV code = call_attributes(module, use->session, secret, &value, 1);

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

int key_can_agree(const struct key *key) {
    return !key->always_asks || FAIL(REASON_UNSUPPORTED, "a key that wants the PIN each time cannot agree on a key");
}

int key_derive(struct key *key, CK_MECHANISM *mechanism, unsigned char *result, size_t length) {
    struct derivation derivation = {mechanism, result, (CK_ULONG)length};

    return key_can_agree(key) && key_perform(key, derive, &derivation);
}

static CK_MECHANISM rsa_mechanism(bool is_padded) {
    return (CK_MECHANISM){is_padded ? CKM_RSA_PKCS : CKM_RSA_X_509, NULL, 0};
}

int key_sign_rsa(
    struct key *key, bool is_padded, const unsigned char *data, size_t length, unsigned char *result, size_t size) {
    CK_MECHANISM mechanism = rsa_mechanism(is_padded);

    return key_sign(key, &mechanism, data, length, result, size);
}

int key_decrypt_rsa(
    struct key *key, bool is_padded, const unsigned char *data, size_t length, unsigned char *result, size_t size,
    size_t *result_length) {
    CK_MECHANISM mechanism = rsa_mechanism(is_padded);

    *result_length = is_padded ? size - RSA_PKCS1_PADDING_SIZE : size;
    return key_decrypt(key, &mechanism, data, length, result, result_length, !is_padded);
}

int key_sign_ec(struct key *key, const unsigned char *digest, size_t length, unsigned char *numbers, size_t size) {
    CK_MECHANISM mechanism = {CKM_ECDSA, NULL, 0};

    if (size == 0 || size > LARGEST_COORDINATE)
        return FAIL(REASON_UNSUPPORTED, "a curve whose order has %zu bytes", size);
    /* ECDSA signs the first bits of a longer digest; not all modules cut it off. */
    return key_sign(key, &mechanism, digest, length < size ? length : size, numbers, 2 * size);
}

int key_derive_ec(struct key *key, unsigned char *point, size_t point_length, unsigned char *secret, size_t size) {
    CK_ECDH1_DERIVE_PARAMS parameters = {CKD_NULL, 0, NULL, (CK_ULONG)point_length, point};
    CK_MECHANISM mechanism = {CKM_ECDH1_DERIVE, &parameters, sizeof parameters};

    return key_derive(key, &mechanism, secret, size);
}
