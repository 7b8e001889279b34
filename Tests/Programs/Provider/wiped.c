/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wiped
 *
 * Reads and writes private keys, and opens URIs with a PIN, by the provider "kanal". No memory that it frees has the
 * key's number, or the PIN.
 */
#include "context.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <string.h>

static const char pin[] = "pin-that-is-looked-for";
static const unsigned char *number;
static size_t length;
static long looked_at;

static void *give(size_t size, const char *file, int line) { return (void)file, (void)line, malloc(size); }
static void *change(void *memory, size_t size, const char *file, int line) {
    return (void)file, (void)line, realloc(memory, size);
}

static bool has(const unsigned char *memory, size_t size, const void *secret, size_t secret_length) {
    for (size_t i = 0; secret && i + secret_length <= size; i++)
        if (memcmp(memory + i, secret, secret_length) == 0)
            return true;
    return false;
}

/* What OpenSSL itself leaves behind is not looked at. */
static void take(void *memory, const char *file, int line) {
    size_t size = memory ? malloc_usable_size(memory) : 0;

    if (file && (strstr(file, "OpenSSLProvider/") || strstr(file, "OpenSSLKeys/"))) {
        looked_at++;
        if (has(memory, size, number, length) || has(memory, size, pin, sizeof pin - 1)) {
            fprintf(stderr, "%s:%d: a secret is in memory that is given back\n", file, line);
            exit(1);
        }
    }
    free(memory);
}

/* The number is at the end of the key's DER, and its PEM and text are written, too. */
static void try_key(OSSL_LIB_CTX *library, EVP_PKEY *key, size_t at_end) {
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    unsigned char *der = NULL, copy[4096];
    int size = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &der) : 0;
    const unsigned char *rest = copy;
    EVP_PKEY *again;

    if (size <= 0 || (size_t)size > sizeof copy || (size_t)size < at_end)
        fail("a key is not written");
    memcpy(copy, der, (size_t)size);
    number = copy + size - at_end;
    length = 32;
    /* As a program reads a file of which it does not know what it has: each decoder looks at it. */
    again = d2i_AutoPrivateKey_ex(NULL, &rest, size, library, NULL);
    if (!again)
        fail("a key is not read");
    EVP_PKEY_free(again);
    /* The decoder of public keys looks at it first in some orders. */
    OSSL_DECODER *decoder =
        OSSL_DECODER_fetch(library, "gost2012_256", "provider=kanal,input=der,structure=SubjectPublicKeyInfo");
    OSSL_DECODER_CTX *decoding = OSSL_DECODER_CTX_new();
    size_t left = (size_t)size;
    rest = copy;
    if (!decoder || !OSSL_DECODER_CTX_set_input_type(decoding, "DER") || !OSSL_DECODER_CTX_add_decoder(decoding, decoder))
        fail("no decoder of public keys");
    OSSL_DECODER_from_data(decoding, &rest, &left);
    OSSL_DECODER_CTX_free(decoding);
    OSSL_DECODER_free(decoder);
    BIO *file = BIO_new_mem_buf(copy, size);
    OSSL_STORE_CTX *store = OSSL_STORE_attach(file, "file", library, NULL, NULL, NULL, NULL, NULL, NULL);
    if (!store)
        fail("a file is not opened");
    while (!OSSL_STORE_eof(store))
        OSSL_STORE_INFO_free(OSSL_STORE_load(store));
    OSSL_STORE_close(store);
    BIO_free(file);
    file = BIO_new(BIO_s_null());
    EVP_PKEY_print_private(file, key, 0, NULL);
    BIO_free(file);
    number = NULL;
    OPENSSL_clear_free(der, (size_t)size);
    PKCS8_PRIV_KEY_INFO_free(info);
}

int main(void) {
    static const char uri[] = "pkcs11:object=none?module-path=/nowhere.so&pin-value=pin-that-is-looked-for";
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *own, *standard;
    EVP_PKEY *key;
    EVP_PKEY_CTX *making;

    if (!CRYPTO_set_mem_functions(give, change, take))
        fail("the program sees no memory");
    library = OSSL_LIB_CTX_new();
    standard = OSSL_PROVIDER_load(library, "default");
    own = OSSL_PROVIDER_load(library, "kanal");
    if (!standard || !own)
        fail("the provider is not loaded");
    for (int i = 0; i < 2; i++) {
        making = EVP_PKEY_CTX_new_from_name(library, i ? "X25519" : "gost2012_256", NULL);
        key = NULL;
        if (!making || EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_keygen(making, &key) != 1)
            fail("no key");
        EVP_PKEY_CTX_free(making);
        try_key(library, key, 32);
        EVP_PKEY_free(key);
    }
    if (load(library, uri))
        fail("a key comes of a module that is missing");
    making = EVP_PKEY_CTX_new_from_name(library, "RSA", "provider=kanal");
    key = NULL;
    if (!making || EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_CTX_ctrl_str(making, "pkcs11_uri", uri) != 1
        || EVP_PKEY_keygen(making, &key) == 1)
        fail("a key is made by a module that is missing");
    EVP_PKEY_CTX_free(making);
    OSSL_PROVIDER_unload(own);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    if (looked_at == 0)
        fail("the program sees nothing of the provider's memory");
    puts("good");
    return 0;
}
