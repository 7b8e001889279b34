/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) one block after another: the modes in which each waits for the one before, and the key
// schedule.

#include "../Path.h"
#include "Few.h"
#include "FewPortable.h"

/// The key schedule: eight steps of a Feistel network for every pair of round keys after the first.
static void portable_schedule(uint8_t *keys, const uint8_t *constants) {
    plane left, right;
    matrix l;
    make_matrix(&l);
    memcpy(&left, keys, sizeof left);
    memcpy(&right, keys + 16, sizeof right);
    for (int pair = 1; pair < 5; pair++) {
        for (int step = 0; step < 8; step++, constants += 16) {
            plane constant;
            memcpy(&constant, constants, sizeof constant);
            plane sum = mixed(&l, substitute_block(left ^ constant)) ^ right;
            right = left;
            left = sum;
        }
        memcpy(keys + 32 * pair, &left, sizeof left);
        memcpy(keys + 32 * pair + 16, &right, sizeof right);
    }
}

static void portable_few(const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    transform_few_portable(false, keys, input, output, count);
}

static void portable_chain(const uint8_t *keys, gost_chain chain, uint8_t *feedback, const uint8_t *input, uint8_t *output,
                           size_t count) {
    planes x = {{{0}}};
    plane *block = &x.rows[0];
    matrix l;
    make_matrix(&l);
    memcpy(block, feedback, sizeof *block);
    for (size_t i = 0; i < 16 * count; i += 16) {
        plane text;
        memcpy(&text, input + i, sizeof text);
        if (chain == gost_chain_input) *block ^= text;
        encrypt_few_portable(&l, keys, &x, 1);
        if (chain == gost_chain_output) *block ^= text;
        text ^= *block;
        if (output) memcpy(output + i, chain == gost_chain_gamma ? &text : block, sizeof text);
    }
    memcpy(feedback, block, sizeof *block);
    explicit_bzero(&x, sizeof x);
}

#if defined(__x86_64__)
#include "Block256.h"
#include "Block512.h"

#define SET(name) name##256
#define KERNEL(name) avx2_##name
#define TARGET AVX2
#include "Serial.h"

#define SET(name) name##512
#define KERNEL(name) avx512_##name
#define TARGET AVX512
#include "Serial.h"

#elif defined(__aarch64__)
#include "BlockNEON.h"

#define SET(name) name##_neon
#define KERNEL(name) neon_##name
#define TARGET
#include "Serial.h"
#endif

void gost_kuznyechik_few(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, few, keys, input, output, count)
}

void gost_kuznyechik_few_back(const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    transform_few_portable(true, keys, input, output, count);
}

void gost_kuznyechik_schedule(gost_path path, uint8_t *keys, const uint8_t *constants) {
    DISPATCH(path, schedule, keys, constants)
}

void gost_kuznyechik_chain(gost_path path, const uint8_t *keys, gost_chain chain, uint8_t *feedback,
                           const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, chain, keys, chain, feedback, input, output, count)
}
