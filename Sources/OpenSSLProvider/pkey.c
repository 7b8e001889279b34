/* SPDX-License-Identifier: Apache-2.0 */
/* A key: its public half, and its private half on a token or in memory. */
#include "provider.h"

#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

const char *pkey_name(enum kind kind) {
    switch (kind) {
    case KIND_RSA: return "RSA";
    case KIND_EC: return "EC";
    case KIND_GOST_2001: return "gost2001";
    case KIND_GOST_256: return "gost2012_256";
    case KIND_GOST_512: return "gost2012_512";
    default: return NULL;
    }
}

int pkey_number(enum kind kind) {
    return kind == KIND_GOST_2001 ? NID_id_GostR3410_2001
        : kind == KIND_GOST_256   ? NID_id_GostR3410_2012_256
                                  : NID_id_GostR3410_2012_512;
}

/* The public half in the default provider, without this provider's algorithms, which would call themselves. */
static EVP_PKEY *decode(struct provider *provider, const struct pkey *pkey) {
    OSSL_LIB_CTX *context = provider_context(provider);
    const unsigned char *rest = pkey->info.whole.bytes;
    EVP_PKEY *decoded;

    if (!context)
        return NULL;
    decoded = d2i_PUBKEY_ex(NULL, &rest, (long)pkey->info.whole.length, context, "provider!=kanal");
    if (decoded && rest == pkey->info.whole.bytes + pkey->info.whole.length)
        return decoded;
    EVP_PKEY_free(decoded);
    FAIL(
        REASON_PUBLIC, "no provider knows this public key; activate OpenSSL's default provider: a section of providers "
        "in the configuration without it turns it off");
    return NULL;
}

struct pkey *pkey_empty(struct provider *provider, enum kind kind) {
    struct pkey *pkey = OPENSSL_zalloc(sizeof *pkey);

    if (!pkey) {
        NO_MEMORY();
        return NULL;
    }
    pkey->references = 1;
    pkey->provider = provider;
    pkey->kind = kind;
    return pkey;
}

int pkey_fill(struct pkey *pkey, unsigned char *der, size_t length) {
    gost_domain domain;

    pkey->der = der;
    if (!der)
        return NO_MEMORY();
    if (!info_read(der, length, &pkey->info) || pkey->info.kind == KIND_OTHER
        || (pkey->kind != KIND_OTHER && pkey->kind != pkey->info.kind))
        return FAIL(REASON_PUBLIC, "the public key cannot be read, or is of another kind");
    pkey->kind = pkey->info.kind;
    if (!is_gost_kind(pkey->kind))
        return (pkey->pkey = decode(pkey->provider, pkey)) != NULL;
    pkey->curve = gost_curve_set_of(pkey->info.curve.bytes, pkey->info.curve.length);
    if (!pkey->curve || 2 * pkey->curve->numbers->size != pkey->info.key.length)
        return FAIL(REASON_PUBLIC, "the curve of the public key is not known");
    if (!domain_of(pkey->curve, &domain))
        return NO_MEMORY();
    return gost_is_point(&domain, pkey->info.key.bytes)
        || FAIL(REASON_PUBLIC, "the public key is not a point of its curve");
}

int pkey_adopt(struct pkey *pkey, EVP_PKEY *made, bool has_private) {
    unsigned char *der = NULL;
    int length = i2d_PUBKEY(made, &der);

    if (length <= 0 || !pkey_fill(pkey, der, (size_t)length)) {
        EVP_PKEY_free(made);
        return 0;
    }
    if (!has_private) {
        EVP_PKEY_free(made);
        return 1;
    }
    EVP_PKEY_free(pkey->pkey);
    pkey->pkey = made;
    pkey->has_native = true;
    return 1;
}

struct pkey *pkey_new(struct provider *provider, unsigned char *der, size_t length) {
    struct pkey *pkey = pkey_empty(provider, KIND_OTHER);

    if (!pkey) {
        OPENSSL_free(der);
        return NULL;
    }
    if (pkey_fill(pkey, der, length))
        return pkey;
    pkey_free(pkey);
    return NULL;
}

bool pkey_has_private(const struct pkey *pkey) { return pkey->key || pkey->number || pkey->has_native; }

struct pkey *pkey_retain(struct pkey *pkey) {
    if (pkey)
        __atomic_add_fetch(&pkey->references, 1, __ATOMIC_RELAXED);
    return pkey;
}

void pkey_free(struct pkey *pkey) {
    if (!pkey || __atomic_sub_fetch(&pkey->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    EVP_PKEY_free(pkey->pkey);
    key_free(pkey->key);
    secret_free(pkey->number);
    free(pkey->prepared);
    OPENSSL_free(pkey->der);
    OPENSSL_free(pkey->uri);
    OPENSSL_free(pkey);
}

void pkey_replace(struct pkey **place, struct pkey *pkey) {
    if (!pkey)
        return;
    pkey_retain(pkey);
    pkey_free(*place);
    *place = pkey;
}

/* A URI that finds the same key again, by its token, identifier and label. */
static char *describe(const struct token *token, const struct object *object) {
    P11KitUri *uri = p11_kit_uri_new();
    CK_OBJECT_CLASS kind = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE id = {CKA_ID, (void *)object->id, object->id_length};
    CK_ATTRIBUTE label = {CKA_LABEL, (void *)object_label(object), object->label_length};
    CK_ATTRIBUTE type = {CKA_CLASS, &kind, sizeof kind};
    char *text = NULL, *result = NULL;
    CK_TOKEN_INFO *info = uri ? p11_kit_uri_get_token_info(uri) : NULL;

    if (info) {
        memcpy(info->serialNumber, token->info.serialNumber, sizeof info->serialNumber);
        memcpy(info->model, token->info.model, sizeof info->model);
        memcpy(info->manufacturerID, token->info.manufacturerID, sizeof info->manufacturerID);
        if ((!id.ulValueLen || p11_kit_uri_set_attribute(uri, &id) == P11_KIT_URI_OK)
            && (!label.ulValueLen || p11_kit_uri_set_attribute(uri, &label) == P11_KIT_URI_OK)
            && p11_kit_uri_set_attribute(uri, &type) == P11_KIT_URI_OK
            && p11_kit_uri_format(uri, P11_KIT_URI_FOR_OBJECT_ON_TOKEN, &text) == P11_KIT_URI_OK)
            result = OPENSSL_strdup(text);
    }
    free(text);
    p11_kit_uri_free(uri);
    return result;
}

struct pkey *pkey_of_token(struct provider *provider, struct token *token, const struct object *object) {
    bool always_asks = false;
    size_t length;
    unsigned char *der = public_info(token, CKO_PRIVATE_KEY, object, &always_asks, &length);
    struct pkey *pkey = der ? pkey_new(provider, der, length) : NULL;

    if (pkey && (!(pkey->key = key_new(token, object, always_asks)) || !(pkey->uri = describe(token, object)))) {
        NO_MEMORY();
        pkey_free(pkey);
        return NULL;
    }
    return pkey;
}

size_t pkey_size(const struct pkey *pkey) {
    return pkey->pkey ? (size_t)EVP_PKEY_get_size(pkey->pkey) : 2 * pkey->curve->numbers->size;
}

gost_hash_name pkey_hash(const struct pkey *pkey) {
    return pkey->kind == KIND_GOST_2001 ? gost_hash_r341194
        : pkey->kind == KIND_GOST_512   ? gost_hash_streebog512
                                        : gost_hash_streebog256;
}

int pkey_give(struct pkey *pkey, OSSL_CALLBACK *callback, void *argument) {
    int type = OSSL_OBJECT_PKEY, done;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
        OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)pkey_name(pkey->kind), 0),
        OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &pkey, sizeof pkey),
        OSSL_PARAM_construct_end(),
    };

    done = callback(parameters, argument);
    /* The receiver puts NULL there. */
    pkey_free(pkey);
    return done;
}
