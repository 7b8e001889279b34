/* SPDX-License-Identifier: Apache-2.0 */
/* GOST R 34.11-2012 (RFC 6986) and GOST R 34.11-94 (RFC 5831) over whole and broken blocks. */
#include "hash.h"

#include <string.h>

static void compress(uint64_t *state, const uint64_t *block, uint64_t counter) {
    gost_streebog_compress(gost_best_path(), state, block, counter, gost_streebog_constants());
}

static void step(uint64_t *state, const unsigned char *data, size_t count) {
    gost_341194_hash(gost_best_path(), gost_sbox_set_at(gost_sbox_cryptopro_341194)->rows, state, data, count);
}

size_t hash_size(enum hash_kind kind) { return kind == HASH_512 ? 64 : 32; }
size_t hash_block_size(enum hash_kind kind) { return kind == HASH_94 ? 32 : 64; }

void hash_begin(struct hash *hash, enum hash_kind kind) {
    *hash = (struct hash){.kind = kind};
    if (kind == HASH_256)
        memset(hash->state, 1, sizeof hash->state);
}

static void add(uint64_t *sum, const uint8_t *block, int words) {
    uint64_t carry = 0;

    for (int i = 0; i < words; i++) {
        uint64_t word, old = sum[i];
        memcpy(&word, block + 8 * i, 8);
        sum[i] = old + word + carry;
        carry = ((old & word) | ((old | word) & ~sum[i])) >> 63;
    }
}

static void absorb(struct hash *hash, const unsigned char *data, size_t count) {
    if (hash->kind != HASH_94) {
        gost_streebog_update(
            gost_best_path(), hash->state, &hash->length, hash->sum, data, count, gost_streebog_constants());
        return;
    }
    step(hash->state, data, count);
    hash->length += 256 * (uint64_t)count;
    for (size_t i = 0; i < count; i++)
        add(hash->sum, data + 32 * i, 4);
}

void hash_update(struct hash *hash, const unsigned char *data, size_t length) {
    size_t size = hash_block_size(hash->kind), taken, blocks;

    if (hash->count > 0) {
        taken = length < size - hash->count ? length : size - hash->count;
        if (taken)
            memcpy(hash->partial + hash->count, data, taken);
        hash->count += taken;
        if (hash->count < size)
            return;
        absorb(hash, hash->partial, 1);
        hash->count = 0;
        data += taken;
        length -= taken;
    }
    blocks = length / size;
    if (blocks > 0)
        absorb(hash, data, blocks);
    hash->count = length - blocks * size;
    if (hash->count > 0)
        memcpy(hash->partial, data + blocks * size, hash->count);
}

/* The last block is padded with a one bit and zeros; then N, then the sum (RFC 6986, 9.3). */
static void end_streebog(struct hash *hash) {
    uint64_t block[8] = {0}, length[8] = {0};
    unsigned char *octets = (unsigned char *)block;

    memcpy(octets, hash->partial, hash->count);
    octets[hash->count] = 1;
    compress(hash->state, block, hash->length);
    length[0] = hash->length + 8 * hash->count;
    add(hash->sum, octets, 8);
    compress(hash->state, length, 0);
    compress(hash->state, hash->sum, 0);
}

/* The last block is padded with zeros, if there is one; then L, then the sum (RFC 5831, 6). */
static void end_94(struct hash *hash) {
    uint64_t length[4] = {0};

    length[0] = hash->length + 8 * hash->count;
    if (hash->count > 0) {
        memset(hash->partial + hash->count, 0, 32 - hash->count);
        step(hash->state, hash->partial, 1);
        add(hash->sum, hash->partial, 4);
    }
    step(hash->state, (const uint8_t *)length, 1);
    step(hash->state, (const uint8_t *)hash->sum, 1);
}

void hash_end(struct hash *hash, unsigned char *digest) {
    if (hash->kind == HASH_94)
        end_94(hash);
    else
        end_streebog(hash);
    memcpy(digest, hash->kind == HASH_256 ? hash->state + 4 : hash->state, hash_size(hash->kind));
    explicit_bzero(hash, sizeof *hash);
}
