/* SPDX-License-Identifier: Apache-2.0 */
#include "mgm.h"

#include <string.h>

enum { BATCH = 2048 };

bool mgm_begin(struct mgm *mgm, const struct block *block, const unsigned char *nonce) {
    unsigned char start[BLOCK_LARGEST];
    size_t size = block_size(block);

    if (nonce[0] & 0x80)
        return false;
    *mgm = (struct mgm){.block = *block};
    block_encrypt(block, nonce, start, 1);
    mgm->gamma_counter = block_counter(block, start, size);
    mgm->gamma_counter.part = gost_part_right;
    memcpy(start, nonce, size);
    start[0] |= 0x80;
    block_encrypt(block, start, start, 1);
    mgm->factor_counter = block_counter(block, start, size);
    mgm->factor_counter.part = gost_part_left;
    explicit_bzero(start, sizeof start);
    return true;
}

/* Adds blocks, each multiplied by a factor of its own. */
static void add_blocks(struct mgm *mgm, const unsigned char *data, size_t count) {
    static const unsigned char zeros[BATCH] = {0};
    unsigned char factors[BATCH];
    size_t size = block_size(&mgm->block), taken;

    for (; count > 0; count -= taken, data += size * taken) {
        taken = count < BATCH / size ? count : BATCH / size;
        block_count(&mgm->block, &mgm->factor_counter, zeros, factors, taken);
        gost_multilinear_sum(mgm->block.path, mgm->sum, data, factors, size, taken);
    }
    explicit_bzero(factors, sizeof factors);
}

static void add(struct mgm *mgm, const unsigned char *data, size_t length) {
    size_t size = block_size(&mgm->block), taken;

    if (mgm->partial_length > 0) {
        taken = length < size - mgm->partial_length ? length : size - mgm->partial_length;
        memcpy(mgm->partial + mgm->partial_length, data, taken);
        mgm->partial_length += taken;
        if (mgm->partial_length < size)
            return;
        add_blocks(mgm, mgm->partial, 1);
        mgm->partial_length = 0;
        data += taken;
        length -= taken;
    }
    add_blocks(mgm, data, length / size);
    mgm->partial_length = length % size;
    memcpy(mgm->partial, data + length - mgm->partial_length, mgm->partial_length);
}

/* The last block of the data, or of the text, is padded with zeros. */
static void pad(struct mgm *mgm) {
    if (mgm->partial_length == 0)
        return;
    memset(mgm->partial + mgm->partial_length, 0, sizeof mgm->partial - mgm->partial_length);
    add_blocks(mgm, mgm->partial, 1);
    mgm->partial_length = 0;
}

/* Below 2^(n/2) bits (RFC 9058, 4.1). */
static bool has_room(const struct mgm *mgm, uint64_t before, size_t length) {
    uint64_t limit = block_size(&mgm->block) == 8 ? 1ULL << 29 : 1ULL << 60;

    return length < limit && before + length < limit;
}

bool mgm_authenticate(struct mgm *mgm, const unsigned char *data, size_t length) {
    if (length == 0)
        return true;
    if (mgm->text_length > 0 || !has_room(mgm, mgm->data_length, length))
        return false;
    mgm->data_length += length;
    add(mgm, data, length);
    return true;
}

static void add_gamma(struct mgm *mgm, const unsigned char *in, unsigned char *out, size_t length) {
    static const unsigned char zeros[BLOCK_LARGEST] = {0};
    size_t size = block_size(&mgm->block), count;

    while (length > 0) {
        count = length / size;
        if (mgm->used == 0 && count > 0) {
            block_count(&mgm->block, &mgm->gamma_counter, in, out, count);
            in += size * count;
            out += size * count;
            length -= size * count;
            continue;
        }
        if (mgm->used == 0)
            block_count(&mgm->block, &mgm->gamma_counter, zeros, mgm->gamma, 1);
        *out++ = *in++ ^ mgm->gamma[mgm->used];
        mgm->used = (mgm->used + 1) % size;
        length--;
    }
}

bool mgm_update(struct mgm *mgm, bool is_encryption, const unsigned char *in, unsigned char *out, size_t length) {
    size_t taken;

    if (length == 0)
        return true;
    if (!has_room(mgm, mgm->text_length, length))
        return false;
    if (mgm->text_length == 0)
        pad(mgm);
    mgm->text_length += length;
    /* By pieces that stay in the processor's cache. */
    for (; length > 0; length -= taken, in += taken, out += taken) {
        taken = length < BATCH ? length : BATCH;
        if (!is_encryption)
            add(mgm, in, taken);
        add_gamma(mgm, in, out, taken);
        if (is_encryption)
            add(mgm, out, taken);
    }
    return true;
}

bool mgm_end(struct mgm *mgm, unsigned char *tag) {
    size_t size = block_size(&mgm->block), half = size / 2;
    unsigned char block[BLOCK_LARGEST];
    bool has_input = mgm->data_length + mgm->text_length > 0;

    pad(mgm);
    for (size_t i = 0; i < half; i++) {
        block[half - 1 - i] = (unsigned char)(8 * mgm->data_length >> 8 * i);
        block[size - 1 - i] = (unsigned char)(8 * mgm->text_length >> 8 * i);
    }
    add_blocks(mgm, block, 1);
    for (size_t i = 0; i < size; i++)
        block[size - 1 - i] = (unsigned char)(mgm->sum[i / 8] >> 8 * (i % 8));
    block_encrypt(&mgm->block, block, tag, 1);
    explicit_bzero(block, sizeof block);
    explicit_bzero(mgm, sizeof *mgm);
    return has_input;
}
