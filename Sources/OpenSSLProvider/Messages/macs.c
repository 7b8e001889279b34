/* SPDX-License-Identifier: Apache-2.0 */
/* Authentication codes by GOST ciphers, for OpenSSL. HMAC is the default provider's, with the digests of this one. */
#include "provider.h"

#include <string.h>

static const struct mac_form {
    gost_cipher_name kind;
    bool is_imit;
    gost_sbox_name rows;
    size_t size, largest;
} form_gost = {gost_cipher_gost28147, true, gost_sbox_cryptopro_a, 4, 8},
  form_gost_12 = {gost_cipher_gost28147, true, gost_sbox_tc26_z, 4, 8},
  form_magma = {gost_cipher_magma, false, gost_sbox_tc26_z, 8, 8},
  form_kuznyechik = {gost_cipher_kuznyechik, false, gost_sbox_tc26_z, 16, 16};

struct coding {
    const struct mac_form *form;
    gost_block block;
    gost_mac mac;
    bool has_key, is_begun;
    size_t size;
};

static void *new(const struct mac_form *form) {
    struct coding *coding = OPENSSL_zalloc(sizeof *coding);

    if (coding) {
        coding->form = form;
        coding->size = form->size;
    }
    return coding;
}
static void *new_gost(void *provider) { return (void)provider, new(&form_gost); }
static void *new_gost_12(void *provider) { return (void)provider, new(&form_gost_12); }
static void *new_magma(void *provider) { return (void)provider, new(&form_magma); }
static void *new_kuznyechik(void *provider) { return (void)provider, new(&form_kuznyechik); }
static void release(void *context) { OPENSSL_clear_free(context, sizeof(struct coding)); }
static void *duplicate(void *context) { return OPENSSL_memdup(context, sizeof(struct coding)); }

static int set_key(struct coding *coding, const unsigned char *key, size_t length) {
    if (length != gost_key_size)
        return FAIL(REASON_INPUT, "the key has %zu bytes instead of 32", length);
    gost_block_begin(gost_best_path(), &coding->block, coding->form->kind);
    coding->block.rows = coding->form->rows;
    gost_block_set_key(&coding->block, key);
    coding->has_key = true;
    return 1;
}

static int set(void *context, const OSSL_PARAM parameters[]) {
    struct coding *coding = context;
    const OSSL_PARAM *value;
    const void *octets;
    size_t length;

    if (!parameters)
        return 1;
    if (!given_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_MAC_PARAM_KEY))
        && (!OSSL_PARAM_get_octet_string_ptr(value, &octets, &length) || !octets || !set_key(coding, octets, length)))
        return 0;
    if (!(value = OSSL_PARAM_locate_const(parameters, OSSL_MAC_PARAM_SIZE)))
        return 1;
    if (!OSSL_PARAM_get_size_t(value, &length) || length < 1 || length > coding->form->largest)
        return FAIL(REASON_INPUT, "a code has from 1 to %zu bytes", coding->form->largest);
    coding->size = length;
    return 1;
}

static int begin(void *context, const unsigned char *key, size_t length, const OSSL_PARAM parameters[]) {
    struct coding *coding = context;

    if (!set(coding, parameters) || (key && !set_key(coding, key, length)))
        return 0;
    if (!coding->has_key)
        return FAIL(REASON_INPUT, "the key of the code is missing");
    if (coding->form->is_imit)
        gost_mac_begin_imit(&coding->mac, &coding->block, NULL, true);
    else
        gost_mac_begin_omac(&coding->mac, &coding->block);
    coding->is_begun = true;
    return 1;
}

static int update(void *context, const unsigned char *data, size_t length) {
    struct coding *coding = context;

    if (!coding->is_begun)
        return FAIL(REASON_INPUT, "the key of the code is missing");
    gost_mac_update(&coding->mac, data, length);
    return 1;
}

static int end(void *context, unsigned char *out, size_t *length, size_t room) {
    struct coding *coding = context;

    *length = coding->size;
    if (!out)
        return 1;
    if (!coding->is_begun || room < coding->size)
        return FAIL(REASON_INPUT, "there is no code, or no room for it");
    gost_mac_end(&coding->mac, out, coding->size);
    coding->is_begun = false;
    return 1;
}

static int get(void *context, OSSL_PARAM parameters[]) {
    struct coding *coding = context;
    OSSL_PARAM *value = OSSL_PARAM_locate(parameters, OSSL_MAC_PARAM_SIZE);

    if (!wanted_check(parameters))
        return 0;
    if (value && !OSSL_PARAM_set_size_t(value, coding->size))
        return 0;
    value = OSSL_PARAM_locate(parameters, OSSL_MAC_PARAM_BLOCK_SIZE);
    return !value || OSSL_PARAM_set_size_t(value, gost_block_size(coding->form->kind));
}

CONTEXT_LIST(
    list_gettable, OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, NULL), OSSL_PARAM_size_t(OSSL_MAC_PARAM_BLOCK_SIZE, NULL))

CONTEXT_LIST(
    list_settable, OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, NULL, 0), OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, NULL))

#define CODE(which) \
    static const OSSL_DISPATCH mac_##which[] = { \
        ENTRY(OSSL_FUNC_MAC_NEWCTX, new_##which), ENTRY(OSSL_FUNC_MAC_FREECTX, release), \
        ENTRY(OSSL_FUNC_MAC_DUPCTX, duplicate), ENTRY(OSSL_FUNC_MAC_INIT, begin), \
        ENTRY(OSSL_FUNC_MAC_UPDATE, update), ENTRY(OSSL_FUNC_MAC_FINAL, end), \
        ENTRY(OSSL_FUNC_MAC_GET_CTX_PARAMS, get), ENTRY(OSSL_FUNC_MAC_GETTABLE_CTX_PARAMS, list_gettable), \
        ENTRY(OSSL_FUNC_MAC_SET_CTX_PARAMS, set), ENTRY(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, list_settable), \
        END_OF_TABLE, \
    }
CODE(gost);
CODE(gost_12);
CODE(magma);
CODE(kuznyechik);

const OSSL_ALGORITHM mac_algorithms[] = {
    {"gost-mac:GOST 28147-89 MAC:1.2.643.2.2.22", PROPERTIES, mac_gost, "GOST 28147-89, CryptoPro A"},
    {"gost-mac-12", PROPERTIES, mac_gost_12, "GOST 28147-89, TC26 Z"},
    {"magma-mac", PROPERTIES, mac_magma, "OMAC by Magma"},
    {"kuznyechik-mac", PROPERTIES, mac_kuznyechik, "OMAC by Kuznyechik"},
    {NULL, NULL, NULL, NULL},
};
