/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that a token generates, and GOST keys in memory. Options of OpenSSL's commands by -pkeyopt: pkcs11_uri, the
 * token and the key's name; paramset or group, the curve; bits, the length of RSA; key_usage, "sign" or "sign,decrypt".
 */
#include "provider.h"

#include <string.h>

#define OPTION_URI "pkcs11_uri"
#define OPTION_SET "paramset"
#define OPTION_USAGE "key_usage"

struct generation {
    struct provider *provider;
    char *uri;
    /* The curve of an EC key. */
    char group[64];
    struct wanted_key wanted;
};

/* The short names are gost-engine's. */
static const struct {
    enum kind kind;
    const char *name;
    gost_curve_name curve;
} short_names[] = {
    {KIND_GOST_256, "A", gost_curve_cryptopro_a},       {KIND_GOST_256, "B", gost_curve_cryptopro_b},
    {KIND_GOST_256, "C", gost_curve_cryptopro_c},       {KIND_GOST_256, "XA", gost_curve_cryptopro_xch_a},
    {KIND_GOST_256, "XB", gost_curve_cryptopro_xch_b},  {KIND_GOST_256, "TCA", gost_curve_tc26_256_a},
    {KIND_GOST_256, "TCB", gost_curve_tc26_256_b},      {KIND_GOST_256, "TCC", gost_curve_tc26_256_c},
    {KIND_GOST_256, "TCD", gost_curve_tc26_256_d},      {KIND_GOST_512, "A", gost_curve_tc26_512_a},
    {KIND_GOST_512, "B", gost_curve_tc26_512_b},        {KIND_GOST_512, "C", gost_curve_tc26_512_c},
};

const gost_curve_set *generation_curve(enum kind kind, const char *name) {
    const gost_curve_set *set = NULL;

    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
        if ((short_names[i].kind == KIND_GOST_512) == (kind == KIND_GOST_512)
            && OPENSSL_strcasecmp(name, short_names[i].name) == 0)
            set = gost_curve_set_at(short_names[i].curve);
    for (int i = 0; !set && i < gost_curve_count; i++)
        if (OPENSSL_strcasecmp(name, gost_curve_set_at((gost_curve_name)i)->name) == 0)
            set = gost_curve_set_at((gost_curve_name)i);
    if (set && (set->numbers->size == 64) == (kind == KIND_GOST_512))
        return set;
    FAIL(REASON_INPUT, "the parameter set %.60s for %s", name, pkey_name(kind));
    return NULL;
}

static int choose_gost(struct generation *generation, const char *name) {
    const gost_curve_set *set = generation_curve(generation->wanted.kind, name);

    if (set)
        generation->wanted.curve = (struct der){set->oid, set->oid_length};
    return set != NULL;
}

int generation_set_template(void *context, void *key) {
    struct generation *generation = context;
    const struct pkey *pkey = key;

    if (!pkey->curve || pkey->kind != generation->wanted.kind)
        return FAIL(REASON_INPUT, "the parameters do not belong to a key of %s", pkey_name(generation->wanted.kind));
    generation->wanted.curve = (struct der){pkey->curve->oid, pkey->curve->oid_length};
    return 1;
}

static int choose_ec(struct generation *generation, const char *name) {
    size_t length = strlen(name);

    if (length >= sizeof generation->group)
        return FAIL(REASON_UNSUPPORTED, "the curve %.60s", name);
    memcpy(generation->group, name, length + 1);
    return 1;
}

/* The curve of a token's key. */
static int take_ec(struct generation *generation) {
    static const unsigned char p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};

    if (OPENSSL_strcasecmp(generation->group, "P-256") != 0 && OPENSSL_strcasecmp(generation->group, "prime256v1") != 0)
        return FAIL(REASON_UNSUPPORTED, "the curve %.60s; tokens have P-256", generation->group);
    generation->wanted.curve = (struct der){p256, sizeof p256};
    return 1;
}

/* It may have a PIN. */
static void forget_uri(struct generation *generation) {
    if (generation->uri)
        OPENSSL_clear_free(generation->uri, strlen(generation->uri));
    generation->uri = NULL;
}

int generation_set(void *context, const OSSL_PARAM parameters[]) {
    struct generation *generation = context;
    enum kind kind = generation->wanted.kind;
    const OSSL_PARAM *value;
    char text[LONGEST_URI];

    if (!parameters)
        return 1;
    if (!given_check(parameters))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OPTION_URI))) {
        if (!given_text(value, text, sizeof text))
            return 0;
        forget_uri(generation);
        generation->uri = OPENSSL_strdup(text);
        OPENSSL_cleanse(text, sizeof text);
        /* Without it the key would be made in memory. */
        if (!generation->uri)
            return NO_MEMORY();
    }
    value = OSSL_PARAM_locate_const(parameters, OPTION_SET);
    if (!value)
        value = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_GROUP_NAME);
    if (value
        && (!given_text(value, text, sizeof text)
            || (is_gost_kind(kind) ? !choose_gost(generation, text) : kind == KIND_EC && !choose_ec(generation, text))))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OSSL_PKEY_PARAM_RSA_BITS))
        && !OSSL_PARAM_get_size_t(value, &generation->wanted.bits))
        return 0;
    if ((value = OSSL_PARAM_locate_const(parameters, OPTION_USAGE))) {
        if (!given_text(value, text, sizeof text))
            return 0;
        if (strcmp(text, "sign") != 0 && strcmp(text, "sign,decrypt") != 0)
            return FAIL(REASON_INPUT, "key_usage %.40s; it is \"sign\" or \"sign,decrypt\"", text);
        generation->wanted.has_decryption = strcmp(text, "sign") != 0;
    }
    return 1;
}

void generation_end(void *context) {
    struct generation *generation = context;

    forget_uri(generation);
    OPENSSL_free(generation);
}

/* GOST R 34.11-94 with the parameters of CryptoPro, and GOST R 34.11-2012. */
static struct der hash_of(enum kind kind) {
    static const unsigned char hash_94[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01};
    static const unsigned char hash_256[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02};
    static const unsigned char hash_512[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03};

    return kind == KIND_GOST_2001 ? (struct der){hash_94, sizeof hash_94}
        : kind == KIND_GOST_256   ? (struct der){hash_256, sizeof hash_256}
                                  : (struct der){hash_512, sizeof hash_512};
}

void *generation_begin(void *provider, int selection, const OSSL_PARAM parameters[], enum kind kind) {
    struct generation *generation;

    if (!(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY))
        return NULL;
    generation = OPENSSL_zalloc(sizeof *generation);
    if (!generation)
        return NULL;
    generation->provider = provider;
    generation->wanted.kind = kind;
    generation->wanted.bits = 2048;
    generation->wanted.hash = hash_of(kind);
    if ((!is_gost_kind(kind) || choose_gost(generation, "A")) && (kind != KIND_EC || choose_ec(generation, "P-256"))
        && generation_set(generation, parameters))
        return generation;
    generation_end(generation);
    return NULL;
}

static bool is_of_2001(const gost_curve_set *curve) {
    static const unsigned char arc[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02};

    return curve->oid_length > sizeof arc && memcmp(curve->oid, arc, sizeof arc) == 0;
}

struct der generation_hash(enum kind kind, const gost_curve_set *curve) {
    return is_of_2001(curve) ? hash_of(kind) : (struct der){0};
}

static struct pkey *run_software(const struct generation *generation) {
    enum kind kind = generation->wanted.kind;
    const gost_curve_set *curve =
        gost_curve_set_of(generation->wanted.curve.bytes, generation->wanted.curve.length);

    if (kind != KIND_GOST_2001 || is_of_2001(curve))
        return software_generate(generation->provider, kind, curve, generation_hash(kind, curve));
    FAIL(REASON_INPUT, "the parameter set %s is not one of GOST R 34.10-2001", curve->name);
    return NULL;
}

/* TLS makes keys of EC for each connection, also where this provider is asked first: the default provider's. */
static struct pkey *run_natively(struct generation *generation) {
    const OSSL_PARAM group[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, generation->group, strlen(generation->group)), OSSL_PARAM_END};
    OSSL_LIB_CTX *library = provider_context(generation->provider);
    EVP_PKEY_CTX *making = library ? EVP_PKEY_CTX_new_from_name(library, "EC", "provider!=kanal") : NULL;
    struct pkey *pkey = pkey_empty(generation->provider, KIND_EC);
    EVP_PKEY *made = NULL;
    bool is_made = pkey && making && EVP_PKEY_keygen_init(making) == 1 && EVP_PKEY_CTX_set_params(making, group) == 1
        && EVP_PKEY_generate(making, &made) == 1 && pkey_adopt(pkey, made, true);

    EVP_PKEY_CTX_free(making);
    if (is_made)
        return pkey;
    pkey_free(pkey);
    return NULL;
}

void *generation_run(void *context, OSSL_CALLBACK *callback, void *argument) {
    struct generation *generation = context;
    struct asking asking = {0};
    struct name name;
    struct token *token;
    struct object object = {0};
    struct pkey *pkey = NULL;

    (void)callback, (void)argument;
    if (!generation->uri && is_gost_kind(generation->wanted.kind))
        return run_software(generation);
    if (!generation->uri && generation->wanted.kind == KIND_EC)
        return run_natively(generation);
    if (!generation->uri) {
        FAIL(REASON_INPUT, "name the token by " OPTION_URI "; the default provider makes keys in memory");
        return NULL;
    }
    if (generation->wanted.kind == KIND_EC && !take_ec(generation))
        return NULL;
    if (generation->wanted.kind == KIND_GOST_2001) {
        FAIL(REASON_UNSUPPORTED, "a new key of GOST R 34.10-2001 on a token; use gost2012_256");
        return NULL;
    }
    if (name_read(&name, generation->uri, CKO_PRIVATE_KEY)
        && key_generate(&name, &generation->wanted, &asking, &token, &object))
        pkey = pkey_of_token(generation->provider, token, &object);
    object_free(&object);
    name_free(&name);
    return pkey;
}

const OSSL_PARAM *generation_settable(void *context, void *provider) {
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OPTION_URI, NULL, 0), OSSL_PARAM_utf8_string(OPTION_SET, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_size_t(OSSL_PKEY_PARAM_RSA_BITS, NULL), OSSL_PARAM_utf8_string(OPTION_USAGE, NULL, 0),
        OSSL_PARAM_END};

    (void)context, (void)provider;
    return list;
}
