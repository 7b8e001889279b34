/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public half of a key, as SubjectPublicKeyInfo. Kanal has CKA_PUBLIC_KEY_INFO for every key. For other modules the
 * public half is made from the attributes of the public key with the same identifier, or read from the certificate with
 * it. Anyone who writes to a token chooses identifiers, and OpenSSL allocates signatures and secrets by the public key:
 * its kind and curve have to be the private key's.
 */
#include "keys.h"

#include "GOSTParameters.h"

#include <openssl/ec.h>
#include <string.h>

struct place {
    struct token *token;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE object;
};

static struct der attribute(const struct place *place, CK_ATTRIBUTE_TYPE type) {
    size_t length;
    unsigned char *value = object_attribute(place->token, place->session, place->object, type, &length);

    return (struct der){value, value ? length : 0};
}

static void release(struct der value) { OPENSSL_free((unsigned char *)value.bytes); }

static bool has_type(const struct info *info, CK_ULONG type) {
    switch (type) {
    case CKK_RSA: return info->kind == KIND_RSA;
    case CKK_EC: return info->kind == KIND_EC;
    case CKK_GOSTR3410: return info->kind == KIND_GOST_2001 || info->kind == KIND_GOST_256;
    case CKK_GOSTR3410_512: return info->kind == KIND_GOST_512;
    default: return false;
    }
}

/* A curve may have several names or none; its numbers are compared. */
static bool is_same_ec_curve(struct der one, struct der other) {
    const unsigned char *first = one.bytes, *second = other.bytes;
    EC_GROUP *group, *wanted;
    bool is_same = false;

    if (der_equal(one, other))
        return true;
    ERR_set_mark();
    group = d2i_ECPKParameters(NULL, &first, (long)one.length);
    wanted = d2i_ECPKParameters(NULL, &second, (long)other.length);
    if (group && wanted) {
        EC_GROUP_set_curve_name(group, NID_undef);
        is_same = EC_GROUP_cmp(group, wanted, NULL) == 0;
    }
    EC_GROUP_free(group);
    EC_GROUP_free(wanted);
    ERR_pop_to_mark();
    return is_same;
}

static bool is_same_gost_curve(struct der one, struct der other) {
    const gost_curve_set *set = gost_curve_set_of(one.bytes, one.length);
    const gost_curve_set *wanted = gost_curve_set_of(other.bytes, other.length);

    return set && wanted && set->numbers == wanted->numbers;
}

/* A private key of RSA has no parameters, but its modulus is the public key's. */
static bool has_parameters(const struct info *info, const struct place *private_key, CK_ULONG type) {
    CK_ATTRIBUTE_TYPE kind = type == CKK_RSA ? CKA_MODULUS : type == CKK_EC ? CKA_EC_PARAMS : CKA_GOSTR3410_PARAMS;
    struct der value;
    bool is_same;

    if (!has_type(info, type))
        return false;
    value = attribute(private_key, kind);
    if (type == CKK_RSA)
        is_same = !value.bytes || der_equal(der_number(value), der_number(info->modulus));
    else if (type == CKK_EC)
        is_same = value.bytes && is_same_ec_curve(value, info->curve);
    else
        is_same = value.bytes && is_same_gost_curve(value, info->curve);
    release(value);
    return is_same;
}

static unsigned char *from_gost(const struct place *place, bool is_long, size_t *length) {
    static const unsigned char old[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01};
    struct der value = attribute(place, CKA_VALUE), curve = attribute(place, CKA_GOSTR3410_PARAMS);
    struct der hash = attribute(place, CKA_GOSTR3411_PARAMS);
    bool is_old = !is_long && der_equal(hash, (struct der){old, sizeof old});
    unsigned char *info = info_gost(
        is_long ? KIND_GOST_512 : is_old ? KIND_GOST_2001 : KIND_GOST_256, curve, hash, value, length);

    release(value);
    release(curve);
    release(hash);
    return info;
}

static unsigned char *from_parts(
    const struct place *place, CK_ATTRIBUTE_TYPE first, CK_ATTRIBUTE_TYPE second,
    unsigned char *(*assemble)(struct der, struct der, size_t *), size_t *length) {
    struct der one = attribute(place, first), other = attribute(place, second);
    unsigned char *info = assemble(one, other, length);

    release(one);
    release(other);
    return info;
}

static unsigned char *from_certificate(const struct place *place, size_t *length) {
    struct der certificate = attribute(place, CKA_VALUE), found;
    unsigned char *info = NULL;

    if (certificate.bytes && info_of_certificate(certificate.bytes, certificate.length, &found)) {
        info = OPENSSL_memdup(found.bytes, found.length);
        *length = found.length;
    }
    release(certificate);
    return info;
}

/* The public half from an object; the caller frees it. */
static unsigned char *from_object(
    const struct place *place, CK_OBJECT_CLASS kind, CK_ULONG type, struct info *info, size_t *length) {
    unsigned char *found = kind == CKO_CERTIFICATE
        ? from_certificate(place, length)
        : object_attribute(place->token, place->session, place->object, CKA_PUBLIC_KEY_INFO, length);

    if (found && info_read(found, *length, info) && (kind == CKO_CERTIFICATE || has_type(info, type)))
        return found;
    OPENSSL_free(found);
    found = NULL;
    if (kind == CKO_CERTIFICATE)
        return NULL;
    if (type == CKK_RSA)
        found = from_parts(place, CKA_MODULUS, CKA_PUBLIC_EXPONENT, info_rsa, length);
    else if (kind == CKO_PUBLIC_KEY && type == CKK_EC)
        found = from_parts(place, CKA_EC_PARAMS, CKA_EC_POINT, info_ec, length);
    else if (kind == CKO_PUBLIC_KEY && (type == CKK_GOSTR3410 || type == CKK_GOSTR3410_512))
        found = from_gost(place, type == CKK_GOSTR3410_512, length);
    if (found && info_read(found, *length, info))
        return found;
    OPENSSL_free(found);
    return NULL;
}

static unsigned char *find_info(const struct place *place, CK_OBJECT_CLASS kind, const struct object *object, size_t *length) {
    static const CK_OBJECT_CLASS others[] = {CKO_PUBLIC_KEY, CKO_CERTIFICATE};
    struct place other = *place;
    bool has_other = false;
    struct info info;
    unsigned char *found;

    if (kind != CKO_CERTIFICATE && object->type != CKK_RSA && object->type != CKK_EC
        && object->type != CKK_GOSTR3410 && object->type != CKK_GOSTR3410_512) {
        FAIL(REASON_UNSUPPORTED, "this type of key (CKK 0x%lX)", object->type);
        return NULL;
    }
    found = from_object(place, kind, object->type, &info, length);
    for (int i = 0; !found && kind == CKO_PRIVATE_KEY && object->id_length && i < 2; i++) {
        struct sought sought = {.class = others[i], .id = object->id, .id_length = object->id_length};
        struct object *objects;
        size_t count;
        if (object_list(place->token, place->session, &sought, &objects, &count) != CKR_OK)
            break;
        for (size_t j = 0; !found && j < count; j++) {
            if (objects[j].id_length != object->id_length || memcmp(objects[j].id, object->id, object->id_length) != 0)
                continue;
            other.object = objects[j].handle;
            found = from_object(&other, others[i], objects[j].type, &info, length);
            if (found && !has_parameters(&info, place, object->type)) {
                has_other = true;
                OPENSSL_free(found);
                found = NULL;
            }
        }
        objects_free(objects, count);
    }
    if (!found && has_other)
        FAIL(
            REASON_PUBLIC, "the public key or certificate with the private key's id is of another kind or curve; give "
            "this id to the private key's own certificate");
    else if (!found)
        FAIL(REASON_PUBLIC, "neither a public key nor a certificate with the private key's id can be used");
    return found;
}

/* A session of the connection in which an object was found. Returns 0 with an error. */
static int enter(struct place *place, struct token *token, const struct object *object) {
    unsigned long connection;

    *place = (struct place){.token = token, .object = object->handle};
    if (!token_acquire(token, &place->session, &connection))
        return 0;
    if (connection == object->connection)
        return 1;
    token_release(token, place->session, connection);
    return FAIL(REASON_TOKEN, "the token was removed after its object was found; try again");
}

unsigned char *public_certificate(struct token *token, const struct object *object, size_t *length) {
    struct place place;
    struct der value;

    if (!enter(&place, token, object))
        return NULL;
    value = attribute(&place, CKA_VALUE);
    token_release(token, place.session, object->connection);
    if (!value.bytes)
        FAIL(REASON_FUNCTION, "the token does not give the certificate's value");
    *length = value.length;
    return (unsigned char *)value.bytes;
}

unsigned char *public_info(
    struct token *token, CK_OBJECT_CLASS kind, const struct object *object, bool *always_asks, size_t *length) {
    struct place place;
    unsigned char *found;
    struct der asks;

    *always_asks = false;
    if (!enter(&place, token, object))
        return NULL;
    found = find_info(&place, kind, object, length);
    if (found && kind == CKO_PRIVATE_KEY) {
        asks = attribute(&place, CKA_ALWAYS_AUTHENTICATE);
        *always_asks = asks.length == 1 && asks.bytes[0] == CK_TRUE;
        release(asks);
    }
    token_release(token, place.session, object->connection);
    return found;
}
