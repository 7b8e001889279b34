/* SPDX-License-Identifier: Apache-2.0 */
// The multilinear Galois mode (RFC 9058).

#include "GOSTCiphers.h"
#include "Partial.h"

/// The octets of a pass, which stay in the processor's cache.
enum { batch = 2048 };

static size_t size_of(const gost_mgm *mgm) { return gost_block_size(mgm->text.block.name); }

bool gost_mgm_begin(gost_mgm *mgm, const gost_block *block, const uint8_t *nonce) {
    uint8_t start[gost_block_largest];
    size_t size = gost_block_size(block->name);

    if (nonce[0] & 0x80) return false;
    *mgm = (gost_mgm){.text = {.block = *block, .mode = gost_mode_ctr}};
    gost_block_encrypt(block, nonce, start, 1);
    mgm->text.counter = gost_block_counter(block->name, start, size);
    mgm->text.counter.part = gost_part_right;
    memcpy(start, nonce, size);
    start[0] |= 0x80;
    gost_block_encrypt(block, start, start, 1);
    mgm->factors = gost_block_counter(block->name, start, size);
    mgm->factors.part = gost_part_left;
    explicit_bzero(start, sizeof start);
    return true;
}

/// Adds blocks, each multiplied by a factor of its own.
static void add_blocks(gost_mgm *mgm, const uint8_t *data, size_t count) {
    static const uint8_t zeros[batch] = {0};
    uint8_t factors[batch];
    size_t size = size_of(mgm), taken;

    for (; count > 0; count -= taken, data += size * taken) {
        taken = count < batch / size ? count : batch / size;
        gost_block_ctr(&mgm->text.block, &mgm->factors, zeros, factors, taken);
        gost_multilinear_sum(mgm->text.block.path, mgm->sum, data, factors, size, taken);
    }
    explicit_bzero(factors, sizeof factors);
}

static void add(gost_mgm *mgm, const uint8_t *data, size_t length) {
    size_t size = size_of(mgm);

    while (length > 0) {
        size_t taken = length / size * size;
        if (mgm->count == 0 && taken > 0) add_blocks(mgm, data, taken / size);
        else taken = fill(mgm->partial, &mgm->count, size, data, length);
        data += taken;
        length -= taken;
        if (mgm->count == size) {
            add_blocks(mgm, mgm->partial, 1);
            mgm->count = 0;
        }
    }
}

/// The last block of the data, or of the text, is padded with zeros.
static void pad(gost_mgm *mgm) {
    if (mgm->count == 0) return;
    memset(mgm->partial + mgm->count, 0, sizeof mgm->partial - mgm->count);
    add_blocks(mgm, mgm->partial, 1);
    mgm->count = 0;
}

/// Whether data and text stay below 2^(n/2) bits (RFC 9058, 4.1).
static bool has_room(const gost_mgm *mgm, size_t length) {
    uint64_t limit = size_of(mgm) == 8 ? 1ULL << 29 : 1ULL << 60;

    return length < limit && mgm->data_length + mgm->text_length + length < limit;
}

bool gost_mgm_authenticate(gost_mgm *mgm, const uint8_t *data, size_t length) {
    if (length == 0) return true;
    if (mgm->text_length > 0 || !has_room(mgm, length)) return false;
    mgm->data_length += length;
    add(mgm, data, length);
    return true;
}

bool gost_mgm_update(gost_mgm *mgm, bool is_encryption, const uint8_t *input, uint8_t *output, size_t length) {
    size_t taken;

    if (length == 0) return true;
    if (!has_room(mgm, length)) return false;
    if (mgm->text_length == 0) pad(mgm);
    mgm->text_length += length;
    for (; length > 0; length -= taken, input += taken, output += taken) {
        taken = length < batch ? length : batch;
        if (!is_encryption) add(mgm, input, taken);
        gost_cipher_update(&mgm->text, input, output, taken);
        if (is_encryption) add(mgm, output, taken);
    }
    return true;
}

bool gost_mgm_end(gost_mgm *mgm, uint8_t *tag) {
    size_t size = size_of(mgm), half = size / 2;
    uint8_t block[gost_block_largest];
    bool has_input = mgm->data_length + mgm->text_length > 0;

    pad(mgm);
    for (size_t i = 0; i < half; i++) {
        block[half - 1 - i] = (uint8_t)(8 * mgm->data_length >> 8 * i);
        block[size - 1 - i] = (uint8_t)(8 * mgm->text_length >> 8 * i);
    }
    add_blocks(mgm, block, 1);
    for (size_t i = 0; i < size; i++) block[size - 1 - i] = (uint8_t)(mgm->sum[i / 8] >> 8 * (i % 8));
    gost_block_encrypt(&mgm->text.block, block, tag, 1);
    explicit_bzero(block, sizeof block);
    explicit_bzero(mgm, sizeof *mgm);
    return has_input;
}
