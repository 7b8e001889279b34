/* SPDX-License-Identifier: Apache-2.0 */
/* Unwraps keys by GOST 28147-89 (RFC 4357, 6) and by KExp15 (RFC 9189, 8.2.1). */
#include "wrap.h"

#include <string.h>

/* Compares codes, in time that depends on their length alone. */
static bool are_equal(const unsigned char *one, const unsigned char *other, size_t length) {
    unsigned char bits = 0;

    for (size_t i = 0; i < length; i++)
        bits |= one[i] ^ other[i];
    return gost_public_answer(bits == 0);
}

/* ---- GOST 28147-89 ---- */

/* CryptoPro KEK Diversification (RFC 4357, 6.5). */
static void diversify(struct block *block, const unsigned char kek[32], const unsigned char ukm[8]) {
    unsigned char key[32], feedback[8];

    memcpy(key, kek, sizeof key);
    for (int i = 0; i < 8; i++) {
        uint32_t sums[2] = {0, 0};
        for (int j = 0; j < 8; j++) {
            uint32_t word;
            memcpy(&word, key + 4 * j, 4);
            sums[ukm[i] >> j & 1 ? 0 : 1] += word;
        }
        memcpy(feedback, sums, sizeof feedback);
        block_set_key(block, key);
        block_chain(block, gost_chain_output, feedback, key, key, 4);
        explicit_bzero(sums, sizeof sums);
    }
    block_set_key(block, key);
    explicit_bzero(key, sizeof key);
    explicit_bzero(feedback, sizeof feedback);
}

bool unwrap_28147(
    const uint8_t *rows, const unsigned char kek[32], const unsigned char ukm[8], const unsigned char wrapped[36],
    unsigned char key[32]) {
    struct block block;
    struct mac mac;
    unsigned char opened[32], code[4];
    bool is_right;

    block_begin(&block, BLOCK_28147);
    block.rows = rows;
    diversify(&block, kek, ukm);
    block_decrypt(&block, wrapped, opened, 4);
    mac_begin_imit(&mac, &block, ukm, false);
    mac_update(&mac, opened, sizeof opened);
    mac_end(&mac, code, sizeof code);
    is_right = are_equal(code, wrapped + 32, sizeof code);
    if (is_right)
        memcpy(key, opened, sizeof opened);
    explicit_bzero(&block, sizeof block);
    explicit_bzero(opened, sizeof opened);
    explicit_bzero(code, sizeof code);
    return is_right;
}

/* ---- KExp15 ---- */

static void make_code(
    enum block_kind kind, const unsigned char *key, const unsigned char *iv, const unsigned char *data, size_t length,
    unsigned char code[BLOCK_LARGEST]) {
    struct block block;
    struct mac mac;
    size_t size;

    block_begin(&block, kind);
    block_set_key(&block, key);
    size = block_size(&block);
    mac_begin_omac(&mac, &block);
    mac_update(&mac, iv, size / 2);
    mac_update(&mac, data, length);
    mac_end(&mac, code, size);
    explicit_bzero(&block, sizeof block);
}

/* Deciphers a text that may end within a block. */
static void add_gamma(
    enum block_kind kind, const unsigned char *key, const unsigned char *iv, const unsigned char *in, size_t length,
    unsigned char *out) {
    struct block block;
    gost_counter counter;
    unsigned char last[BLOCK_LARGEST] = {0};
    size_t size, whole;

    block_begin(&block, kind);
    block_set_key(&block, key);
    size = block_size(&block);
    whole = length / size * size;
    counter = block_counter(&block, iv, size / 2);
    block_count(&block, &counter, in, out, length / size);
    memcpy(last, in + whole, length - whole);
    block_count(&block, &counter, last, last, 1);
    memcpy(out + whole, last, length - whole);
    explicit_bzero(&block, sizeof block);
    explicit_bzero(last, sizeof last);
}

bool unwrap_kexp15(
    enum block_kind kind, const unsigned char keys[64], const unsigned char *iv, const unsigned char *wrapped,
    size_t length, unsigned char *key) {
    size_t size = kind == BLOCK_KUZNYECHIK ? 16 : 8;
    unsigned char opened[256], code[BLOCK_LARGEST];
    bool is_right;

    if (length <= size || length > sizeof opened)
        return false;
    add_gamma(kind, keys + 32, iv, wrapped, length, opened);
    make_code(kind, keys, iv, opened, length - size, code);
    is_right = are_equal(code, opened + length - size, size);
    if (is_right)
        memcpy(key, opened, length - size);
    explicit_bzero(opened, sizeof opened);
    return is_right;
}
