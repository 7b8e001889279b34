/* SPDX-License-Identifier: Apache-2.0 */
/*
 * software MODE [NUMBER]
 *
 * GOST keys in memory by the provider "kanal", in the modes of the list at the end; prints "good" and ends with 0, or prints
 * what is not so. OPENSSL_MODULES has the provider.
 */
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static OSSL_LIB_CTX *library;
static long number;
static const char *const kinds[][2] = {{"gost2012_256", "TCA"}, {"gost2012_256", "B"}, {"gost2012_512", "C"}, {"gost2001", "A"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static EVP_PKEY *generate(int kind) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, kinds[kind][0], NULL);
    EVP_PKEY *key = NULL;

    if (!making || EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_CTX_ctrl_str(making, "paramset", kinds[kind][1]) != 1
        || EVP_PKEY_keygen(making, &key) != 1)
        fail("no key is made");
    EVP_PKEY_CTX_free(making);
    return key;
}

static bool sign(EVP_PKEY *signer, EVP_PKEY *verifier) {
    unsigned char signature[128];
    size_t length = sizeof signature;
    EVP_MD_CTX *signing = EVP_MD_CTX_new(), *verifying = EVP_MD_CTX_new();
    bool done = EVP_DigestSignInit_ex(signing, NULL, NULL, library, NULL, signer, NULL) == 1
        && EVP_DigestSign(signing, signature, &length, (const unsigned char *)"message", 7) == 1
        && EVP_DigestVerifyInit_ex(verifying, NULL, NULL, library, NULL, verifier, NULL) == 1
        && EVP_DigestVerify(verifying, signature, length, (const unsigned char *)"message", 7) == 1
        && EVP_DigestVerifyInit_ex(verifying, NULL, NULL, library, NULL, verifier, NULL) == 1
        && EVP_DigestVerify(verifying, signature, length, (const unsigned char *)"massage", 7) == 0
        && EVP_DigestVerifyInit_ex(verifying, NULL, NULL, library, NULL, verifier, NULL) == 1
        && EVP_DigestVerify(verifying, signature, length, (const unsigned char *)"message", 7) == 1;

    EVP_MD_CTX_free(signing);
    EVP_MD_CTX_free(verifying);
    return done;
}

static size_t derive(EVP_PKEY *key, EVP_PKEY *peer, unsigned char secret[64]) {
    unsigned char ukm[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string("ukm", ukm, sizeof ukm), OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *deriving = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
    size_t length = 64;
    bool done = EVP_PKEY_derive_init_ex(deriving, parameters) == 1 && EVP_PKEY_derive_set_peer(deriving, peer) == 1
        && EVP_PKEY_derive(deriving, secret, &length) == 1;

    EVP_PKEY_CTX_free(deriving);
    return done ? length : 0;
}

/* ---- Modes ---- */

/* Parts of keys as lists of parameters, and copies. */
static EVP_PKEY *from(int kind, OSSL_PARAM *data, int selection) {
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, kinds[kind][0], NULL);
    EVP_PKEY *key = NULL;

    if (EVP_PKEY_fromdata_init(making) != 1 || EVP_PKEY_fromdata(making, &key, selection, data) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(making);
    return key;
}
static void data(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        EVP_PKEY *key = generate(kind), *other = generate(kind), *half = NULL, *again = NULL, *copy = NULL,
                 *sibling = NULL;
        EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_pkey(library, key, NULL);
        unsigned char ours[64], theirs[64];
        OSSL_PARAM *whole = NULL, *public = NULL, *others = NULL, *pub;
        BIGNUM *priv = NULL;

        if (EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &whole) != 1 || EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &public) != 1
            || EVP_PKEY_todata(other, EVP_PKEY_KEYPAIR, &others) != 1)
            fail("a key is not exported");
        if (OSSL_PARAM_locate(public, OSSL_PKEY_PARAM_PRIV_KEY))
            fail("a private key is exported with the public one");
        if (!(again = from(kind, whole, EVP_PKEY_KEYPAIR)) || !(half = from(kind, public, EVP_PKEY_PUBLIC_KEY))
            || !(copy = EVP_PKEY_dup(key)))
            fail("a key is not imported, or copied");
        if (EVP_PKEY_eq(key, again) != 1 || EVP_PKEY_eq(key, half) != 1 || EVP_PKEY_eq(key, copy) != 1
            || EVP_PKEY_eq(key, other) == 1)
            fail("keys are compared wrongly");
        if (!sign(key, half) || !sign(again, key) || !sign(copy, half) || sign(other, half))
            fail("signatures are wrong");
        ERR_clear_error();
        if (sign(half, key))
            fail("a public key signs");
        if (!EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &priv) || BN_is_zero(priv))
            fail("no private number");
        /* A new key of the same parameters, as agreements have them. */
        if (EVP_PKEY_keygen_init(making) != 1 || EVP_PKEY_keygen(making, &sibling) != 1
            || EVP_PKEY_parameters_eq(key, sibling) != 1 || derive(key, sibling, ours) == 0
            || derive(sibling, half, theirs) == 0 || memcmp(ours, theirs, 32) != 0)
            fail("a sibling does not agree");
        /* Another one's public half. */
        pub = OSSL_PARAM_locate(whole, OSSL_PKEY_PARAM_PUB_KEY);
        memcpy(pub->data, OSSL_PARAM_locate(others, OSSL_PKEY_PARAM_PUB_KEY)->data, pub->data_size);
        if (from(kind, whole, EVP_PKEY_KEYPAIR))
            fail("halves of two keys are a key");
        ERR_clear_error();
        BN_clear_free(priv);
        OSSL_PARAM_free(whole);
        OSSL_PARAM_free(public);
        OSSL_PARAM_free(others);
        EVP_PKEY_CTX_free(making);
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
        EVP_PKEY_free(half);
        EVP_PKEY_free(again);
        EVP_PKEY_free(copy);
        EVP_PKEY_free(sibling);
    }
}

/* Keys of parameters alone, which have nothing to show, to verify by, or to write. */
static void parameters(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        OSSL_PARAM group[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)kinds[kind][1], 0), OSSL_PARAM_construct_end()};
        EVP_PKEY *key = from(kind, group, EVP_PKEY_KEY_PARAMETERS), *other = from(kind, group, EVP_PKEY_KEY_PARAMETERS),
                 *copy = NULL;
        EVP_PKEY_CTX *verifying = key ? EVP_PKEY_CTX_new_from_pkey(library, key, NULL) : NULL;
        OSSL_ENCODER_CTX *encoding;
        OSSL_PARAM *told = NULL;
        unsigned char digest[128], *der = NULL;
        size_t length = 0;

        memset(digest, 1, sizeof digest);
        if (!verifying || !other || !(copy = EVP_PKEY_dup(key)) || EVP_PKEY_parameters_eq(key, copy) != 1)
            fail("no parameters");
        if (EVP_PKEY_verify_init(verifying) == 1
            && EVP_PKEY_verify(verifying, digest, 0, digest, kind == 2 ? 64 : 32) == 1)
            fail("parameters verify a signature");
        if (EVP_PKEY_eq(key, other) == 1)
            fail("two keys without public halves are equal");
        encoding = OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_PUBLIC_KEY, "DER", "SubjectPublicKeyInfo", NULL);
        if (OSSL_ENCODER_to_data(encoding, &der, &length) == 1 || EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &told) == 1)
            fail("parameters are written as a public key");
        ERR_clear_error();
        OSSL_ENCODER_CTX_free(encoding);
        EVP_PKEY_CTX_free(verifying);
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
        EVP_PKEY_free(copy);
    }
}

/* A public half that comes into a copy of parameters is the copy's alone. */
static void copies(void) {
    EVP_PKEY *whole = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256"), *key = NULL, *one = EVP_PKEY_new(),
             *other = NULL;
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(library, "EC", "provider=kanal");
    unsigned char *point = NULL;
    OSSL_PARAM *data = NULL;
    size_t length = whole ? EVP_PKEY_get1_encoded_public_key(whole, &point) : 0;

    if (length == 0 || EVP_PKEY_todata(whole, EVP_PKEY_PUBLIC_KEY, &data) != 1 || !making
        || EVP_PKEY_fromdata_init(making) != 1 || EVP_PKEY_fromdata(making, &key, EVP_PKEY_PUBLIC_KEY, data) != 1)
        fail("no public half");
    if (EVP_PKEY_copy_parameters(one, key) != 1 || !(other = EVP_PKEY_dup(one))
        || EVP_PKEY_set1_encoded_public_key(other, point, length) != 1 || EVP_PKEY_eq(other, key) != 1)
        fail("a copy takes no public half");
    if (EVP_PKEY_eq(one, key) == 1)
        fail("a copy's public half is the original's, too");
    ERR_clear_error();
    OSSL_PARAM_free(data);
    OPENSSL_free(point);
    EVP_PKEY_CTX_free(making);
    EVP_PKEY_free(whole);
    EVP_PKEY_free(key);
    EVP_PKEY_free(one);
    EVP_PKEY_free(other);
}

/* A program that goes on after the end of a message with a code gets an error, until it begins another one. */
static void ends(void) {
    static const char *const names[] = {
        "magma-ctr-acpkm-omac", "kuznyechik-ctr-acpkm-omac", "magma-mgm", "kuznyechik-mgm"};
    static const unsigned char key[32] = {1}, nonce[16] = {1};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, names[i], NULL);
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        unsigned char out[64];
        int length;

        for (int round = 0; round < 2; round++) {
            if (!cipher || EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) != 1
                || EVP_EncryptUpdate(context, out, &length, nonce, 16) != 1 || EVP_EncryptFinal_ex(context, out, &length) != 1)
                fail("a cipher does not work");
            if (EVP_EncryptUpdate(context, out, &length, nonce, 16) == 1 || EVP_EncryptFinal_ex(context, out, &length) == 1)
                fail("a cipher goes on after its code");
        }
        ERR_clear_error();
        EVP_CIPHER_CTX_free(context);
        EVP_CIPHER_free(cipher);
    }
}

static EVP_PKEY *shared;
static void *work(void *argument) {
    (void)argument;
    for (long i = 0; i < number; i++)
        if (!sign(shared, shared))
            fail("a thread does not sign");
    return NULL;
}
static void threads(void) {
    pthread_t list[8];

    shared = generate(0);
    for (int i = 0; i < 8; i++)
        pthread_create(&list[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(list[i], NULL);
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        int status;
        if (child == 0)
            _exit(sign(shared, shared) ? 0 : 1);
        if (waitpid(child, &status, 0) != child || status != 0)
            fail("a child does not sign");
    }
    EVP_PKEY_free(shared);
}

/* Files that are changed, or cut: a key that signs as its file states, or no key. */
static void mutations(void) {
    unsigned int seed = 1;

    for (int kind = 0; kind < KINDS; kind++) {
        EVP_PKEY *key = generate(kind);
        unsigned char *der = NULL;
        size_t length = 0;
        OSSL_ENCODER_CTX *encoding = OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, "DER", "PrivateKeyInfo", NULL);
        if (!OSSL_ENCODER_to_data(encoding, &der, &length))
            fail("a key is not written");
        for (long i = 0; i < number; i++) {
            unsigned char *changed = malloc(length);
            const unsigned char *rest = changed;
            size_t size = rand_r(&seed) % 4 == 0 ? 1 + (size_t)rand_r(&seed) % length : length;
            EVP_PKEY *read = NULL;
            OSSL_DECODER_CTX *decoding = OSSL_DECODER_CTX_new_for_pkey(
                &read, "DER", "PrivateKeyInfo", NULL, EVP_PKEY_KEYPAIR, library, NULL);
            memcpy(changed, der, length);
            for (int j = 0; j < 1 + (int)(rand_r(&seed) % 3); j++)
                changed[(size_t)rand_r(&seed) % length] = (unsigned char)rand_r(&seed);
            OSSL_DECODER_from_data(decoding, &rest, &size);
            if (read && !sign(read, read))
                fail("a key that was read does not sign");
            EVP_PKEY_free(read);
            OSSL_DECODER_CTX_free(decoding);
            free(changed);
            ERR_clear_error();
        }
        OPENSSL_clear_free(der, length);
        OSSL_ENCODER_CTX_free(encoding);
        EVP_PKEY_free(key);
    }
}

/* Where the process has the bytes that are these with a mask. */
static int count(const unsigned char *masked, size_t length) {
    FILE *maps = fopen("/proc/self/maps", "r");
    FILE *memory = fopen("/proc/self/mem", "r");
    char line[512];
    int found = 0;

    if (!maps || !memory)
        fail("no memory to look at");
    setvbuf(memory, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || rights[0] != 'r' || rights[1] != 'w'
            || strstr(line, "[v"))
            continue;
        for (const unsigned char *place = (const unsigned char *)begin; place + length <= (const unsigned char *)end; place++) {
            size_t i = 0;
            while (i < length && place[i] == (masked[i] ^ 0x5A))
                i++;
            found += i == length;
        }
    }
    fclose(maps);
    fclose(memory);
    return found;
}

/* After a key is gone nothing in memory has its number. */
static void traces(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        EVP_PKEY *key = generate(kind), *peer = generate(kind);
        unsigned char octets[64], secret[64];
        size_t length = (size_t)EVP_PKEY_get_size(key) / 2;
        OSSL_PARAM wanted[] = {
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, octets, length), OSSL_PARAM_construct_end()};

        if (!EVP_PKEY_get_params(key, wanted))
            fail("no private number");
        for (size_t i = 0; i < length; i++)
            octets[i] ^= 0x5A;
        if (count(octets, length) < 1)
            fail("a key that is there is not seen");
        if (!sign(key, key) || !derive(key, peer, secret))
            fail("a key does not work");
        EVP_PKEY_free(key);
        EVP_PKEY_free(peer);
        if (count(octets, length) != 0)
            fail("a private key is in memory after its end");
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"data", data}, {"parameters", parameters}, {"copies", copies}, {"ends", ends}, {"threads", threads}, {"mutations", mutations}, {"traces", traces}};

int main(int argc, char **argv) {
    OSSL_PROVIDER *standard, *own;

    number = argc > 2 ? atol(argv[2]) : 10;
    library = OSSL_LIB_CTX_new();
    standard = OSSL_PROVIDER_load(library, "default");
    own = OSSL_PROVIDER_load(library, "kanal");
    if (!standard || !own)
        fail("the provider is not loaded");
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run();
            OSSL_PROVIDER_unload(own);
            OSSL_PROVIDER_unload(standard);
            OSSL_LIB_CTX_free(library);
            puts("good");
            return 0;
        }
    return 2;
}
