/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes SubjectPublicKeyInfo, the form of public keys in certificates and CKA_PUBLIC_KEY_INFO. */
#include "keys.h"

#include "GOSTParameters.h"

#include <string.h>

static const unsigned char rsa_oid[] = {0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01};
static const unsigned char ec_oid[] = {0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01};
static const unsigned char gost_2001_oid[] = {0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x13};
static const unsigned char gost_256_oid[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x01};
static const unsigned char gost_512_oid[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x02};
static const unsigned char null_element[] = {0x05, 0x00}, zero[] = {0x00};
#define DER(array) ((struct der){array, sizeof array})

bool is_gost_kind(enum kind kind) { return kind >= KIND_GOST_2001; }

enum kind info_kind(struct der identifier) {
    return der_equal(identifier, DER(rsa_oid))      ? KIND_RSA
        : der_equal(identifier, DER(ec_oid))        ? KIND_EC
        : der_equal(identifier, DER(gost_2001_oid)) ? KIND_GOST_2001
        : der_equal(identifier, DER(gost_256_oid))  ? KIND_GOST_256
        : der_equal(identifier, DER(gost_512_oid))  ? KIND_GOST_512
                                               : KIND_OTHER;
}

struct der info_identifier(enum kind kind) {
    return kind == KIND_RSA      ? DER(rsa_oid)
        : kind == KIND_EC        ? DER(ec_oid)
        : kind == KIND_GOST_2001 ? DER(gost_2001_oid)
        : kind == KIND_GOST_256  ? DER(gost_256_oid)
                                 : DER(gost_512_oid);
}

/* A cipher's identifier may come last. */
bool info_read_parameters(struct der parameters, struct der *curve, struct der *hash) {
    struct der sequence, cipher;

    if (!der_take(&parameters, 0x30, &sequence) || parameters.length || !der_take_whole(&sequence, 0x06, curve))
        return false;
    if (der_has(&sequence, 0x06))
        der_take_whole(&sequence, 0x06, hash);
    if (der_has(&sequence, 0x06))
        der_take_whole(&sequence, 0x06, &cipher);
    return sequence.length == 0;
}

/* The user of an unknown curve reports it. */
bool info_has_parameters(enum kind kind, struct der curve, struct der hash) {
    gost_key_algorithm algorithm = kind == KIND_GOST_2001 ? gost_key_of_2001
        : kind == KIND_GOST_256                           ? gost_key_of_2012_256
                                                          : gost_key_of_2012_512;

    return !gost_curve_set_of(curve.bytes, curve.length)
        || gost_key_has_parameters(algorithm, curve.bytes, curve.length, hash.bytes, hash.length);
}

static bool read_gost(struct info *info) {
    struct der bits = info->key;

    return info_read_parameters(info->parameters, &info->curve, &info->hash)
        && info_has_parameters(info->kind, info->curve, info->hash) && der_take(&bits, 0x04, &info->key)
        && bits.length == 0 && info->key.length == (info->kind == KIND_GOST_512 ? 128 : 64);
}

static bool read_rsa(struct info *info) {
    struct der rest = info->key, sequence;

    return der_take(&rest, 0x30, &sequence) && rest.length == 0 && der_take(&sequence, 0x02, &info->modulus)
        && der_take(&sequence, 0x02, &info->exponent) && sequence.length == 0;
}

bool info_read(const unsigned char *octets, size_t length, struct info *info) {
    struct der rest = {octets, length}, sequence, algorithm, identifier, bits;

    *info = (struct info){.whole = {octets, length}};
    if (!der_take(&rest, 0x30, &sequence) || rest.length || !der_take(&sequence, 0x30, &algorithm)
        || !der_take_whole(&algorithm, 0x06, &identifier) || !der_take(&sequence, 0x03, &bits) || sequence.length
        || bits.length < 2 || bits.bytes[0] != 0)
        return false;
    info->parameters = algorithm;
    info->key = (struct der){bits.bytes + 1, bits.length - 1};
    info->kind = info_kind(identifier);
    if (info->kind == KIND_EC)
        info->curve = algorithm;
    if (info->kind == KIND_RSA)
        return read_rsa(info);
    return !is_gost_kind(info->kind) || read_gost(info);
}

bool info_of_certificate(const unsigned char *octets, size_t length, struct der *info) {
    static const unsigned char before[] = {0x02, 0x30, 0x30, 0x30, 0x30};
    struct der rest = {octets, length}, certificate, body, ignored;

    if (!der_take(&rest, 0x30, &certificate) || rest.length || !der_take(&certificate, 0x30, &body))
        return false;
    if (der_has(&body, 0xA0) && !der_take(&body, 0xA0, &ignored))
        return false;
    for (size_t i = 0; i < sizeof before; i++)
        if (!der_take(&body, before[i], &ignored))
            return false;
    return der_take_whole(&body, 0x30, info);
}

/* The content of the BIT STRING is already at the front of the writer. */
static unsigned char *finish(struct der_writer *writer, struct der identifier, struct der parameters, size_t *length) {
    size_t end;

    der_prepend(writer, DER(zero));
    der_wrap(writer, 0x03, writer->room);
    end = writer->front;
    der_prepend(writer, parameters);
    der_prepend(writer, identifier);
    der_wrap(writer, 0x30, end);
    der_wrap(writer, 0x30, writer->room);
    return der_end(writer, length);
}

enum { HEADERS = 64 };

/* RFC 9215, 4; the parameters are identifiers in DER, of which the digest's may be missing. */
unsigned char *info_gost(enum kind kind, struct der curve, struct der hash, struct der point, size_t *length) {
    struct der_writer writer = {0};
    unsigned char parameters[130];

    if (!curve.length || curve.length + hash.length > 127 || point.length != (kind == KIND_GOST_512 ? 128 : 64)
        || !der_begin(&writer, point.length + curve.length + hash.length + HEADERS))
        return NULL;
    parameters[0] = 0x30;
    parameters[1] = (unsigned char)(curve.length + hash.length);
    memcpy(parameters + 2, curve.bytes, curve.length);
    if (hash.length)
        memcpy(parameters + 2 + curve.length, hash.bytes, hash.length);
    der_prepend(&writer, point);
    der_wrap(&writer, 0x04, writer.room);
    return finish(&writer, info_identifier(kind), (struct der){parameters, 2 + curve.length + hash.length}, length);
}

/* The point may be wrapped in an OCTET STRING, as PKCS #11 has it, or bare. */
unsigned char *info_ec(struct der curve, struct der point, size_t *length) {
    struct der rest = point, content;
    struct der_writer writer = {0};

    if (der_take(&rest, 0x04, &content) && rest.length == 0)
        point = content;
    if (!curve.length || !point.length || !der_begin(&writer, curve.length + point.length + HEADERS))
        return NULL;
    der_prepend(&writer, point);
    return finish(&writer, DER(ec_oid), curve, length);
}

unsigned char *info_rsa(struct der modulus, struct der exponent, size_t *length) {
    struct der_writer writer = {0};

    if (!modulus.length || !exponent.length || !der_begin(&writer, modulus.length + exponent.length + HEADERS))
        return NULL;
    der_prepend_number(&writer, exponent);
    der_prepend_number(&writer, modulus);
    der_wrap(&writer, 0x30, writer.room);
    return finish(&writer, DER(rsa_oid), DER(null_element), length);
}
