/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orders
 *
 * Calls to the provider "kanal" in orders that other programs use, without a token: threads that need the default provider for the
 * first time, a tag before key and nonce, public keys of another library context, a signature after one that failed. Prints "good"
 * and ends with 0, or prints what is not so. OPENSSL_MODULES has the provider.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

struct providers {
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *other, *kanal;
};

static struct providers begin(void) {
    struct providers all = {.library = OSSL_LIB_CTX_new()};

    all.other = OSSL_PROVIDER_load(all.library, "default");
    all.kanal = OSSL_PROVIDER_load(all.library, "kanal");
    if (!all.other || !all.kanal)
        fail("a provider is not loaded");
    return all;
}

static void end(struct providers all) {
    OSSL_PROVIDER_unload(all.kanal);
    OSSL_PROVIDER_unload(all.other);
    OSSL_LIB_CTX_free(all.library);
}

static EVP_PKEY *generate(OSSL_LIB_CTX *library) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "gost2012_256", NULL);
    EVP_PKEY *key = NULL;

    if (!making || EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_generate(making, &key) != 1)
        fail("no key is made");
    EVP_PKEY_CTX_free(making);
    return key;
}

/* ---- Threads ---- */

static struct providers shared;
static pthread_barrier_t together;
static unsigned char point[65];
static size_t point_length;

static void *import(void *unused) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(shared.library, "EC", "provider=kanal");
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, point_length), OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;

    if (!making || EVP_PKEY_fromdata_init(making) != 1)
        fail("no import begins");
    pthread_barrier_wait(&together);
    if (EVP_PKEY_fromdata(making, &key, EVP_PKEY_PUBLIC_KEY, list) != 1)
        fail("a public key is not imported");
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(making);
    return unused;
}

/* Whatever providers are loaded afterwards. */
static void threads(void) {
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    pthread_t thread[4];

    if (!key || !EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &point_length))
        fail("no point is made");
    for (int round = 0; round < 30; round++) {
        OSSL_PROVIDER *later;

        shared = begin();
        pthread_barrier_init(&together, NULL, 4);
        for (int i = 0; i < 4; i++)
            if (pthread_create(&thread[i], NULL, import, NULL) != 0)
                fail("no thread begins");
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&together);
        later = OSSL_PROVIDER_load(shared.library, "base");
        if (!later)
            fail("a provider is not loaded after the threads");
        OSSL_PROVIDER_unload(later);
        end(shared);
    }
    EVP_PKEY_free(key);
}

/* ---- Orders ---- */

static void tag_first(OSSL_LIB_CTX *library) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "kuznyechik-mgm", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char key[32] = {1}, nonce[16] = {2}, text[16], sealed[16], tag[16];
    int length, rest;

    if (!EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL)
        || !EVP_EncryptUpdate(context, sealed, &length, (const unsigned char *)"message", 7)
        || !EVP_EncryptFinal_ex(context, sealed + length, &rest)
        || !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag))
        fail("nothing is sealed");
    /* The tag that was computed is not one that was set. */
    if (!EVP_DecryptInit_ex2(context, NULL, NULL, nonce, NULL) || !EVP_DecryptUpdate(context, text, &length, sealed, 7)
        || EVP_DecryptFinal_ex(context, text + length, &rest))
        fail("a message is opened without a tag");
    for (int wrong = 0; wrong < 2; wrong++) {
        tag[0] ^= wrong;
        if (!EVP_CIPHER_CTX_reset(context) || !EVP_DecryptInit_ex2(context, cipher, NULL, NULL, NULL)
            || !EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag)
            || !EVP_DecryptInit_ex2(context, NULL, key, nonce, NULL) || !EVP_DecryptUpdate(context, text, &length, sealed, 7)
            || EVP_DecryptFinal_ex(context, text + length, &rest) == wrong)
            fail("a tag before key and nonce is not the message's");
    }
    /* Nor does a tag count for the next message. */
    if (!EVP_DecryptInit_ex2(context, NULL, NULL, nonce, NULL) || !EVP_DecryptUpdate(context, text, &length, sealed, 7)
        || EVP_DecryptFinal_ex(context, text + length, &rest))
        fail("a tag counts for two messages");
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

/* A peer's public key that another library context has read; and all parameters of one. */
static void other_context(OSSL_LIB_CTX *library) {
    struct providers other = begin();
    EVP_PKEY *own = generate(library), *peer = generate(library), *read;
    unsigned char *der = NULL;
    const unsigned char *next;
    OSSL_PARAM *all = NULL;
    EVP_PKEY_CTX *agreeing = EVP_PKEY_CTX_new_from_pkey(library, own, NULL);
    int length = i2d_PUBKEY(peer, &der);

    next = der;
    read = length > 0 ? d2i_PUBKEY_ex(NULL, &next, length, other.library, NULL) : NULL;
    if (!read || EVP_PKEY_derive_init(agreeing) != 1 || EVP_PKEY_derive_set_peer(agreeing, read) != 1)
        fail("a public key of another context is no peer");
    if (EVP_PKEY_todata(read, EVP_PKEY_KEYPAIR, &all) != 1 || !OSSL_PARAM_locate(all, OSSL_PKEY_PARAM_PUB_KEY)
        || OSSL_PARAM_locate(all, OSSL_PKEY_PARAM_PRIV_KEY))
        fail("the parameters of a public key are not its group and point");
    OSSL_PARAM_free(all);
    EVP_PKEY_CTX_free(agreeing);
    EVP_PKEY_free(read);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(own);
    OPENSSL_free(der);
    end(other);
}

static bool verifies(EVP_PKEY *key, const unsigned char *signature, size_t length, const char *text) {
    EVP_MD_CTX *verifying = EVP_MD_CTX_new();
    bool is_good = EVP_DigestVerifyInit(verifying, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(verifying, signature, length, (const unsigned char *)text, strlen(text)) == 1;

    EVP_MD_CTX_free(verifying);
    return is_good;
}

/* Later versions of libcrypto refuse the second signature by themselves. */
static void signature_again(OSSL_LIB_CTX *library) {
    EVP_PKEY *key = generate(library);
    EVP_MD_CTX *signing = EVP_MD_CTX_new();
    unsigned char signature[64];
    size_t length = 10;

    if (EVP_DigestSignInit_ex(signing, NULL, NULL, library, NULL, key, NULL) != 1 || EVP_DigestSignUpdate(signing, "message", 7) != 1)
        fail("no signature begins");
    EVP_MD_CTX_set_flags(signing, EVP_MD_CTX_FLAG_FINALISE);
    if (EVP_DigestSignFinal(signing, signature, &length) == 1)
        fail("a signature has room in ten bytes");
    length = sizeof signature;
    if (EVP_DigestSignFinal(signing, signature, &length) == 1 && !verifies(key, signature, length, "message"))
        fail("a signature after one that failed is of another message");
    EVP_MD_CTX_free(signing);
    EVP_PKEY_free(key);
}

/* The first names that the digests have in gost-engine's provider. */
static void names(OSSL_LIB_CTX *library) {
    EVP_PKEY *key = generate(library);
    EVP_MD_CTX *signing = EVP_MD_CTX_new();

    if (EVP_DigestSignInit_ex(signing, NULL, "id-tc26-gost3411-12-256", library, NULL, key, NULL) != 1
        && ERR_GET_LIB(ERR_peek_last_error()) != ERR_LIB_EVP)
        fail("the digest is refused by another of its names");
    EVP_MD_CTX_free(signing);
    EVP_PKEY_free(key);
}

/* A refusal has a reason. */
static void reasons(OSSL_LIB_CTX *library) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "gost2012_256", NULL);
    OSSL_PARAM list[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "A", 0), OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;

    ERR_clear_error();
    if (EVP_PKEY_fromdata_init(making) != 1 || EVP_PKEY_fromdata(making, &key, EVP_PKEY_PUBLIC_KEY, list) == 1)
        fail("a public key is made of a group");
    if (!ERR_peek_error())
        fail("a public key without a point is refused without a reason");
    ERR_clear_error();
    EVP_PKEY_CTX_free(making);
}

/* Keys of TLS, which are made in memory, also where this provider is asked first. */
static void agreements(void) {
    static const char *const curves[] = {"P-256", "P-384"};
    struct providers all = begin();

    if (EVP_set_default_properties(all.library, "?provider=kanal") != 1)
        fail("the provider is not preferred");
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        EVP_PKEY *own = EVP_PKEY_Q_keygen(all.library, NULL, "EC", curves[i]);
        EVP_PKEY *peer = EVP_PKEY_Q_keygen(all.library, NULL, "EC", curves[i]);
        EVP_PKEY_CTX *deriving = own ? EVP_PKEY_CTX_new_from_pkey(all.library, own, NULL) : NULL;
        EVP_PKEY *half = EVP_PKEY_new();
        unsigned char secret[64], *point = NULL;
        size_t length = sizeof secret, point_length;

        if (!own || !peer || !deriving)
            fail("no key of EC is made in memory");
        point_length = EVP_PKEY_get1_encoded_public_key(peer, &point);
        if (point_length == 0 || EVP_PKEY_copy_parameters(half, own) != 1
            || EVP_PKEY_set1_encoded_public_key(half, point, point_length) != 1 || EVP_PKEY_derive_init(deriving) != 1
            || EVP_PKEY_derive_set_peer(deriving, half) != 1 || EVP_PKEY_derive(deriving, secret, &length) != 1)
            fail("keys of EC in memory do not agree");
        OPENSSL_free(point);
        EVP_PKEY_CTX_free(deriving);
        EVP_PKEY_free(half);
        EVP_PKEY_free(own);
        EVP_PKEY_free(peer);
    }
    end(all);
}

/* No text is no output, whatever was kept. */
static void nothing(OSSL_LIB_CTX *library) {
    static const unsigned char key[32] = {1}, vector[16] = {2}, text[32] = {3};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "kuznyechik-cbc", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char out[64];
    int length = 0;

    if (EVP_DecryptInit_ex2(context, cipher, key, vector, NULL) != 1
        || EVP_DecryptUpdate(context, out, &length, text, sizeof text) != 1 || length != 16
        || EVP_CIPHER_CTX_set_padding(context, 0) != 1 || EVP_DecryptUpdate(context, out, &length, text, 0) != 1 || length != 0)
        fail("no text has an output");
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

int main(void) {
    struct providers all;

    threads();
    all = begin();
    tag_first(all.library);
    other_context(all.library);
    signature_again(all.library);
    names(all.library);
    reasons(all.library);
    nothing(all.library);
    end(all);
    agreements();
    puts("good");
    return 0;
}
