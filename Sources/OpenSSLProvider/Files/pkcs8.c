/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private keys of GOST in PKCS #8 (RFC 5958): all forms in use are read, and the bare number is written, as in RFC 9337
 * and R 50.1.112.
 */
#include "provider.h"

#include <openssl/objects.h>
#include <string.h>

/* Names of a key by its purpose, key agreement (RFC 4490, 4.1; id-tc26-agreement-gost-3410-12-256 and -512). */
static const unsigned char agreement_2001[] = {0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x62};
static const unsigned char agreement_256[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x01};
static const unsigned char agreement_512[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x02};
#define DER(array) ((struct der){array, sizeof array})

static enum kind kind_of(struct der identifier) {
    return der_equal(identifier, DER(agreement_2001)) ? KIND_GOST_2001
        : der_equal(identifier, DER(agreement_256))   ? KIND_GOST_256
        : der_equal(identifier, DER(agreement_512))   ? KIND_GOST_512
                                                      : info_kind(identifier);
}

/* The number: bare, masked (K_M and M_1, M_2, … whose product it is), in an OCTET STRING, or an INTEGER. */
static struct secret *read_number(const gost_curve_set *curve, struct der octets) {
    size_t size = curve->numbers->size, masks = octets.length / size;
    unsigned char number[gost_number_largest] = {0};
    struct der rest = octets, content;
    struct secret *secret = NULL;
    gost_domain domain;

    if (octets.length > 0 && octets.length % size == 0) {
        if (masks == 1)
            return secret_new(octets.bytes, size);
        if (domain_of(curve, &domain) && gost_unmask(&domain, octets.bytes, masks, number))
            secret = secret_new(number, size);
    } else if (der_take(&rest, 0x04, &content)) {
        if (rest.length == 0 && content.length == size)
            secret = secret_new(content.bytes, size);
    } else if (der_take(&rest, 0x02, &content)) {
        content = der_number(content);
        if (rest.length == 0 && content.length <= size) {
            for (size_t i = 0; i < content.length; i++)
                number[i] = content.bytes[content.length - 1 - i];
            secret = secret_new(number, size);
        }
    }
    OPENSSL_cleanse(number, sizeof number);
    if (!secret)
        FAIL(REASON_INPUT, "the private key has a form that is not known");
    return secret;
}

/* Recognises a key of GOST by its algorithm alone. */
bool pkcs8_read(const unsigned char *octets, size_t length, struct pkcs8 *pkcs8) {
    struct der whole = {octets, length}, sequence, algorithm, identifier;

    *pkcs8 = (struct pkcs8){0};
    if (!der_take(&whole, 0x30, &sequence) || whole.length || !der_take(&sequence, 0x02, &pkcs8->version)
        || !der_take(&sequence, 0x30, &algorithm) || !der_take_whole(&algorithm, 0x06, &identifier)
        || !der_take(&sequence, 0x04, &pkcs8->number))
        return false;
    pkcs8->kind = kind_of(identifier);
    pkcs8->parameters = algorithm;
    pkcs8->rest = sequence;
    return is_gost_kind(pkcs8->kind);
}

/* An object identifier by its numbers, and by OpenSSL's name if it has one. */
static const char *identifier_text(struct text *text, struct der identifier) {
    const unsigned char *bytes = identifier.bytes;
    ASN1_OBJECT *object = d2i_ASN1_OBJECT(NULL, &bytes, (long)identifier.length);
    char numbers[LONGEST_TEXT];
    int number = object ? OBJ_obj2nid(object) : NID_undef;

    text_add(text, "%s", object && OBJ_obj2txt(numbers, sizeof numbers, object, 1) > 0 ? numbers : "of no valid identifier");
    if (number != NID_undef)
        text_add(text, " (%s)", OBJ_nid2sn(number));
    ASN1_OBJECT_free(object);
    return text->characters;
}

/* Attributes and the public half may follow the number. */
static bool is_rest(struct der rest) {
    struct der ignored;

    return (!der_has(&rest, 0xA0) || der_take(&rest, 0xA0, &ignored))
        && (!der_has(&rest, 0x81) || der_take(&rest, 0x81, &ignored)) && rest.length == 0;
}

struct pkey *pkcs8_key(struct provider *provider, const struct pkcs8 *pkcs8) {
    struct der curve, hash = {0};
    const gost_curve_set *set = NULL;
    struct secret *number = NULL;
    struct text text = {0};

    if (pkcs8->version.length != 1 || pkcs8->version.bytes[0] > 1)
        FAIL(REASON_UNSUPPORTED, "the file of the private key has an unknown version of PKCS #8; 0 and 1 are known");
    else if (!info_read_parameters(pkcs8->parameters, &curve, &hash) || !is_rest(pkcs8->rest))
        FAIL(REASON_INPUT, "the file of the private key is damaged");
    else if (!(set = gost_curve_set_of(curve.bytes, curve.length)))
        FAIL(REASON_UNSUPPORTED, "the curve %s of the private key is not known", identifier_text(&text, curve));
    else if (!info_has_parameters(pkcs8->kind, curve, hash))
        FAIL(
            REASON_INPUT, "the curve %s of the private key, or its hash function, is not one of the key's algorithm",
            identifier_text(&text, curve));
    else
        number = read_number(set, pkcs8->number);
    return number ? software_key(provider, pkcs8->kind, set, hash, number) : NULL;
}

unsigned char *pkcs8_write(const struct pkey *pkey, size_t *length) {
    static const unsigned char version[] = {0x02, 0x01, 0x00};
    struct der_writer writer = {0};
    size_t room = pkey->info.whole.length + pkey->number->length + 32, end;
    unsigned char *der;

    if (!der_begin(&writer, room)) {
        NO_MEMORY();
        return NULL;
    }
    der_prepend(&writer, (struct der){pkey->number->octets, pkey->number->length});
    der_wrap(&writer, 0x04, writer.room);
    end = writer.front;
    der_prepend(&writer, pkey->info.parameters);
    der_prepend(&writer, info_identifier(pkey->kind));
    der_wrap(&writer, 0x30, end);
    der_prepend(&writer, DER(version));
    der_wrap(&writer, 0x30, writer.room);
    /* The move to the front leaves no copy behind: the whole memory is cleared by its length. */
    der = der_end(&writer, length);
    if (der)
        OPENSSL_cleanse(der + *length, room - *length);
    return der;
}
