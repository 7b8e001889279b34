/* SPDX-License-Identifier: Apache-2.0 */
// Runs all kernels of arm64 and all portable functions once, with keys and data that come of a letter: steps LETTER. The steps of the processor
// are traced from outside, and must be the same for all letters. With a second argument a product is computed that
// branches on data, which must be noticed.
#include <string.h>

#include "GOSTKernels.h"
#include "reference.h"
#include "vectors.h"

enum { count = 21 };

static uint64_t state;

static void fill(void *to, size_t size) {
    for (uint8_t *byte = to; size > 0; size--) {
        state = state * 6364136223846793005 + 1442695040888963407;
        *byte++ = (uint8_t)(state >> 56);
    }
}

static gost_path path;
static uint8_t data[64 * count], factors[64 * count], sections[1024];

static void run_28147(void) {
    static const gost_order orders[] = {gost_order_little, gost_order_big};
    uint8_t rows[128], feedback[8];
    uint32_t key[32];
    uint64_t number;
    gost_counter counter = {0, 0, gost_part_whole};
    fill(rows, sizeof rows);
    fill(feedback, sizeof feedback);
    for (int i = 0; i < 128; i++) rows[i] &= 15;
    fill(key, sizeof key);
    fill(&number, sizeof number);
    fill(&counter.right, 4);
    for (int i = 0; i < 2; i++) {
        gost_28147 cipher = {rows, key, orders[i]};
        gost_28147_encrypt(path, &cipher, data, data, count);
        gost_28147_decrypt(path, &cipher, data, data, count);
        gost_28147_encrypt(path, &cipher, data, data, 3);
        gost_28147_cnt(path, &cipher, &number, data, data, count);
        gost_28147_ctr(path, &cipher, &counter, data, data, count);
        for (int chain = 0; chain < 3; chain++)
            gost_28147_chain(path, &cipher, (gost_chain)chain, feedback, data, data, count);
        gost_28147_imit(path, &cipher, &number, data, count);
    }
    gost_28147_cnt_meshed(path, rows, key, &number, sections, sections, 1);
    uint64_t hash[4];
    fill(hash, sizeof hash);
    gost_341194_hash(path, rows, hash, data, count);
}

static void run_kuznyechik(void) {
    uint8_t keys[10][16], feedback[16];
    gost_counter counter = {0, 0, gost_part_whole};
    fill(keys, sizeof keys);
    fill(feedback, sizeof feedback);
    fill(&counter.left, 16);
    gost_kuznyechik_schedule(path, keys[0], gost_kuznyechik_constants());
    gost_kuznyechik_encrypt(path, keys[0], data, data, count);
    gost_kuznyechik_decrypt(path, keys[0], data, data, count);
    gost_kuznyechik_ctr(path, keys[0], &counter, data, data, count);
    for (int chain = 0; chain < 3; chain++)
        gost_kuznyechik_chain(path, keys[0], (gost_chain)chain, feedback, data, data, count);
}

static void run_hashes(void) {
    uint64_t hash[8], sum[8], length = 0;
    fill(hash, sizeof hash);
    fill(sum, sizeof sum);
    gost_streebog_update(path, hash, &length, sum, data, count, streebog_constants);
    gost_streebog_compress(path, hash, sum, length, streebog_constants);
    gost_multilinear_sum(path, sum, data, factors, 8, count);
    gost_multilinear_sum(path, sum, data, factors, 16, count);
}

int main(int arguments, char **argument) {
    if (arguments < 2) return 2;
    state = (uint8_t)argument[1][0];
    fill(data, sizeof data);
    fill(factors, sizeof factors);
    fill(sections, sizeof sections);
    static const gost_path paths[] = {gost_path_neon, gost_path_portable};
    for (int i = 0; i < 2; i++) {
        path = paths[i];
        run_28147();
        run_kuznyechik();
        run_hashes();
    }
    if (arguments > 2) add_product(data, factors, sections, 16);
    return 0;
}
