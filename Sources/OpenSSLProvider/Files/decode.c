/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoders: SubjectPublicKeyInfo and PrivateKeyInfo of GOST keys, and files that hold the URI of a token's key: PEM
 * with a label of its own, around SEQUENCE { VisibleString "PKCS#11 Provider URI v1.0", UTF8String }, as in
 * pkcs11-provider and others.
 */
#include "provider.h"

#include "libcrypto.h"

#include <string.h>

#define URI_STRUCTURE "pkcs11-uri"
enum { LARGEST_INPUT = 1 << 16 };

static void *new(void *provider) { return provider; }
static void release(void *provider) { (void)provider; }

/* The whole input; NULL if it is empty, or longer than a key may be. */
static unsigned char *read_all(const struct provider *provider, OSSL_CORE_BIO *in, size_t *length) {
    unsigned char *octets = OPENSSL_malloc(LARGEST_INPUT);
    size_t count;

    *length = 0;
    while (octets && *length < LARGEST_INPUT
           && provider->read(in, octets + *length, LARGEST_INPUT - *length, &count) == 1 && count > 0)
        *length += count;
    if (octets && *length > 0 && *length < LARGEST_INPUT)
        return octets;
    OPENSSL_clear_free(octets, LARGEST_INPUT);
    return NULL;
}

/*
 * After an error of a file that no other decoder reads. OpenSSL's store drops the errors of decoders up to the last
 * mark, and reports "unsupported" in their place: marks on the error itself keep it. Each level of decoders may remove
 * one mark.
 */
static int keep_error(void) {
    for (int i = 0; i < 4; i++)
        ERR_set_mark();
    return 1;
}

/* ---- SubjectPublicKeyInfo ---- */

/* Other input than a public key of GOST is left to other decoders, without an error. */
static int decode_info(
    void *context, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
    OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    size_t length;
    unsigned char *octets = read_all(context, in, &length), *copy;
    struct info info;
    struct pkey *pkey;

    (void)selection, (void)ask, (void)ask_argument;
    if (!octets || !info_read(octets, length, &info) || !is_gost_kind(info.kind)) {
        /* It may be another key's private half. */
        OPENSSL_clear_free(octets, LARGEST_INPUT);
        return 1;
    }
    /* Without the rest of the buffer. */
    copy = OPENSSL_memdup(octets, length);
    OPENSSL_clear_free(octets, LARGEST_INPUT);
    pkey = copy ? pkey_new(context, copy, length) : NULL;
    return pkey ? pkey_give(pkey, callback, argument) : 1;
}

/* 0 asks for any part. */
static int wants_public(void *provider, int selection) {
    (void)provider;
    return selection == 0
        || (!(selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
            && selection & (OSSL_KEYMGMT_SELECT_PUBLIC_KEY | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS));
}

/* ---- PrivateKeyInfo ---- */

static int wants_private(void *provider, int selection) {
    (void)provider;
    return selection == 0 || selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY;
}

/*
 * Other input than a key of GOST is left to other decoders, without an error; and a key of GOST to an engine for such
 * keys, if one is loaded.
 */
static int decode_private(
    void *context, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
    OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    size_t length;
    unsigned char *octets = read_all(context, in, &length);
    struct pkcs8 pkcs8;
    struct pkey *pkey = NULL;
    bool is_own;

    (void)selection, (void)ask, (void)ask_argument;
    is_own = octets && pkcs8_read(octets, length, &pkcs8) && !libcrypto_has_engine(pkey_number(pkcs8.kind));
    if (is_own)
        pkey = pkcs8_key(context, &pkcs8);
    OPENSSL_clear_free(octets, LARGEST_INPUT);
    return pkey ? pkey_give(pkey, callback, argument) : !is_own || keep_error();
}

/* ---- Files with a URI ---- */

/* The URI in a file's DER, as a text that the caller frees; NULL if the file has no URI. */
static char *read_uri(const unsigned char *octets, size_t length) {
    const struct der version_1 = {(const unsigned char *)URI_VERSION, strlen(URI_VERSION)};
    struct der rest = {octets, length}, sequence, version, text;

    if (!der_take(&rest, 0x30, &sequence) || rest.length || !der_take(&sequence, 0x1A, &version)
        || !der_equal(version, version_1) || !der_take(&sequence, 0x0C, &text) || sequence.length
        || text.length == 0 || memchr(text.bytes, 0, text.length))
        return NULL;
    return OPENSSL_strndup((const char *)text.bytes, text.length);
}

/* Whether DER that may be damaged begins as a file with a URI does. */
static bool is_uri_file(const unsigned char *octets, size_t length) {
    static const char begin[] = "PKCS#11 Provider URI";
    size_t size = sizeof begin - 1;

    for (size_t i = 0; i < 12 && length >= size && i <= length - size; i++)
        if (memcmp(octets + i, begin, size) == 0)
            return true;
    return false;
}

static int decode_uri(
    void *context, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
    OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    size_t length;
    unsigned char *octets = read_all(context, in, &length);
    char *uri = octets ? read_uri(octets, length) : NULL;
    bool is_damaged = octets && !uri && is_uri_file(octets, length);
    struct pkey *pkey;

    (void)selection;
    OPENSSL_clear_free(octets, LARGEST_INPUT);
    if (is_damaged) {
        FAIL(REASON_INPUT, "the file with a URI is damaged, or has another version than \"" URI_VERSION "\"; write it again");
        return keep_error();
    }
    if (!uri)
        return 1;
    pkey = store_find(context, uri, ask, ask_argument);
    OPENSSL_clear_free(uri, strlen(uri));
    if (!pkey)
        keep_error();
    return pkey && pkey_give(pkey, callback, argument);
}

#define FIRST_LINE "-----BEGIN " URI_LABEL "-----"
/* The content between the lines of the label; 0 without content. */
static size_t read_pem(const char *text, unsigned char *octets) {
    static const char first[] = FIRST_LINE, last[] = "-----END " URI_LABEL "-----";
    const char *begin = strstr(text, first), *end = begin ? strstr(begin, last) : NULL;
    EVP_ENCODE_CTX *decoding = end ? EVP_ENCODE_CTX_new() : NULL;
    int length = 0, rest = 0;

    if (!decoding)
        return 0;
    begin += sizeof first - 1;
    EVP_DecodeInit(decoding);
    if (EVP_DecodeUpdate(decoding, octets, &length, (const unsigned char *)begin, (int)(end - begin)) < 0
        || EVP_DecodeFinal(decoding, octets + length, &rest) < 0)
        length = rest = 0;
    EVP_ENCODE_CTX_free(decoding);
    return (size_t)length + (size_t)rest;
}

static int decode_pem(
    void *context, OSSL_CORE_BIO *in, int selection, OSSL_CALLBACK *callback, void *argument,
    OSSL_PASSPHRASE_CALLBACK *ask, void *ask_argument) {
    int type = OSSL_OBJECT_PKEY, done = 1;
    size_t length, der_length = 0;
    unsigned char *octets = read_all(context, in, &length), *der = octets ? OPENSSL_malloc(length + 1) : NULL;

    (void)selection, (void)ask, (void)ask_argument;
    if (der) {
        /* The room suffices, since the input is shorter than the memory. */
        octets[length] = 0;
        der_length = read_pem((char *)octets, der);
        if (!der_length && strstr((char *)octets, FIRST_LINE)) {
            FAIL(REASON_INPUT, "the file with a URI has no last line, or no base64 before it; write it again");
            keep_error();
        }
    }
    if (der_length) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
            OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_STRUCTURE, URI_STRUCTURE, 0),
            OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_DATA, der, der_length),
            OSSL_PARAM_construct_end(),
        };
        done = callback(parameters, argument);
    }
    OPENSSL_clear_free(octets, LARGEST_INPUT);
    OPENSSL_clear_free(der, der_length);
    return done;
}

#define DECODER(name, wants, decode) \
    static const OSSL_DISPATCH name[] = { \
        ENTRY(OSSL_FUNC_DECODER_NEWCTX, new), ENTRY(OSSL_FUNC_DECODER_FREECTX, release), \
        ENTRY(OSSL_FUNC_DECODER_DOES_SELECTION, wants), ENTRY(OSSL_FUNC_DECODER_DECODE, decode), END_OF_TABLE, \
    }
DECODER(info_decoder, wants_public, decode_info);
DECODER(private_decoder, wants_private, decode_private);
DECODER(uri_decoder, wants_private, decode_uri);
DECODER(pem_decoder, wants_private, decode_pem);

#define INFO(names) {names, PROPERTIES ",input=der,structure=SubjectPublicKeyInfo", info_decoder, "public keys"}
#define PRIVATE(names) {names, PROPERTIES ",input=der,structure=PrivateKeyInfo", private_decoder, "private keys"}
#define URI(names) {names, PROPERTIES ",input=der,structure=" URI_STRUCTURE, uri_decoder, "keys of tokens"}
const OSSL_ALGORITHM decoder_algorithms[] = {
    INFO(GOST_256_NAMES), INFO(GOST_512_NAMES), INFO(GOST_2001_NAMES),
    PRIVATE(GOST_256_NAMES), PRIVATE(GOST_512_NAMES), PRIVATE(GOST_2001_NAMES),
    URI(GOST_256_NAMES), URI(GOST_512_NAMES), URI(GOST_2001_NAMES), URI(RSA_NAMES), URI(EC_NAMES),
    {"DER", PROPERTIES ",input=pem", pem_decoder, "files with a URI"},
    {NULL, NULL, NULL, NULL},
};
