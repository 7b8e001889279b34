/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shortage [URI]
 *
 * The provider "kanal" without memory: each allocation that its own files ask for fails in one of the rounds, with keys in memory
 * or with the key of a URI. What fails is NULL or an error; prints how many have failed. OPENSSL_MODULES has the provider,
 * OPENSSL_CONF the settings of a URI's.
 */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many of the provider's allocations are still to succeed; below 0 all do. */
static long left = -1;

static int fails(const char *file) {
    return left >= 0 && file && (strstr(file, "OpenSSLProvider") || strstr(file, "OpenSSLKeys")) && left-- == 0;
}
static void *allocate(size_t size, const char *file, int line) {
    (void)line;
    return fails(file) || size == 0 ? NULL : malloc(size);
}
static void *reallocate(void *memory, size_t size, const char *file, int line) {
    (void)line;
    return fails(file) ? NULL : realloc(memory, size);
}
static void release(void *memory, const char *file, int line) {
    (void)file, (void)line;
    free(memory);
}

static OSSL_LIB_CTX *library;
static const unsigned char message[5000] = {1};

/* ---- What is tried ---- */

static EVP_PKEY *generate(const char *curve) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "gost2012_256", NULL);
    EVP_PKEY *key = NULL;

    if (making && EVP_PKEY_keygen_init(making) == 1 && EVP_PKEY_CTX_ctrl_str(making, "paramset", curve) == 1)
        EVP_PKEY_keygen(making, &key);
    EVP_PKEY_CTX_free(making);
    return key;
}

static EVP_PKEY *load(const char *uri) {
    OSSL_STORE_CTX *store = OSSL_STORE_open_ex(uri, library, NULL, NULL, NULL, NULL, NULL, NULL);
    OSSL_STORE_INFO *info = store && OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) ? OSSL_STORE_load(store) : NULL;
    EVP_PKEY *key = info ? OSSL_STORE_INFO_get1_PKEY(info) : NULL;

    OSSL_STORE_INFO_free(info);
    OSSL_STORE_close(store);
    return key;
}

static void sign(EVP_PKEY *key) {
    unsigned char signature[512];
    size_t length = sizeof signature;
    EVP_MD_CTX *signing = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();

    if (EVP_DigestSignInit_ex(signing, NULL, NULL, library, NULL, key, NULL) == 1 && EVP_MD_CTX_copy_ex(copy, signing) == 1
        && EVP_DigestSign(copy, signature, &length, message, sizeof message) == 1
        && EVP_DigestVerifyInit_ex(signing, NULL, NULL, library, NULL, key, NULL) == 1)
        EVP_DigestVerify(signing, signature, length, message, sizeof message);
    EVP_MD_CTX_free(signing);
    EVP_MD_CTX_free(copy);
}

static void derive(EVP_PKEY *key, EVP_PKEY *peer) {
    unsigned char ukm[8] = {1}, secret[64];
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string("ukm", ukm, sizeof ukm), OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *deriving = EVP_PKEY_CTX_new_from_pkey(library, key, NULL), *copy = NULL;
    size_t length = sizeof secret;

    if (deriving && EVP_PKEY_derive_init_ex(deriving, EVP_PKEY_is_a(key, "EC") ? NULL : parameters) == 1
        && EVP_PKEY_derive_set_peer(deriving, peer) == 1 && (copy = EVP_PKEY_CTX_dup(deriving)))
        EVP_PKEY_derive(copy, secret, &length);
    EVP_PKEY_CTX_free(deriving);
    EVP_PKEY_CTX_free(copy);
}

/* A key's files, and what is read from them. */
static void write_and_read(EVP_PKEY *key, int selection, const char *structure, const char *cipher) {
    OSSL_ENCODER_CTX *encoding = OSSL_ENCODER_CTX_new_for_pkey(key, selection, "PEM", structure, NULL);
    OSSL_DECODER_CTX *decoding;
    const unsigned char *rest;
    unsigned char *file = NULL;
    size_t length = 0;
    EVP_PKEY *read = NULL;

    if (encoding && cipher) {
        OSSL_ENCODER_CTX_set_cipher(encoding, cipher, NULL);
        OSSL_ENCODER_CTX_set_passphrase(encoding, (const unsigned char *)"secret", 6);
    }
    if (encoding && OSSL_ENCODER_to_data(encoding, &file, &length)) {
        rest = file;
        decoding = OSSL_DECODER_CTX_new_for_pkey(&read, "PEM", NULL, NULL, selection, library, NULL);
        if (decoding && cipher)
            OSSL_DECODER_CTX_set_passphrase(decoding, (const unsigned char *)"secret", 6);
        OSSL_DECODER_from_data(decoding, &rest, &length);
        OSSL_DECODER_CTX_free(decoding);
    }
    OPENSSL_free(file);
    EVP_PKEY_free(read);
    OSSL_ENCODER_CTX_free(encoding);
}

static void share(EVP_PKEY *key) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "gost2012_256", NULL);
    EVP_PKEY *copy = EVP_PKEY_dup(key), *half = NULL, *parameters = EVP_PKEY_new();
    OSSL_PARAM *data = NULL;

    if (EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &data) == 1 && making && EVP_PKEY_fromdata_init(making) == 1)
        EVP_PKEY_fromdata(making, &half, EVP_PKEY_PUBLIC_KEY, data);
    if (half) {
        EVP_PKEY_free(copy);
        copy = EVP_PKEY_dup(half);
    }
    if (parameters)
        EVP_PKEY_copy_parameters(parameters, key);
    OSSL_PARAM_free(data);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(half);
    EVP_PKEY_free(parameters);
    EVP_PKEY_CTX_free(making);
}

static void encipher(const char *name) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new(), *copy = EVP_CIPHER_CTX_new();
    unsigned char out[sizeof message + 32];
    ASN1_TYPE *parameters = ASN1_TYPE_new();
    int length = 0;

    if (cipher && EVP_EncryptInit_ex2(context, cipher, message, message, NULL) == 1
        && EVP_CIPHER_param_to_asn1(context, parameters) >= 0 && EVP_CIPHER_CTX_copy(copy, context) == 1
        && EVP_EncryptUpdate(copy, out, &length, message, sizeof message) == 1)
        EVP_EncryptFinal_ex(copy, out + length, &length);
    ASN1_TYPE_free(parameters);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_CTX_free(copy);
    EVP_CIPHER_free(cipher);
}

static void code(const char *name) {
    EVP_MAC *mac = EVP_MAC_fetch(library, name, NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL, *copy = context ? EVP_MAC_CTX_dup(context) : NULL;
    unsigned char out[16];
    size_t length;

    if (copy && EVP_MAC_init(copy, message, 32, NULL) == 1 && EVP_MAC_update(copy, message, sizeof message) == 1)
        EVP_MAC_final(copy, out, &length, sizeof out);
    EVP_MAC_CTX_free(context);
    EVP_MAC_CTX_free(copy);
    EVP_MAC_free(mac);
}

static void try(const char *uri) {
    const int whole = EVP_PKEY_KEYPAIR;
    EVP_PKEY *key = uri ? load(uri) : generate("TCA"), *peer = NULL;

    if (key) {
        sign(key);
        peer = uri ? EVP_PKEY_dup(key) : generate("TCA");
        if (peer)
            derive(key, peer);
        write_and_read(key, EVP_PKEY_PUBLIC_KEY, "SubjectPublicKeyInfo", NULL);
        write_and_read(key, whole, "PrivateKeyInfo", NULL);
        share(key);
    }
    if (key && !uri)
        write_and_read(key, whole, "PrivateKeyInfo", "kuznyechik-ctr-acpkm");
    if (!uri) {
        encipher("gost89");
        encipher("kuznyechik-ctr-acpkm-omac");
        encipher("magma-mgm");
        code("gost-mac");
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
}

int main(int argc, char **argv) {
    const char *uri = argc > 1 ? argv[1] : NULL, *settings = getenv("OPENSSL_CONF");
    OSSL_PROVIDER *standard, *own;
    long round, failed;

    if (!CRYPTO_set_mem_functions(allocate, reallocate, release))
        return 1;
    for (round = 0, failed = 0;; round++) {
        library = OSSL_LIB_CTX_new();
        if (uri && !OSSL_LIB_CTX_load_config(library, settings))
            return 1;
        standard = OSSL_PROVIDER_load(library, "default");
        left = round;
        own = OSSL_PROVIDER_load(library, "kanal");
        if (own)
            try(uri);
        failed += left < 0;
        if (left >= 0)
            break;
        left = -1;
        if (own)
            OSSL_PROVIDER_unload(own);
        OSSL_PROVIDER_unload(standard);
        OSSL_LIB_CTX_free(library);
        ERR_clear_error();
    }
    left = -1;
    if (!own)
        return 1;
    OSSL_PROVIDER_unload(own);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    printf("good %ld\n", failed);
    return 0;
}
