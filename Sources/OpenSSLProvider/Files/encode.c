/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoders: public keys of GOST as SubjectPublicKeyInfo, private keys in memory as PrivateKeyInfo, private keys of
 * tokens as files that hold their URI, and all as text. The default provider encodes public keys of RSA and EC.
 */
#include "provider.h"

#include <string.h>

static void *new(void *provider) { return provider; }
static void release(void *provider) { (void)provider; }

static int write_all(const struct provider *provider, OSSL_CORE_BIO *out, const void *data, size_t length) {
    const unsigned char *rest = data;
    size_t written;

    while (length > 0) {
        if (provider->write(out, (const char *)rest, length, &written) != 1 || written == 0)
            return 0;
        rest += written;
        length -= written;
    }
    return 1;
}

static int write_text(const struct provider *provider, OSSL_CORE_BIO *out, const char *text) {
    return write_all(provider, out, text, strlen(text));
}

/* Lines of 64 characters. */
static int write_pem(
    const struct provider *provider, OSSL_CORE_BIO *out, const char *label, const unsigned char *der, size_t length) {
    unsigned char line[66];
    char border[64];

    BIO_snprintf(border, sizeof border, "-----BEGIN %s-----\n", label);
    if (!write_text(provider, out, border))
        return 0;
    for (size_t done = 0; done < length; done += 48) {
        int count = EVP_EncodeBlock(line, der + done, (int)(length - done < 48 ? length - done : 48));
        line[count] = '\n';
        if (!write_all(provider, out, line, (size_t)count + 1))
            return 0;
    }
    BIO_snprintf(border, sizeof border, "-----END %s-----\n", label);
    return write_text(provider, out, border);
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

    (void)ask, (void)argument;
    return pkey && pkey->der && !abstract && wants_public(selection)
        && write_all(context, out, pkey->info.whole.bytes, pkey->info.whole.length);
}

static int encode_info_pem(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    const struct pkey *pkey = object;

    (void)ask, (void)argument;
    return pkey && pkey->der && !abstract && wants_public(selection)
        && write_pem(context, out, "PUBLIC KEY", pkey->info.whole.bytes, pkey->info.whole.length);
}

/* ---- Private keys ---- */

static int does_private(void *provider, int selection) {
    (void)provider;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0;
}

static unsigned char *make_uri(const struct pkey *pkey, size_t *length) {
    struct der_writer writer = {0};
    size_t end;

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

/* A private key for a file, under a password if a cipher is named, and its label in PEM. */
static unsigned char *make_private(
    const struct writing *writing, const struct pkey *pkey, OSSL_PASSPHRASE_CALLBACK *ask, void *argument, size_t *length,
    const char **label) {
    unsigned char *der, *encrypted;
    size_t plain_length;

    if (pkey->uri) {
        *label = URI_LABEL;
        return make_uri(pkey, length);
    }
    if (!pkey->number) {
        FAIL(REASON_INPUT, "the key has no private half");
        return NULL;
    }
    *label = "PRIVATE KEY";
    der = pkcs8_write(pkey, length);
    if (!der || !writing->cipher)
        return der;
    *label = "ENCRYPTED PRIVATE KEY";
    plain_length = *length;
    encrypted = writing_encrypt(writing, der, length, ask, argument);
    OPENSSL_clear_free(der, plain_length);
    return encrypted;
}

static int encode_private(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument, bool is_pem) {
    const struct writing *writing = context;
    const char *label;
    size_t length = 0;
    unsigned char *der;
    int done;

    if (!object || abstract || !does_private(context, selection))
        return 0;
    der = make_private(writing, object, ask, argument, &length, &label);
    done = der
        && (is_pem ? write_pem(writing->provider, out, label, der, length) : write_all(writing->provider, out, der, length));
    OPENSSL_clear_free(der, length);
    return done;
}
static int encode_private_der(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    return encode_private(context, out, object, abstract, selection, ask, argument, false);
}
static int encode_private_pem(
    void *context, OSSL_CORE_BIO *out, const void *object, const OSSL_PARAM abstract[], int selection,
    OSSL_PASSPHRASE_CALLBACK *ask, void *argument) {
    return encode_private(context, out, object, abstract, selection, ask, argument, true);
}

/* ---- Text ---- */

static int does_text(void *provider, int selection) { return (void)provider, (void)selection, 1; }

static void add_number(struct text *text, const char *name, const unsigned char *octets, size_t size) {
    text_add(text, "%s", name);
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
    int done;

    (void)ask, (void)argument;
    if (!pkey || abstract)
        return 0;
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && pkey->uri) {
        if (!write_text(context, out, "Private key on a token: ") || !write_text(context, out, pkey->uri)
            || !write_text(context, out, "\n"))
            return 0;
    }
    if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY && pkey->number)
        add_number(&text, "Private key: ", pkey->number->octets, pkey->number->length);
    if (pkey->curve && pkey->der) {
        size = pkey->curve->numbers->size;
        text_add(&text, "Public key:\n");
        add_number(&text, "    X:", pkey->info.key.bytes, size);
        add_number(&text, "    Y:", pkey->info.key.bytes + size, size);
        text_add(&text, "Parameter set: %s\n", pkey->curve->name);
    } else if (!pkey->curve) {
        text_add(&text, "%s, %d bits\n", pkey_name(pkey->kind), EVP_PKEY_get_bits(pkey->pkey));
    }
    done = write_text(context, out, text.characters);
    OPENSSL_cleanse(&text, sizeof text);
    return done;
}

#define ENCODER(name, does, encode) \
    static const OSSL_DISPATCH name[] = { \
        ENTRY(OSSL_FUNC_ENCODER_NEWCTX, new), ENTRY(OSSL_FUNC_ENCODER_FREECTX, release), \
        ENTRY(OSSL_FUNC_ENCODER_DOES_SELECTION, does), ENTRY(OSSL_FUNC_ENCODER_ENCODE, encode), END_OF_TABLE, \
    }
ENCODER(info_der, does_public, encode_info);
ENCODER(info_pem, does_public, encode_info_pem);
#define PRIVATE_ENCODER(name, encode) \
    static const OSSL_DISPATCH name[] = { \
        ENTRY(OSSL_FUNC_ENCODER_NEWCTX, writing_new), ENTRY(OSSL_FUNC_ENCODER_FREECTX, writing_free), \
        ENTRY(OSSL_FUNC_ENCODER_SET_CTX_PARAMS, writing_set), \
        ENTRY(OSSL_FUNC_ENCODER_SETTABLE_CTX_PARAMS, writing_settable), \
        ENTRY(OSSL_FUNC_ENCODER_DOES_SELECTION, does_private), ENTRY(OSSL_FUNC_ENCODER_ENCODE, encode), END_OF_TABLE, \
    }
PRIVATE_ENCODER(private_der, encode_private_der);
PRIVATE_ENCODER(private_pem, encode_private_pem);
ENCODER(text_encoder, does_text, encode_text);
/* The default provider's text of a public half has more detail. */
ENCODER(private_text, does_private, encode_text);

#define PUBLIC(names) \
    {names, PROPERTIES ",output=der,structure=SubjectPublicKeyInfo", info_der, "public keys"}, \
        {names, PROPERTIES ",output=pem,structure=SubjectPublicKeyInfo", info_pem, "public keys"}, \
        {names, PROPERTIES ",output=text", text_encoder, "keys for people"}
#define PRIVATE(names) \
    {names, PROPERTIES ",output=der,structure=PrivateKeyInfo", private_der, "private keys"}, \
        {names, PROPERTIES ",output=pem,structure=PrivateKeyInfo", private_pem, "private keys"}
#define TEXT(names) {names, PROPERTIES ",output=text", private_text, "keys for people"}
const OSSL_ALGORITHM encoder_algorithms[] = {
    PUBLIC(GOST_256_NAMES), PUBLIC(GOST_512_NAMES), PUBLIC(GOST_2001_NAMES), PRIVATE(GOST_256_NAMES),
    PRIVATE(GOST_512_NAMES), PRIVATE(GOST_2001_NAMES), PRIVATE(RSA_NAMES), PRIVATE(EC_NAMES), TEXT(RSA_NAMES),
    TEXT(EC_NAMES), {NULL, NULL, NULL, NULL},
};
