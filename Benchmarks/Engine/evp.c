/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evp
 *
 * Megabytes a second in messages of 16 KiB: by the provider "kanal" through EVP and by its kernels without OpenSSL, in turns, and
 * by the engine gost through EVP. Prints the medians, and of the ratios of adjacent turns the median.
 */
#define OPENSSL_API_COMPAT 10101
#include "GOSTCiphers.h"
#include "GOSTHashes.h"

#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "failed: %s\n", #condition); \
            ERR_print_errors_fp(stderr); \
            exit(1); \
        } \
    } while (0)

enum { SIZE = 16 * 1024, TURNS = 25 };
static unsigned char message[SIZE], result[SIZE + 64];
static const unsigned char key[32] = {1}, iv[16] = {2};

/* Who computes what is measured. */
static EVP_MD_CTX *hashing;
static const EVP_MD *digest;
static EVP_CIPHER_CTX *enciphering;
static gost_hash_name kind;
static gost_block block;
static gost_counter counter;

static void by_digest(void) {
    CHECK(EVP_DigestInit_ex(hashing, digest, NULL) && EVP_DigestUpdate(hashing, message, SIZE));
    CHECK(EVP_DigestFinal_ex(hashing, result, NULL));
}
static void by_streebog(void) {
    gost_hash hash;

    gost_hash_begin(gost_best_path(), &hash, kind);
    gost_hash_update(&hash, message, SIZE);
    gost_hash_end(&hash, result);
}
static void by_cipher(void) {
    int length;
    CHECK(EVP_EncryptUpdate(enciphering, result, &length, message, SIZE) && length == SIZE);
}
static void by_kuznyechik(void) {
    gost_block_ctr(&block, &counter, message, result, SIZE / 16);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Megabytes a second. */
static double turn(void (*work)(void)) {
    double start = now(), passed;
    long count = 0;

    do {
        for (int i = 0; i < 16; i++, count++)
            work();
        passed = now() - start;
    } while (passed < 0.05);
    return (double)count * SIZE / passed / 1e6;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}
static double median(double *list) {
    qsort(list, TURNS, sizeof *list, compare);
    return list[TURNS / 2];
}

/* What is measured, and what of it. */
static struct row {
    const char *name;
    void (*through)(void), (*kernel)(void);
    gost_hash_name kind;
    double own, bare, ratio, others;
} rows[] = {
    {.name = "md_gost12_256", .through = by_digest, .kernel = by_streebog, .kind = gost_hash_streebog256},
    {.name = "md_gost12_512", .through = by_digest, .kernel = by_streebog, .kind = gost_hash_streebog512},
    {.name = "kuznyechik-ctr", .through = by_cipher, .kernel = by_kuznyechik},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void measure(struct row *row, OSSL_LIB_CTX *library) {
    double own[TURNS], bare[TURNS], ratios[TURNS];
    EVP_MD *md = row->through == by_digest ? EVP_MD_fetch(library, row->name, "provider=kanal") : NULL;
    EVP_CIPHER *cipher = row->through == by_cipher ? EVP_CIPHER_fetch(library, row->name, "provider=kanal") : NULL;

    digest = md;
    kind = row->kind;
    CHECK(md || (cipher && EVP_EncryptInit_ex(enciphering, cipher, NULL, key, iv)));
    for (int i = 0; i < TURNS; i++) {
        own[i] = turn(row->through);
        bare[i] = turn(row->kernel);
        ratios[i] = own[i] / bare[i];
    }
    row->own = median(own);
    row->bare = median(bare);
    row->ratio = median(ratios);
    EVP_MD_CTX_reset(hashing);
    EVP_CIPHER_CTX_reset(enciphering);
    EVP_MD_free(md);
    EVP_CIPHER_free(cipher);
}

static void measure_other(struct row *row, ENGINE *gost) {
    double others[TURNS];

    digest = ENGINE_get_digest(gost, OBJ_sn2nid(row->name));
    CHECK(row->through == by_digest
        || EVP_EncryptInit_ex(enciphering, ENGINE_get_cipher(gost, OBJ_sn2nid(row->name)), gost, key, iv));
    for (int i = 0; i < TURNS; i++)
        others[i] = turn(row->through);
    row->others = median(others);
}

int main(void) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *standard = OSSL_PROVIDER_load(library, "default"), *provider = OSSL_PROVIDER_load(library, "kanal");
    ENGINE *gost;

    CHECK(standard && provider);
    hashing = EVP_MD_CTX_new();
    enciphering = EVP_CIPHER_CTX_new();
    memset(message, 3, sizeof message);
    gost_block_begin(gost_best_path(), &block, gost_cipher_kuznyechik);
    gost_block_set_key(&block, key);
    counter = gost_block_counter(gost_cipher_kuznyechik, iv, 8);
    for (int i = 0; i < ROWS; i++)
        measure(&rows[i], library);
    /* From here on OpenSSL takes the engine's digests and ciphers in place of a provider's. */
    gost = ENGINE_by_id("gost");
    CHECK(gost && ENGINE_init(gost));
    for (int i = 0; i < ROWS; i++)
        measure_other(&rows[i], gost);
    puts("| through EVP, 16 KiB | provider (MB/s) | its kernels | ratio | gost-engine | ratio |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (int i = 0; i < ROWS; i++)
        printf(
            "| `%s` | %.0f | %.0f | %.2f | %.0f | %.2f |\n", rows[i].name, rows[i].own, rows[i].bare, rows[i].ratio, rows[i].others,
            rows[i].own / rows[i].others);
    EVP_MD_CTX_free(hashing);
    EVP_CIPHER_CTX_free(enciphering);
    ENGINE_finish(gost);
    ENGINE_free(gost);
    OSSL_PROVIDER_unload(provider);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    return 0;
}
