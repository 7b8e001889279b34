/* SPDX-License-Identifier: Apache-2.0 */
// messages sign|verify DIRECTORY COUNT: signs the files 0, 1, … of a directory by OpenSSL, detached and with the chain, or
// verifies them in a loop, as "openssl cms -verify" does for one, and prints the time of each in microseconds.
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/conf.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void end(const char *cause) {
    fprintf(stderr, "messages: %s\n", cause);
    ERR_print_errors_fp(stderr);
    exit(1);
}

#define HELD(call) ({ \
    __auto_type held = (call); \
    if (!held) end(#call); \
    held; \
})

static BIO *opened(const char *directory, const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return HELD(BIO_new_file(path, mode));
}

static X509 *certificate(const char *directory, const char *name) {
    BIO *file = opened(directory, name, "r");
    X509 *certificate = HELD(PEM_read_bio_X509(file, NULL, NULL, NULL));
    BIO_free(file);
    return certificate;
}

static void sign(const char *directory, int number, X509 *signer, EVP_PKEY *key) {
    char name[64];
    snprintf(name, sizeof name, "%d", number);
    BIO *content = opened(directory, name, "rb");
    CMS_ContentInfo *message = HELD(CMS_sign(signer, key, NULL, content, CMS_DETACHED | CMS_BINARY));
    snprintf(name, sizeof name, "%d.p7s", number);
    BIO *result = opened(directory, name, "wb");
    HELD(i2d_CMS_bio(result, message));
    BIO_free(result);
    BIO_free(content);
    CMS_ContentInfo_free(message);
}

static void verify(const char *directory, int number, X509_STORE *store) {
    char name[64];
    snprintf(name, sizeof name, "%d", number);
    BIO *content = opened(directory, name, "rb");
    snprintf(name, sizeof name, "%d.p7s", number);
    BIO *file = opened(directory, name, "rb");
    CMS_ContentInfo *message = HELD(d2i_CMS_bio(file, NULL));
    if (CMS_verify(message, NULL, store, content, NULL, CMS_BINARY) != 1) end("a message is not accepted");
    CMS_ContentInfo_free(message);
    BIO_free(file);
    BIO_free(content);
}

int main(int argc, char **argv) {
    int count = argc == 4 ? atoi(argv[3]) : 0;
    if (count <= 0) end("usage: messages sign|verify DIRECTORY COUNT");
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    struct timespec from, to;
    if (strcmp(argv[1], "sign") == 0) {
        X509 *signer = certificate(argv[2], "signer.pem");
        BIO *file = opened(argv[2], "signer.key", "r");
        EVP_PKEY *key = HELD(PEM_read_bio_PrivateKey(file, NULL, NULL, NULL));
        for (int i = 0; i < count; i++) sign(argv[2], i, signer, key);
        return 0;
    }
    X509_STORE *store = HELD(X509_STORE_new());
    X509_STORE_add_cert(store, certificate(argv[2], "ca.pem"));
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < count; i++) verify(argv[2], i, store);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%.1f\n", ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3) / count);
}
