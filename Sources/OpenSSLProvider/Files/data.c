/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GOST keys as lists of parameters, for EVP_PKEY_fromdata, EVP_PKEY_todata and other providers: "group", a curve; "pub", the
 * coordinates, and "priv", the number, which only keys in memory have.
 */
#include "provider.h"

#include <string.h>

int data_export(const struct pkey *pkey, int selection, OSSL_CALLBACK *callback, void *argument) {
    OSSL_PARAM list[4], *next = list;

    if (!pkey->curve || (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && !pkey->number && pkey_has_private(pkey))
        || (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && !pkey->der))
        return 0;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)pkey->curve->name, 0);
    if (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
        *next++ = OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PUB_KEY, (void *)pkey->info.key.bytes, pkey->info.key.length);
    /* Numbers in such lists have the processor's byte order, as the key's number has. */
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && pkey->number)
        *next++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, pkey->number->octets, pkey->number->length);
    *next = OSSL_PARAM_construct_end();
    return callback(list, argument);
}

/* A number of any length whose value fits into so many bytes. */
static struct secret *read_number(const OSSL_PARAM *value, size_t size) {
    unsigned char number[gost_number_largest] = {0};
    const unsigned char *octets = value->data;
    unsigned char above = 0;
    struct secret *secret = NULL;

    for (size_t i = 0; value->data_type == OSSL_PARAM_UNSIGNED_INTEGER && i < value->data_size; i++)
        if (i < size)
            number[i] = octets[i];
        else
            above |= octets[i];
    if (value->data_type == OSSL_PARAM_UNSIGNED_INTEGER && gost_public_answer(above == 0))
        secret = secret_new(number, size);
    OPENSSL_cleanse(number, sizeof number);
    if (!secret)
        FAIL(REASON_INPUT, "the private key is not a number of %zu bytes", size);
    return secret;
}

/* Fills an empty key by a list of parameters. */
static int move(struct pkey *pkey, struct pkey *made) {
    if (!made)
        return 0;
    pkey->der = made->der;
    pkey->info = made->info;
    pkey->curve = made->curve;
    pkey->number = made->number;
    made->der = NULL;
    made->number = NULL;
    pkey_free(made);
    return 1;
}

int data_import(struct pkey *pkey, int selection, const OSSL_PARAM parameters[]) {
    const OSSL_PARAM *group = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_GROUP_NAME);
    const OSSL_PARAM *point = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_PUB_KEY);
    const OSSL_PARAM *number = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_PRIV_KEY);
    const gost_curve_set *curve;
    char name[LONGEST_TEXT];
    struct der octets = {0}, hash;
    struct secret *secret;
    unsigned char *der;
    size_t length = 0;

    if (!given_check(parameters))
        return 0;
    if (pkey->der || !group || !given_text(group, name, sizeof name))
        return FAIL(REASON_INPUT, "a GOST key needs the parameter group");
    curve = generation_curve(pkey->kind, name);
    if (!curve)
        return 0;
    hash = generation_hash(pkey->kind, curve);
    if (point && !OSSL_PARAM_get_octet_string_ptr(point, (const void **)&octets.bytes, &octets.length))
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && number) {
        secret = read_number(number, curve->numbers->size);
        if (!secret || !move(pkey, software_key(pkey->provider, pkey->kind, curve, hash, secret)))
            return 0;
        return !point || der_equal(octets, pkey->info.key)
            || FAIL(REASON_INPUT, "the public key does not belong to the private key");
    }
    pkey->curve = curve;
    if (!(selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) || !point)
        return !(selection & OSSL_KEYMGMT_SELECT_KEYPAIR)
            || FAIL(REASON_INPUT, "a GOST key needs the parameter pub, or priv");
    der = info_gost(pkey->kind, (struct der){curve->oid, curve->oid_length}, hash, octets, &length);
    return der ? pkey_fill(pkey, der, length) : FAIL(REASON_INPUT, "the public key has a wrong length");
}

const OSSL_PARAM *data_types(int selection) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END};

    (void)selection;
    return list;
}
