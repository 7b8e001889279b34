/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and keys of GOST 28147-89, Magma and Kuznyechik: by the kernels. */
#include "block.h"

#include <string.h>

void block_begin(struct block *block, enum block_kind kind) {
    *block = (struct block){.kind = kind, .path = gost_best_path(), .rows = gost_sbox_set_at(gost_sbox_tc26_z)->rows};
}

size_t block_size(const struct block *block) { return block->kind == BLOCK_KUZNYECHIK ? 16 : 8; }

void block_set_key(struct block *block, const unsigned char key[BLOCK_KEY]) {
    if (block->kind == BLOCK_KUZNYECHIK) {
        memcpy(block->round_keys, key, BLOCK_KEY);
        gost_kuznyechik_schedule(block->path, block->round_keys, gost_kuznyechik_constants());
        return;
    }
    for (int i = 0; i < 8; i++) {
        uint32_t word;
        memcpy(&word, key + 4 * i, 4);
        if (block->kind == BLOCK_MAGMA)
            word = __builtin_bswap32(word);
        for (int lane = 0; lane < 4; lane++)
            block->words[4 * i + lane] = word;
    }
}

static gost_28147 of_28147(const struct block *block) {
    return (gost_28147){block->rows, block->words, block->kind == BLOCK_MAGMA ? gost_order_big : gost_order_little};
}

void block_encrypt(const struct block *block, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(block);

    if (block->kind == BLOCK_KUZNYECHIK)
        gost_kuznyechik_encrypt(block->path, block->round_keys, in, out, count);
    else
        gost_28147_encrypt(block->path, &of, in, out, count);
}

void block_decrypt(const struct block *block, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(block);

    if (block->kind == BLOCK_KUZNYECHIK)
        gost_kuznyechik_decrypt(block->path, block->round_keys, in, out, count);
    else
        gost_28147_decrypt(block->path, &of, in, out, count);
}

/* ---- Modes ---- */

void block_count(
    const struct block *block, gost_counter *counter, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(block);

    if (block->kind == BLOCK_KUZNYECHIK)
        gost_kuznyechik_ctr(block->path, block->round_keys, counter, in, out, count);
    else
        gost_28147_ctr(block->path, &of, counter, in, out, count);
}

void block_count_28147(
    const struct block *block, uint64_t *number, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(block);

    gost_28147_cnt(block->path, &of, number, in, out, count);
}

void block_chain(
    const struct block *block, gost_chain chain, unsigned char *feedback, const unsigned char *in, unsigned char *out,
    size_t count) {
    gost_28147 of = of_28147(block);

    if (block->kind == BLOCK_KUZNYECHIK)
        gost_kuznyechik_chain(block->path, block->round_keys, chain, feedback, in, out, count);
    else
        gost_28147_chain(block->path, &of, chain, feedback, in, out, count);
}

void block_imit(const struct block *block, unsigned char state[8], const unsigned char *in, size_t count) {
    gost_28147 of = of_28147(block);
    uint64_t code;

    memcpy(&code, state, sizeof code);
    gost_28147_imit(block->path, &of, &code, in, count);
    memcpy(state, &code, sizeof code);
}

gost_counter block_counter(const struct block *block, const unsigned char *start, size_t length) {
    size_t half = block_size(block) / 2;
    gost_counter counter = {.part = gost_part_whole};

    for (size_t i = 0; i < 2 * half; i++) {
        uint64_t *number = i < half ? &counter.left : &counter.right;
        *number = *number << 8 | (i < length ? start[i] : 0);
    }
    return counter;
}

void block_mesh(struct block *block) {
    unsigned char key[BLOCK_KEY] = {
        0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
        0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
    };

    block_decrypt(block, key, key, BLOCK_KEY / block_size(block));
    block_set_key(block, key);
    explicit_bzero(key, sizeof key);
}

void block_change_key(struct block *block) {
    unsigned char key[BLOCK_KEY];

    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(0x80 + i);
    block_encrypt(block, key, key, BLOCK_KEY / block_size(block));
    block_set_key(block, key);
    explicit_bzero(key, sizeof key);
}
