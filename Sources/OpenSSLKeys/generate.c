/* SPDX-License-Identifier: Apache-2.0 */
/* Generation of a key pair by a token, under a name that no other key of the token has. */
#include "keys.h"

#include <openssl/rand.h>
#include <string.h>

static const CK_BBOOL yes = CK_TRUE;

/* Room for the attributes of a key's template. */
struct template {
    CK_ATTRIBUTE list[16];
    CK_ULONG count;
};
static void add(struct template *template, CK_ATTRIBUTE_TYPE type, const void *value, size_t length) {
    if (length > 0 && template->count < sizeof template->list / sizeof *template->list)
        template->list[template->count++] = (CK_ATTRIBUTE){type, (void *)value, (CK_ULONG)length};
}

/* Attributes of both halves. */
static void add_common(
    struct template *template, const CK_OBJECT_CLASS *class, const CK_KEY_TYPE *type, const struct name *name) {
    add(template, CKA_CLASS, class, sizeof *class);
    add(template, CKA_KEY_TYPE, type, sizeof *type);
    add(template, CKA_TOKEN, &yes, sizeof yes);
    add(template, CKA_ID, name->id, name->id_length);
    add(template, CKA_LABEL, name->label, name->label_length);
}

static CK_RV make(struct module *module, CK_SESSION_HANDLE session, const struct name *name, const struct wanted_key *key) {
    static const CK_OBJECT_CLASS public_class = CKO_PUBLIC_KEY, private_class = CKO_PRIVATE_KEY;
    static const unsigned char exponent[] = {0x01, 0x00, 0x01};
    CK_KEY_TYPE type = key->kind == KIND_RSA ? CKK_RSA
        : key->kind == KIND_EC               ? CKK_EC
        : key->kind == KIND_GOST_512         ? CKK_GOSTR3410_512
                                             : CKK_GOSTR3410;
    CK_MECHANISM mechanism = {
        key->kind == KIND_RSA            ? CKM_RSA_PKCS_KEY_PAIR_GEN
            : key->kind == KIND_EC       ? CKM_EC_KEY_PAIR_GEN
            : key->kind == KIND_GOST_512 ? CKM_GOSTR3410_512_KEY_PAIR_GEN
                                         : CKM_GOSTR3410_KEY_PAIR_GEN,
        NULL, 0};
    CK_ULONG bits = key->bits;
    CK_OBJECT_HANDLE public_key = 0, private_key = 0;
    struct template public = {0}, private = {0};

    add_common(&public, &public_class, &type, name);
    add_common(&private, &private_class, &type, name);
    add(&private, CKA_PRIVATE, &yes, sizeof yes);
    add(&private, CKA_SIGN, &yes, sizeof yes);
    if (key->has_decryption)
        add(&private, key->kind == KIND_RSA ? CKA_DECRYPT : CKA_DERIVE, &yes, sizeof yes);
    if (key->kind == KIND_RSA) {
        add(&public, CKA_MODULUS_BITS, &bits, sizeof bits);
        add(&public, CKA_PUBLIC_EXPONENT, exponent, sizeof exponent);
    } else if (key->kind == KIND_EC) {
        add(&public, CKA_EC_PARAMS, key->curve.bytes, key->curve.length);
    } else {
        add(&public, CKA_GOSTR3410_PARAMS, key->curve.bytes, key->curve.length);
        add(&private, CKA_GOSTR3410_PARAMS, key->curve.bytes, key->curve.length);
        add(&public, CKA_GOSTR3411_PARAMS, key->hash.bytes, key->hash.length);
        add(&private, CKA_GOSTR3411_PARAMS, key->hash.bytes, key->hash.length);
    }
    return CALL(
        module, C_GenerateKeyPair, session, &mechanism, public.list, public.count, private.list, private.count,
        &public_key, &private_key);
}

int key_generate(
    struct name *name, const struct wanted_key *key, const struct asking *asking, struct token **token,
    struct object *object) {
    CK_SESSION_HANDLE session = 0;
    struct object *others;
    size_t count;
    CK_RV code;

    if (!name->has_id && !name->label) {
        name->id_length = 8;
        name->id = OPENSSL_zalloc(name->id_length);
        name->has_id = name->id && RAND_bytes(name->id, (int)name->id_length) == 1;
        if (!name->has_id)
            return FAIL(REASON_INPUT, "no random number for the key's id");
    }
    if (!object_find_all(name, CKO_PRIVATE_KEY, asking, token, &others, &count))
        return 0;
    objects_free(others, count);
    if (count > 0)
        return FAIL(REASON_SEVERAL, "the token has a private key of this name; choose another id or object");
    code = CALL((*token)->module, C_OpenSession, (*token)->slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    if (code != CKR_OK)
        return FAIL_CODE("C_OpenSession", code);
    code = make((*token)->module, session, name, key);
    CALL((*token)->module, C_CloseSession, session);
    if (code != CKR_OK)
        return FAIL_CODE("C_GenerateKeyPair", code);
    return object_find(name, CKO_PRIVATE_KEY, asking, true, token, object) > 0;
}
