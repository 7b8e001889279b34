/* SPDX-License-Identifier: Apache-2.0 */
// Blocks and keys of GOST 28147-89, Magma and Kuznyechik.

#include "GOSTCiphers.h"

#include <string.h>

size_t gost_block_size(gost_cipher_name name) { return name == gost_cipher_kuznyechik ? 16 : 8; }

void gost_block_begin(gost_path path, gost_block *block, gost_cipher_name name) {
    *block = (gost_block){.path = path, .name = name, .rows = gost_sbox_tc26_z};
}

void gost_block_set_key(gost_block *block, const uint8_t key[gost_key_size]) {
    if (block->name == gost_cipher_kuznyechik) {
        memcpy(block->key, key, gost_key_size);
        gost_kuznyechik_schedule(block->path, (uint8_t *)block->key, gost_kuznyechik_constants());
        return;
    }
    for (int i = 0; i < 8; i++) {
        uint32_t word;
        memcpy(&word, key + 4 * i, 4);
        if (block->name == gost_cipher_magma) word = __builtin_bswap32(word);
        for (int lane = 0; lane < 4; lane++) block->key[4 * i + lane] = word;
    }
}

static const uint8_t *rows(const gost_block *block) { return gost_sbox_set_at(block->rows)->rows; }

static gost_28147 of_28147(const gost_block *block) {
    return (gost_28147){rows(block), block->key,
                        block->name == gost_cipher_magma ? gost_order_big : gost_order_little};
}

/// Calls a kernel of Kuznyechik, or of GOST 28147-89 and Magma.
#define KERNEL(block, function, ...)                                                                                   \
    if ((block)->name == gost_cipher_kuznyechik)                                                                       \
        gost_kuznyechik_##function((block)->path, (const uint8_t *)(block)->key, __VA_ARGS__);                         \
    else {                                                                                                             \
        gost_28147 cipher = of_28147(block);                                                                           \
        gost_28147_##function((block)->path, &cipher, __VA_ARGS__);                                                    \
    }

void gost_block_encrypt(const gost_block *block, const uint8_t *input, uint8_t *output, size_t count) {
    KERNEL(block, encrypt, input, output, count)
}

void gost_block_decrypt(const gost_block *block, const uint8_t *input, uint8_t *output, size_t count) {
    KERNEL(block, decrypt, input, output, count)
}

// ---- Modes ----

gost_counter gost_block_counter(gost_cipher_name name, const uint8_t *start, size_t length) {
    size_t half = gost_block_size(name) / 2;
    gost_counter counter = {.part = gost_part_whole};

    for (size_t i = 0; i < 2 * half; i++) {
        uint64_t *number = i < half ? &counter.left : &counter.right;
        *number = *number << 8 | (i < length ? start[i] : 0);
    }
    return counter;
}

void gost_block_ctr(const gost_block *block, gost_counter *counter, const uint8_t *input, uint8_t *output,
                    size_t count) {
    KERNEL(block, ctr, counter, input, output, count)
}

void gost_block_cnt(const gost_block *block, uint64_t *counter, const uint8_t *input, uint8_t *output, size_t count) {
    gost_28147 cipher = of_28147(block);

    gost_28147_cnt(block->path, &cipher, counter, input, output, count);
}

void gost_block_cnt_meshed(gost_block *block, uint64_t *counter, const uint8_t *input, uint8_t *output,
                           size_t sections) {
    gost_28147_cnt_meshed(block->path, rows(block), block->key, counter, input, output, sections);
}

void gost_block_chain(const gost_block *block, gost_chain chain, uint8_t *feedback, const uint8_t *input,
                      uint8_t *output, size_t count) {
    KERNEL(block, chain, chain, feedback, input, output, count)
}

void gost_block_imit(const gost_block *block, uint8_t code[8], const uint8_t *input, size_t count) {
    gost_28147 cipher = of_28147(block);
    uint64_t number;

    memcpy(&number, code, sizeof number);
    gost_28147_imit(block->path, &cipher, &number, input, count);
    memcpy(code, &number, sizeof number);
}

// ---- The next keys ----

void gost_block_mesh(gost_block *block) {
    uint8_t key[gost_key_size] = {
        0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
        0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
    };

    gost_block_decrypt(block, key, key, sizeof key / gost_block_size(block->name));
    gost_block_set_key(block, key);
    explicit_bzero(key, sizeof key);
}

void gost_block_acpkm(gost_block *block) {
    uint8_t key[gost_key_size];

    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(0x80 + i);
    gost_block_encrypt(block, key, key, sizeof key / gost_block_size(block->name));
    gost_block_set_key(block, key);
    explicit_bzero(key, sizeof key);
}
