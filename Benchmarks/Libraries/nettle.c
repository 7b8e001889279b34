/* SPDX-License-Identifier: Apache-2.0 */
// nettle and hogweed.
#include "private.h"

#include <nettle/dsa.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <nettle/gostdsa.h>
#include <nettle/gosthash94.h>
#include <nettle/streebog.h>
#include <stdlib.h>
#include <unistd.h>

static size_t run_hash94(const uint8_t *message, size_t count, uint8_t *output) {
    struct gosthash94_ctx context;
    gosthash94cp_init(&context);
    gosthash94cp_update(&context, count, message);
    gosthash94cp_digest(&context, GOSTHASH94CP_DIGEST_SIZE, output);
    return GOSTHASH94CP_DIGEST_SIZE;
}

static size_t run_streebog256(const uint8_t *message, size_t count, uint8_t *output) {
    struct streebog256_ctx context;
    streebog256_init(&context);
    streebog256_update(&context, count, message);
    streebog256_digest(&context, STREEBOG256_DIGEST_SIZE, output);
    return STREEBOG256_DIGEST_SIZE;
}

static size_t run_streebog512(const uint8_t *message, size_t count, uint8_t *output) {
    struct streebog512_ctx context;
    streebog512_init(&context);
    streebog512_update(&context, count, message);
    streebog512_digest(&context, STREEBOG512_DIGEST_SIZE, output);
    return STREEBOG512_DIGEST_SIZE;
}

const struct message_function nettle_messages[] = {
    {"nettle", "GOST R 34.11-94", run_hash94},
    {"nettle", "Streebog-256", run_streebog256},
    {"nettle", "Streebog-512", run_streebog512},
    {0},
};

struct key {
    struct ecc_scalar scalar;
    struct ecc_point point;
    struct dsa_signature signature;
    size_t size;
};

static struct key short_key, short_spare, long_key, long_spare;

static void fill(void *context, size_t count, uint8_t *octets) {
    (void)context;
    if (getentropy(octets, count) != 0) abort();
}

static bool make(void *context) {
    struct key *key = context;
    ecdsa_generate_keypair(&key->point, &key->scalar, NULL, fill);
    return true;
}

static bool sign(void *context) {
    struct key *key = context;
    gostdsa_sign(&key->scalar, NULL, fill, key->size, libraries_digest, &key->signature);
    return true;
}

static bool verify(void *context) {
    struct key *key = context;
    return gostdsa_verify(&key->point, key->size, libraries_digest, &key->signature) == 1;
}

/// The common point; nettle leaves hashing it to its caller.
static bool agree(void *context) {
    struct key *key = context;
    uint8_t point[128];
    gostdsa_vko(&key->scalar, &key->point, 8, libraries_iv, point);
    return true;
}

static bool prepare(struct key *key, const struct ecc_curve *curve, size_t size) {
    ecc_scalar_init(&key->scalar, curve);
    ecc_point_init(&key->point, curve);
    dsa_signature_init(&key->signature);
    key->size = size;
    return make(key) && sign(key) && verify(key);
}

bool nettle_load(void) {
    const struct ecc_curve *short_curve = nettle_get_gost_gc256b(), *long_curve = nettle_get_gost_gc512a();
    return prepare(&short_key, short_curve, 32) && prepare(&short_spare, short_curve, 32)
        && prepare(&long_key, long_curve, 64) && prepare(&long_spare, long_curve, 64);
}

const struct key_function nettle_keys[] = {
    {"nettle", "key pair", "256-B", make, &short_spare},
    {"nettle", "sign", "256-B", sign, &short_key},
    {"nettle", "verify", "256-B", verify, &short_key},
    {"nettle", "VKO", "256-B", agree, &short_key},
    {"nettle", "key pair", "512-A", make, &long_spare},
    {"nettle", "sign", "512-A", sign, &long_key},
    {"nettle", "verify", "512-A", verify, &long_key},
    {"nettle", "VKO", "512-A", agree, &long_key},
    {0},
};
