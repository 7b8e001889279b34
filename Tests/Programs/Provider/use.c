/* SPDX-License-Identifier: Apache-2.0 */
/*
 * use MODE [URI [NUMBER]]
 *
 * Uses the provider "kanal" as programs do, in the modes of the list at the end; prints "good" and ends with 0, or prints
 * what is not so. OPENSSL_MODULES has the provider.
 */
#include "context.h"

#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *uri;
static long number;

static long memory(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        fail("no statm");
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE) / 1024;
}

/* A library context with the provider and, if wanted, the default one. */
struct context {
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *own, *standard;
};
static struct context begin(bool has_default) {
    struct context context = {.library = OSSL_LIB_CTX_new()};

    if (has_default && !(context.standard = OSSL_PROVIDER_load(context.library, "default")))
        fail("no default provider");
    if (!(context.own = OSSL_PROVIDER_load(context.library, "kanal")))
        fail("the provider is not loaded");
    return context;
}
static void end(struct context context) {
    OSSL_PROVIDER_unload(context.own);
    if (context.standard)
        OSSL_PROVIDER_unload(context.standard);
    OSSL_LIB_CTX_free(context.library);
}

/* ---- Modes ---- */

/* Loaded and unloaded again, with a digest in between. */
static void loads(void) {
    unsigned char digest[64];
    size_t length;
    long before = 0, after;

    for (long i = 0; i < number; i++) {
        struct context context = begin(false);
        EVP_MD *md = EVP_MD_fetch(context.library, "md_gost12_512", NULL);
        if (!md || !EVP_Q_digest(context.library, "md_gost12_256", NULL, "", 0, digest, &length))
            fail("no digest");
        EVP_MD_free(md);
        end(context);
        if (i == number / 5)
            before = memory();
    }
    after = memory();
    /* AddressSanitizer keeps what is freed for a time, which few rounds do not fill. */
    if (number >= 1000 && after > before + 1024) {
        fprintf(stderr, "%ld KB after a fifth, %ld at the end\n", before, after);
        exit(1);
    }
}

/* Two contexts at once, of which one goes before the other. */
static void contexts(void) {
    struct context one = begin(true), other = begin(true), third = begin(true);
    EVP_PKEY *first, *second;

    end(third);
    first = load(one.library, uri);
    second = load(other.library, uri);
    if (!first || !second || !sign(one.library, first) || !sign(other.library, second))
        fail("two contexts do not sign");
    EVP_PKEY_free(first);
    end(one);
    if (!sign(other.library, second))
        fail("the second context does not sign without the first");
    EVP_PKEY_free(second);
    end(other);
}

/* A provider loaded twice in one context. */
static void twice(void) {
    struct context context = begin(true);
    OSSL_PROVIDER *again = OSSL_PROVIDER_load(context.library, "kanal");
    EVP_PKEY *key = load(context.library, uri);

    if (!again || !key || !sign(context.library, key))
        fail("loaded twice it does not sign");
    EVP_PKEY_free(key);
    OSSL_PROVIDER_unload(again);
    end(context);
}

static struct context shared;
static EVP_PKEY *shared_key;
static void *work(void *argument) {
    (void)argument;
    for (long i = 0; i < number; i++)
        if (!sign(shared.library, shared_key))
            fail("a thread does not sign");
    return NULL;
}
static void threads(void) {
    pthread_t list[8];

    shared = begin(true);
    if (!(shared_key = load(shared.library, uri)))
        fail("no key");
    for (int i = 0; i < 8; i++)
        pthread_create(&list[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(list[i], NULL);
    EVP_PKEY_free(shared_key);
    end(shared);
}

static void *end_other(void *library) {
    OSSL_LIB_CTX_free(library);
    return NULL;
}
/* While the last context ends in a thread, another one begins: it has the PIN of its settings, and a module that works. */
static void settings(void) {
    OSSL_LIB_CTX *library = begin_with_settings(), *next;
    pthread_t ending;
    EVP_PKEY *key;

    for (long i = 0; i < number; i++) {
        if (!(key = load(library, uri)) || !sign(library, key))
            fail("a context that began while another one ended does not sign");
        EVP_PKEY_free(key);
        pthread_create(&ending, NULL, end_other, library);
        usleep((useconds_t)(1000 + i * 300 % 6000));
        next = begin_with_settings();
        /* Every other time the key is loaded while the module may still end. */
        if (i % 2) {
            if (!(key = load(next, uri)))
                fail("a module that ends is used");
            EVP_PKEY_free(key);
        }
        pthread_join(ending, NULL);
        library = next;
    }
    OSSL_LIB_CTX_free(library);
}

static void forks(void) {
    struct context context = begin(true);
    EVP_PKEY *key = load(context.library, uri);
    int status;

    if (!key || !sign(context.library, key))
        fail("no key");
    for (long i = 0; i < number; i++) {
        pid_t child = fork();
        if (child == 0) {
            bool works = sign(context.library, key);
            EVP_PKEY_free(key);
            _exit(works ? 0 : 1);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            fail("a child does not sign");
    }
    if (!sign(context.library, key))
        fail("the parent does not sign any more");
    EVP_PKEY_free(key);
    end(context);
}

/* Whether the key is found once more. */
static bool load_again(OSSL_LIB_CTX *library) {
    EVP_PKEY *key = load(library, uri);

    EVP_PKEY_free(key);
    return key != NULL;
}

/* Signs once for each line of standard input, or loads the key again for "load", and prints whether it could. */
static void lines(void) {
    struct context context = begin(true);
    EVP_PKEY *key = load(context.library, uri);
    char line[16];

    if (!key)
        fail("no key");
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "load\n") == 0)
            puts(load_again(context.library) ? "loaded" : "failed");
        else
            puts(sign(context.library, key) ? "signed" : "failed");
        ERR_print_errors_fp(stderr);
    }
    EVP_PKEY_free(key);
    end(context);
}

static size_t derive(OSSL_LIB_CTX *library, EVP_PKEY *own, EVP_PKEY *peer, unsigned char secret[64]) {
    EVP_PKEY_CTX *deriving = EVP_PKEY_CTX_new_from_pkey(library, own, NULL);
    size_t length = 64;
    bool done = EVP_PKEY_derive_init(deriving) == 1 && EVP_PKEY_derive_set_peer(deriving, peer) == 1
        && EVP_PKEY_derive(deriving, secret, &length) == 1;

    EVP_PKEY_CTX_free(deriving);
    return done ? length : 0;
}

/* The other side's key has a private half, too, and is the default provider's, which computes with it as before. */
static void peer(void) {
    struct context context = begin(true);
    EVP_PKEY *key = load(context.library, uri), *other = EVP_PKEY_Q_keygen(context.library, NULL, "EC", "P-256"), *half = NULL;
    unsigned char ours[64], theirs[64], *der = NULL;
    const unsigned char *rest;
    int length = key ? i2d_PUBKEY(key, &der) : 0;

    rest = der;
    half = length > 0 ? d2i_PUBKEY_ex(NULL, &rest, length, context.library, NULL) : NULL;
    if (!other || !half || derive(context.library, key, other, ours) != 32 || derive(context.library, other, half, theirs) != 32
        || memcmp(ours, theirs, 32) != 0)
        fail("no agreement with a whole key");
    /* Even where this provider is asked first. */
    if (!EVP_set_default_properties(context.library, "?provider=kanal") || !sign(context.library, other)
        || derive(context.library, other, half, theirs) != 32 || memcmp(ours, theirs, 32) != 0)
        fail("a key of the default provider does not work where this provider is asked first");
    OPENSSL_free(der);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    EVP_PKEY_free(half);
    end(context);
}

/* A key file, as programs read it that know PEM files alone. */
static void file_of_key(void) {
    OSSL_LIB_CTX *library = begin_with_settings();
    BIO *in = BIO_new_file(uri, "r");
    EVP_PKEY *key = in ? PEM_read_bio_PrivateKey_ex(in, NULL, NULL, NULL, library, NULL) : NULL;

    if (!key || !sign(library, key))
        fail("the file has no key that signs");
    EVP_PKEY_free(key);
    BIO_free(in);
    OSSL_LIB_CTX_free(library);
}

/* Without the default provider GOST keys sign, and others say what is missing. */
static void alone(void) {
    struct context context = begin(false);
    EVP_PKEY *key = load(context.library, uri);

    if (!key || !sign(context.library, key))
        fail("a GOST key needs the default provider");
    EVP_PKEY_free(key);
    end(context);
}

/* Properties that exclude the provider: an error for each use, and all is as before without them. */
static void properties(void) {
    struct context context = begin(true);
    EVP_PKEY *key = load(context.library, uri), *other = NULL;

    if (!key || !EVP_set_default_properties(context.library, "fips=yes"))
        fail("no key, or no properties");
    ERR_clear_error();
    if (EVP_MD_fetch(context.library, "md_gost12_256", NULL) || !ERR_peek_error())
        fail("a digest has the property fips, or no error is told");
    ERR_clear_error();
    if (load(context.library, uri) || !ERR_peek_error())
        fail("a key is found by the property fips, or no error is told");
    ERR_clear_error();
    if (sign(context.library, key) || !ERR_peek_error())
        fail("a key signs by the property fips, or no error is told");
    ERR_clear_error();
    if (!EVP_set_default_properties(context.library, "") || !(other = load(context.library, uri))
        || !sign(context.library, other) || !sign(context.library, key))
        fail("without the properties a key does not sign");
    EVP_PKEY_free(other);
    EVP_PKEY_free(key);
    end(context);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"loads", loads},   {"contexts", contexts}, {"twice", twice},           {"threads", threads},     {"forks", forks},
    {"settings", settings}, {"file", file_of_key}, {"lines", lines},
    {"alone", alone},   {"properties", properties}, {"peer", peer},
};

int main(int argc, char **argv) {
    uri = argc > 2 ? argv[2] : "";
    number = argc > 3 ? atol(argv[3]) : 10;
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run();
            puts("good");
            return 0;
        }
    return 2;
}
