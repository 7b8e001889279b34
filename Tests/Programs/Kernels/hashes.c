/* SPDX-License-Identifier: Apache-2.0 */
// The comparisons of hash functions, and of the sums of Multilinear Galois mode.
#include <string.h>

#include "kernels.h"
#include "reference.h"
#include "vectors.h"

static uint8_t data[longest];

static void compare_94(size_t count) {
    uint8_t rows[128], hash[32], expected[32];
    struct text text = make_text(data, 32 * count);
    random_bytes(rows, 128);
    for (int i = 0; i < 128; i++) rows[i] &= 15;
    random_bytes(hash, 32);
    memcpy(expected, hash, 32);
    uint64_t words[4];
    memcpy(words, hash, 32);
    gost_341194_hash(path, rows, words, text.input, count);
    for (size_t i = 0; i < count; i++) hash94(rows, expected, data + 32 * i);
    compare_bytes(words, expected, 32, "34.11-94");
}

/// Adds a block to a sum modulo 2^512.
static void add_block(uint64_t *sum, const uint8_t *block) {
    uint64_t carry = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        __extension__ unsigned __int128 total = (unsigned __int128)sum[i] + word + carry;
        sum[i] = (uint64_t)total;
        carry = (uint64_t)(total >> 64);
    }
}

static void compare_streebog(size_t count) {
    const uint8_t(*constants)[64] = (const uint8_t(*)[64])streebog_constants;
    struct text text = make_text(data, 64 * count);
    uint64_t hash[8], sum[8], counter[8] = {random_number()}, expected[8], right_sum[8];
    random_bytes(hash, sizeof hash);
    random_bytes(sum, sizeof sum);
    if (random_number() % 2) memset(sum, 0xFF, sizeof sum);
    memcpy(expected, hash, sizeof hash);
    memcpy(right_sum, sum, sizeof sum);
    uint64_t length = counter[0];
    gost_streebog_update(path, hash, &length, sum, text.input, count, streebog_constants);
    for (size_t i = 0; i < 64 * count; i += 64, counter[0] += 512) {
        streebog((uint8_t *)expected, (uint8_t *)counter, data + i, constants);
        add_block(right_sum, data + i);
    }
    compare_bytes(hash, expected, sizeof hash, "Streebog");
    compare_bytes(sum, right_sum, sizeof sum, "Streebog's sum");
    compare_bytes(&length, counter, sizeof length, "Streebog's length");

    uint64_t block[8], others[12][8];
    random_bytes(block, sizeof block);
    random_bytes(others, sizeof others);
    gost_streebog_compress(path, hash, block, counter[0], others[0]);
    streebog((uint8_t *)expected, (uint8_t *)counter, (uint8_t *)block, (const uint8_t(*)[64])others);
    compare_bytes(hash, expected, sizeof hash, "Streebog, one block");
}

static void compare_products(size_t size, size_t count) {
    static uint8_t factors[longest];
    struct text text = make_text(data, size * count);
    random_bytes(factors, size * count);
    uint64_t sum[2] = {random_number(), random_number()}, expected[2] = {sum[0], sum[1]};
    uint8_t right[16] = {0};
    gost_multilinear_sum(path, sum, text.input, factors, size, count);
    for (size_t i = 0; i < size * count; i += size) add_product(right, data + i, factors + i, size);
    for (size_t i = 0; i < size; i++) expected[i / 8] ^= (uint64_t)right[size - 1 - i] << 8 * (i % 8);
    compare_bytes(sum, expected, sizeof sum, "products");
}

void compare_hashes(int round) {
    size_t count = some_count(round);
    compare_94(count % 100);
    compare_streebog(count % 50);
    compare_products(8, count);
    compare_products(16, count);
}
