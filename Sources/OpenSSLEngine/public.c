/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public half of a key. Kanal tells it as CKA_PUBLIC_KEY_INFO of any key. For other modules it is put together from
 * the attributes of the public key with the same identifier, or taken from the certificate with it.
 */
#include "engine.h"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <string.h>

struct place {
    struct token *token;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE object;
};

static unsigned char *attribute(const struct place *place, CK_ATTRIBUTE_TYPE type, size_t *length) {
    return object_attribute(place->token, place->session, place->object, type, length);
}

static EVP_PKEY *decode(const unsigned char *der, size_t length) {
    const unsigned char *rest = der;
    EVP_PKEY *pkey = length > 0 && length <= 1 << 16 ? d2i_PUBKEY(NULL, &rest, (long)length) : NULL;

    if (pkey && rest == der + length)
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

static EVP_PKEY *from_info(const struct place *place) {
    size_t length;
    unsigned char *der = attribute(place, CKA_PUBLIC_KEY_INFO, &length);
    EVP_PKEY *pkey = der ? decode(der, length) : NULL;

    OPENSSL_free(der);
    return pkey;
}

static EVP_PKEY *from_certificate(const struct place *place) {
    size_t length;
    unsigned char *der = attribute(place, CKA_VALUE, &length);
    const unsigned char *rest = der;
    X509 *certificate = der ? d2i_X509(NULL, &rest, (long)length) : NULL;
    EVP_PKEY *pkey = certificate ? X509_get_pubkey(certificate) : NULL;

    X509_free(certificate);
    OPENSSL_free(der);
    return pkey;
}

/* A SubjectPublicKeyInfo of parts, read again, so that the methods of the algorithm are found. Takes all it gets. */
static EVP_PKEY *assemble(int algorithm, int kind, ASN1_STRING *parameters, unsigned char *key, int length) {
    X509_PUBKEY *info = X509_PUBKEY_new();
    unsigned char *der = NULL;
    EVP_PKEY *pkey = NULL;
    int size;

    if (!info || !key || (kind == V_ASN1_SEQUENCE && !parameters)
        || !X509_PUBKEY_set0_param(info, OBJ_nid2obj(algorithm), kind, parameters, key, length)) {
        ASN1_STRING_free(parameters);
        OPENSSL_free(key);
        X509_PUBKEY_free(info);
        return NULL;
    }
    size = i2d_X509_PUBKEY(info, &der);
    if (size > 0)
        pkey = decode(der, (size_t)size);
    OPENSSL_free(der);
    X509_PUBKEY_free(info);
    return pkey;
}

static ASN1_STRING *new_string(int type, const unsigned char *octets, size_t length) {
    ASN1_STRING *string = ASN1_STRING_type_new(type);

    if (string && ASN1_STRING_set(string, octets, (int)length))
        return string;
    ASN1_STRING_free(string);
    return NULL;
}

/* CKA_VALUE is what the OCTET STRING of RFC 9215, 4, has; the parameters are two identifiers in DER. */
EVP_PKEY *public_gost(const struct gost_public *parts, bool is_long) {
    size_t curve_length = parts->curve_length, hash_length = parts->hash_length;
    static const unsigned char old_hash[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01};
    unsigned char parameters[130], *key = NULL;
    ASN1_STRING *sequence = NULL, *octets = NULL;
    int algorithm = is_long ? NID_id_GostR3410_2012_512 : NID_id_GostR3410_2012_256, size = 0;

    if (parts->value && parts->curve && curve_length + hash_length <= 127 && parts->length == (is_long ? 128 : 64)) {
        if (hash_length == sizeof old_hash && memcmp(parts->hash, old_hash, hash_length) == 0)
            algorithm = NID_id_GostR3410_2001;
        parameters[0] = 0x30;
        parameters[1] = (unsigned char)(curve_length + hash_length);
        memcpy(parameters + 2, parts->curve, curve_length);
        if (hash_length)
            memcpy(parameters + 2 + curve_length, parts->hash, hash_length);
        sequence = new_string(V_ASN1_SEQUENCE, parameters, 2 + curve_length + hash_length);
        octets = new_string(V_ASN1_OCTET_STRING, parts->value, parts->length);
        size = octets ? i2d_ASN1_OCTET_STRING(octets, &key) : 0;
    }
    ASN1_STRING_free(octets);
    return assemble(algorithm, V_ASN1_SEQUENCE, sequence, key, size);
}

bool public_point(const EVP_PKEY *pkey, unsigned char point[128], size_t *length) {
    unsigned char *der = NULL;
    const unsigned char *rest, *key;
    int size = i2d_PUBKEY(pkey, &der), key_length;
    X509_PUBKEY *info = NULL;
    ASN1_OCTET_STRING *octets = NULL;

    rest = der;
    if (size > 0 && (info = d2i_X509_PUBKEY(NULL, &rest, size))
        && X509_PUBKEY_get0_param(NULL, &key, &key_length, NULL, info)) {
        rest = key;
        octets = d2i_ASN1_OCTET_STRING(NULL, &rest, key_length);
    }
    *length = octets ? (size_t)ASN1_STRING_length(octets) : 0;
    if (*length == 64 || *length == 128)
        memcpy(point, ASN1_STRING_get0_data(octets), *length);
    ASN1_OCTET_STRING_free(octets);
    X509_PUBKEY_free(info);
    OPENSSL_free(der);
    return *length == 64 || *length == 128;
}

static EVP_PKEY *from_gost(const struct place *place, bool is_long) {
    struct gost_public parts = {0};
    EVP_PKEY *pkey;

    parts.value = attribute(place, CKA_VALUE, &parts.length);
    parts.curve = attribute(place, CKA_GOSTR3410_PARAMS, &parts.curve_length);
    parts.hash = attribute(place, CKA_GOSTR3411_PARAMS, &parts.hash_length);
    pkey = public_gost(&parts, is_long);
    OPENSSL_free(parts.value);
    OPENSSL_free(parts.curve);
    OPENSSL_free(parts.hash);
    return pkey;
}

static EVP_PKEY *from_ec(const struct place *place) {
    size_t length, curve_length;
    unsigned char *value = attribute(place, CKA_EC_POINT, &length);
    unsigned char *curve = attribute(place, CKA_EC_PARAMS, &curve_length);
    const unsigned char *rest = curve, *point = value;
    EC_GROUP *group = curve ? d2i_ECPKParameters(NULL, &rest, (long)curve_length) : NULL;
    ASN1_OCTET_STRING *wrapped = value ? d2i_ASN1_OCTET_STRING(NULL, &point, (long)length) : NULL;
    EC_KEY *ec = group ? EC_KEY_new() : NULL;
    EVP_PKEY *pkey = NULL;

    point = wrapped ? ASN1_STRING_get0_data(wrapped) : value;
    if (ec && point && EC_KEY_set_group(ec, group)
        && EC_KEY_oct2key(ec, point, wrapped ? (size_t)ASN1_STRING_length(wrapped) : length, NULL)) {
        pkey = EVP_PKEY_new();
        if (pkey && !EVP_PKEY_set1_EC_KEY(pkey, ec)) {
            EVP_PKEY_free(pkey);
            pkey = NULL;
        }
    }
    EC_KEY_free(ec);
    EC_GROUP_free(group);
    ASN1_OCTET_STRING_free(wrapped);
    OPENSSL_free(value);
    OPENSSL_free(curve);
    return pkey;
}

static EVP_PKEY *from_rsa(const struct place *place) {
    size_t length, exponent_length;
    unsigned char *modulus = attribute(place, CKA_MODULUS, &length);
    unsigned char *exponent = attribute(place, CKA_PUBLIC_EXPONENT, &exponent_length);
    BIGNUM *n = modulus ? BN_bin2bn(modulus, (int)length, NULL) : NULL;
    BIGNUM *e = exponent ? BN_bin2bn(exponent, (int)exponent_length, NULL) : NULL;
    RSA *rsa = n && e ? RSA_new() : NULL;
    EVP_PKEY *pkey = NULL;

    if (rsa && RSA_set0_key(rsa, n, e, NULL)) {
        n = e = NULL;
        pkey = EVP_PKEY_new();
        if (pkey && !EVP_PKEY_set1_RSA(pkey, rsa)) {
            EVP_PKEY_free(pkey);
            pkey = NULL;
        }
    }
    RSA_free(rsa);
    BN_free(n);
    BN_free(e);
    OPENSSL_free(modulus);
    OPENSSL_free(exponent);
    return pkey;
}

static EVP_PKEY *from_object(const struct place *place, CK_OBJECT_CLASS kind, CK_ULONG type) {
    EVP_PKEY *pkey = kind == CKO_CERTIFICATE ? from_certificate(place) : from_info(place);

    if (kind == CKO_CERTIFICATE || (pkey && has_type(pkey, type)))
        return pkey;
    EVP_PKEY_free(pkey);
    if (type == CKK_RSA)
        return from_rsa(place);
    if (kind == CKO_PUBLIC_KEY)
        switch (type) {
        case CKK_EC: return from_ec(place);
        case CKK_GOSTR3410: return from_gost(place, false);
        case CKK_GOSTR3410_512: return from_gost(place, true);
        }
    return NULL;
}

EVP_PKEY *public_read(
    struct token *token, CK_SESSION_HANDLE session, CK_OBJECT_CLASS kind, const struct object *object) {
    static const CK_OBJECT_CLASS others[] = {CKO_PUBLIC_KEY, CKO_CERTIFICATE};
    struct place place = {token, session, object->handle};
    bool has_other = false;
    EVP_PKEY *pkey;

    if (kind != CKO_CERTIFICATE && object->type != CKK_RSA && object->type != CKK_EC
        && object->type != CKK_GOSTR3410 && object->type != CKK_GOSTR3410_512) {
        FAIL(REASON_UNSUPPORTED, "this type of key (CKK 0x%lX)", object->type);
        return NULL;
    }
    if ((object->type == CKK_GOSTR3410 || object->type == CKK_GOSTR3410_512) && kind != CKO_CERTIFICATE
        && !gost_prepare())
        return NULL;
    ERR_set_mark();
    pkey = from_object(&place, kind, object->type);
    for (int i = 0; !pkey && kind == CKO_PRIVATE_KEY && object->id_length && i < 2; i++) {
        struct object *objects;
        size_t count;
        if (object_list(token, session, others[i], &objects, &count) != CKR_OK)
            break;
        for (size_t j = 0; !pkey && j < count; j++) {
            if (objects[j].id_length != object->id_length || memcmp(objects[j].id, object->id, object->id_length) != 0)
                continue;
            place.object = objects[j].handle;
            pkey = from_object(&place, others[i], objects[j].type);
            if (pkey && !has_parameters(pkey, token, session, object)) {
                has_other = true;
                EVP_PKEY_free(pkey);
                pkey = NULL;
            }
        }
        OPENSSL_free(objects);
    }
    ERR_pop_to_mark();
    if (!pkey && has_other)
        FAIL(
            REASON_PUBLIC, "the public key or certificate with the private key's id is of another kind or curve; give "
            "this id to the private key's own certificate");
    else if (!pkey)
        FAIL(REASON_PUBLIC, "neither a public key nor a certificate with the private key's id can be used");
    return pkey;
}
