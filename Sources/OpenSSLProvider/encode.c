/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoders: public keys of GOST as SubjectPublicKeyInfo, private keys of tokens as files that hold their URI, and both as
 * text. Public keys of RSA and EC are encoded by the default provider.
 */
#include "provider.h"

#include <string.h>

#define URI_LABEL "PKCS#11 PROVIDER URI"
#define URI_VERSION "PKCS#11 Provider URI v1.0"

static void *new(void *provider) { return provider; }
static void release(void *provider) { (void)provider; }

static int write_all(OSSL_CORE_BIO *out, const void *data, size_t length) {
    const unsigned char *rest = data;
    size_t written;

    while (length > 0) {
        if (core_write(out, (const char *)rest, length, &written) != 1 || written == 0)
            return 0;
        rest += written;
        length -= written;
    }
    return 1;
}

static int write_text(OSSL_CORE_BIO *out, const char *text) { return write_all(out, text, strlen(text)); }

/* Lines of 64 characters. */
static int write_pem(OSSL_CORE_BIO *out, const char *label, const unsigned char *der, size_t length) {
    unsigned char line[66];
    char border[64];

    BIO_snprintf(border, sizeof border, "-----BEGIN %s-----\n", label);
    if (!write_text(out, border))
        return 0;
    for (size_t done = 0; done < length; done += 48) {
        int count = EVP_EncodeBlock(line, der + done, (int)(length - done < 48 ? length - done : 48));
        line[count] = '\n';
        if (!write_all(out, line, (size_t)count + 1))
            return 0;
    }
    BIO_snprintf(border, sizeof border, "-----END %s-----\n", label);
    return write_text(out, border);
}

/* ---- Public keys ---- */

static bool wants_public(int selection) {
    return selection == 0 || (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY && !(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY));
}
static int does_public(void *provider, int selection) { return (void)provider, wants_public(selection); }

static int encode_info(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    const struct pkey *pkey = object;

    (void)context, (void)ask, (void)argument;
    return pkey && !abstract && wants_public(selection)
        && write_all(out, pkey->info.whole.bytes, pkey->info.whole.length);
}

static int encode_info_pem(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    const struct pkey *pkey = object;

    (void)context, (void)ask, (void)argument;
    return pkey && !abstract && wants_public(selection)
        && write_pem(out, "PUBLIC KEY", pkey->info.whole.bytes, pkey->info.whole.length);
}

/* ---- Private keys ---- */

static int does_private(void *provider, int selection) {
    (void)provider;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
}

static unsigned char *make_uri(const struct pkey *pkey, size_t *length) {
    struct der_writer writer = {0};
    size_t end;

    if (!pkey || !pkey->uri) {
        FAIL(REASON_INPUT, "the key has no private half on a token");
        return NULL;
    }
    if (!der_begin(&writer, strlen(pkey->uri) + sizeof URI_VERSION + 32)) {
        NO_MEMORY();
        return NULL;
    }
    der_prepend(&writer, (struct der){(const unsigned char *)pkey->uri, strlen(pkey->uri)});
    der_wrap(&writer, 0x0C, writer.room);
    end = writer.front;
    der_prepend(&writer, (struct der){(const unsigned char *)URI_VERSION, strlen(URI_VERSION)});
    der_wrap(&writer, 0x1A, end);
    der_wrap(&writer, 0x30, writer.room);
    return der_end(&writer, length);
}

static int encode_uri(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    size_t length;
    unsigned char *der = abstract || !does_private(context, selection) ? NULL : make_uri(object, &length);
    int done = der && write_all(out, der, length);

    (void)ask, (void)argument;
    OPENSSL_free(der);
    return done;
}

static int encode_uri_pem(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    size_t length;
    unsigned char *der = abstract || !does_private(context, selection) ? NULL : make_uri(object, &length);
    int done = der && write_pem(out, URI_LABEL, der, length);

    (void)ask, (void)argument;
    OPENSSL_free(der);
    return done;
}

/* ---- Text ---- */

static int does_text(void *provider, int selection) { return (void)provider, (void)selection, 1; }

static void add_coordinate(struct text *text, const char *name, const unsigned char *octets, size_t size) {
    text_add(text, "    %s:", name);
    for (size_t i = size; i-- > 0;)
        text_add(text, "%02X", octets[i]);
    text_add(text, "\n");
}

static int encode_text(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    const struct pkey *pkey = object;
    struct text text = {0};
    size_t size;

    (void)context, (void)ask, (void)argument;
    if (!pkey || abstract)
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && pkey->uri) {
        if (!write_text(out, "Private key on a token: ") || !write_text(out, pkey->uri) || !write_text(out, "\n"))
            return 0;
    }
    if (pkey->curve) {
        size = pkey->curve->numbers->size;
        text_add(&text, "Public key:\n");
        add_coordinate(&text, "X", pkey->info.key.bytes, size);
        add_coordinate(&text, "Y", pkey->info.key.bytes + size, size);
        text_add(&text, "Parameter set: %s\n", pkey->curve->name);
    } else {
        text_add(&text, "%s, %d bits\n", pkey_name(pkey->kind), EVP_PKEY_get_bits(pkey->pkey));
    }
    return write_text(out, text.characters);
}

#define ENCODER(name, does, encode) \
    static const OSSL_DISPATCH name[] = { \
        ENTRY(OSSL_FUNC_ENCODER_NEWCTX, new), ENTRY(OSSL_FUNC_ENCODER_FREECTX, release), \
        ENTRY(OSSL_FUNC_ENCODER_DOES_SELECTION, does), ENTRY(OSSL_FUNC_ENCODER_ENCODE, encode), END_OF_TABLE, \
    }
ENCODER(info_der, does_public, encode_info);
ENCODER(info_pem, does_public, encode_info_pem);
ENCODER(uri_der, does_private, encode_uri);
ENCODER(uri_pem, does_private, encode_uri_pem);
ENCODER(text_encoder, does_text, encode_text);
/* The default provider's text says more of a public half. */
ENCODER(private_text, does_private, encode_text);

#define PUBLIC(names) \
    {names, PROPERTIES ",output=der,structure=SubjectPublicKeyInfo", info_der, "public keys"}, \
        {names, PROPERTIES ",output=pem,structure=SubjectPublicKeyInfo", info_pem, "public keys"}, \
        {names, PROPERTIES ",output=text", text_encoder, "keys for people"}
#define PRIVATE(names) \
    {names, PROPERTIES ",output=der,structure=PrivateKeyInfo", uri_der, "URIs of keys"}, \
        {names, PROPERTIES ",output=pem,structure=PrivateKeyInfo", uri_pem, "URIs of keys"}
#define TEXT(names) {names, PROPERTIES ",output=text", private_text, "keys for people"}
const OSSL_ALGORITHM encoder_algorithms[] = {
    PUBLIC(GOST_256_NAMES), PUBLIC(GOST_512_NAMES), PUBLIC(GOST_2001_NAMES), PRIVATE(GOST_256_NAMES),
    PRIVATE(GOST_512_NAMES), PRIVATE(GOST_2001_NAMES), PRIVATE(RSA_NAMES), PRIVATE(EC_NAMES), TEXT(RSA_NAMES),
    TEXT(EC_NAMES), {NULL, NULL, NULL, NULL},
};
