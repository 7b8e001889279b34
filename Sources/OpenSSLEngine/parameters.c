/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a public key that was found by an identifier can be a private key's. Anyone who writes to a token chooses
 * identifiers, and OpenSSL makes room for signatures and secrets by the public key.
 */
#include "engine.h"

#include <openssl/bn.h>
#include <string.h>

bool has_type(const EVP_PKEY *pkey, CK_ULONG type) {
    int kind = EVP_PKEY_get_base_id(pkey);

    switch (type) {
    case CKK_RSA: return kind == EVP_PKEY_RSA;
    case CKK_EC: return kind == EVP_PKEY_EC;
    case CKK_GOSTR3410: return kind == NID_id_GostR3410_2001 || kind == NID_id_GostR3410_2012_256;
    case CKK_GOSTR3410_512: return kind == NID_id_GostR3410_2012_512;
    default: return false;
    }
}

/* A curve may have several names, and none; its numbers count. */
static bool is_same_curve(const EC_GROUP *one, const EC_GROUP *other) {
    EC_GROUP *unnamed = one ? EC_GROUP_dup(one) : NULL;
    bool is_same = false;

    if (unnamed && other) {
        EC_GROUP_set_curve_name(unnamed, NID_undef);
        is_same = EC_GROUP_cmp(unnamed, other, NULL) == 0;
    }
    EC_GROUP_free(unnamed);
    return is_same;
}

static bool is_on_curve(const EVP_PKEY *pkey, const unsigned char *curve, size_t length) {
    const unsigned char *rest = curve;
    const EC_KEY *ec = EVP_PKEY_get0_EC_KEY(pkey);
    EC_GROUP *group = d2i_ECPKParameters(NULL, &rest, (long)length);
    bool is_same = ec && group && is_same_curve(EC_KEY_get0_group(ec), group);

    EC_GROUP_free(group);
    return is_same;
}

/* The engine gost alone knows its curves: the same point is read again as one of the private key's curve. */
static bool is_on_gost_curve(const EVP_PKEY *pkey, unsigned char *curve, size_t length, bool is_long) {
    struct gost_public parts = {.curve = curve, .curve_length = length};
    const EC_KEY *ec = EVP_PKEY_get0(pkey), *again_ec;
    unsigned char point[128];
    EVP_PKEY *again;
    bool is_same;

    if (!public_point(pkey, point, &parts.length))
        return false;
    parts.value = point;
    again = public_gost(&parts, is_long);
    again_ec = again ? EVP_PKEY_get0(again) : NULL;
    is_same = ec && again_ec && is_same_curve(EC_KEY_get0_group(ec), EC_KEY_get0_group(again_ec));
    EVP_PKEY_free(again);
    return is_same;
}

/* A private key of RSA has no parameters, but its modulus is the public key's. */
static bool has_modulus(const EVP_PKEY *pkey, const unsigned char *modulus, size_t length) {
    const RSA *rsa = EVP_PKEY_get0_RSA(pkey);
    BIGNUM *n = BN_bin2bn(modulus, (int)length, NULL);
    bool is_same = rsa && n && BN_cmp(n, RSA_get0_n(rsa)) == 0;

    BN_free(n);
    return is_same;
}

bool has_parameters(
    const EVP_PKEY *pkey, struct token *token, CK_SESSION_HANDLE session, const struct object *private_key) {
    CK_ULONG type = private_key->type;
    CK_ATTRIBUTE_TYPE kind = type == CKK_RSA ? CKA_MODULUS : type == CKK_EC ? CKA_EC_PARAMS : CKA_GOSTR3410_PARAMS;
    unsigned char *value;
    size_t length;
    bool is_same;

    if (!has_type(pkey, type))
        return false;
    value = object_attribute(token, session, private_key->handle, kind, &length);
    if (type == CKK_RSA)
        is_same = !value || has_modulus(pkey, value, length);
    else if (type == CKK_EC)
        is_same = value && is_on_curve(pkey, value, length);
    else
        is_same = value && is_on_gost_curve(pkey, value, length, type == CKK_GOSTR3410_512);
    OPENSSL_free(value);
    return is_same;
}
