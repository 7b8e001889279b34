/* SPDX-License-Identifier: Apache-2.0 */
// GOST R 34.11-2012 (RFC 6986) and GOST R 34.11-94 (RFC 5831) over whole and broken blocks.

#include "GOSTHashes.h"
#include "Partial.h"

size_t gost_hash_size(gost_hash_name name) { return name == gost_hash_streebog512 ? 64 : 32; }

size_t gost_hash_block_size(gost_hash_name name) { return name == gost_hash_r341194 ? 32 : 64; }

void gost_hash_begin(gost_path path, gost_hash *hash, gost_hash_name name) {
    *hash = (gost_hash){.path = path, .name = name, .rows = gost_sbox_cryptopro_341194};
    if (name == gost_hash_streebog256) memset(hash->state, 1, sizeof hash->state);
}

/// Adds a block to the sum. The carry is the majority of the highest bits, and no comparison, which a compiler may turn into a
/// jump.
static void add(gost_hash *hash, const uint8_t *block) {
    uint64_t carry = 0;

    for (size_t i = 0; i < gost_hash_block_size(hash->name) / 8; i++) {
        uint64_t word, old = hash->sum[i];
        memcpy(&word, block + 8 * i, 8);
        hash->sum[i] = old + word + carry;
        carry = ((old & word) | ((old | word) & ~hash->sum[i])) >> 63;
    }
}

static void step(gost_hash *hash, const uint8_t *blocks, size_t count) {
    gost_341194_hash(hash->path, gost_sbox_set_at(hash->rows)->rows, hash->state, blocks, count);
}

static void compress(gost_hash *hash, const uint64_t *block, uint64_t counter) {
    gost_streebog_compress(hash->path, hash->state, block, counter, gost_streebog_constants());
}

static void absorb(gost_hash *hash, const uint8_t *blocks, size_t count) {
    if (hash->name != gost_hash_r341194) {
        gost_streebog_update(
            hash->path, hash->state, &hash->length, hash->sum, blocks, count, gost_streebog_constants());
        return;
    }
    step(hash, blocks, count);
    hash->length += 256 * (uint64_t)count;
    for (size_t i = 0; i < count; i++) add(hash, blocks + 32 * i);
}

void gost_hash_update(gost_hash *hash, const uint8_t *data, size_t length) {
    size_t size = gost_hash_block_size(hash->name);
    uint8_t *partial = (uint8_t *)hash->partial;

    while (length > 0) {
        size_t taken = length / size * size;
        if (hash->count == 0 && taken > 0) absorb(hash, data, taken / size);
        else taken = fill(partial, &hash->count, size, data, length);
        data += taken;
        length -= taken;
        if (hash->count == size) {
            absorb(hash, partial, 1);
            hash->count = 0;
        }
    }
}

/// The last block is padded with a one bit and zeros; then N, then the sum (RFC 6986, 9.3).
static void end_streebog(gost_hash *hash) {
    uint64_t length[8] = {hash->length + 8 * hash->count};
    uint8_t *partial = (uint8_t *)hash->partial;

    memset(partial + hash->count, 0, sizeof hash->partial - hash->count);
    partial[hash->count] = 1;
    compress(hash, hash->partial, hash->length);
    add(hash, partial);
    compress(hash, length, 0);
    compress(hash, hash->sum, 0);
}

/// The last block is padded with zeros, if there is one; then L, then the sum (RFC 5831, 6).
static void end_r341194(gost_hash *hash) {
    uint64_t length[4] = {hash->length + 8 * hash->count};
    uint8_t *partial = (uint8_t *)hash->partial;

    if (hash->count > 0) {
        memset(partial + hash->count, 0, sizeof hash->partial - hash->count);
        step(hash, partial, 1);
        add(hash, partial);
    }
    step(hash, (const uint8_t *)length, 1);
    step(hash, (const uint8_t *)hash->sum, 1);
}

void gost_hash_end(gost_hash *hash, uint8_t *digest) {
    if (hash->name == gost_hash_r341194) end_r341194(hash);
    else end_streebog(hash);
    memcpy(digest, hash->name == gost_hash_streebog256 ? hash->state + 4 : hash->state, gost_hash_size(hash->name));
    explicit_bzero(hash, sizeof *hash);
}
