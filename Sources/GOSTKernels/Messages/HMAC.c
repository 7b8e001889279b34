/* SPDX-License-Identifier: Apache-2.0 */
// HMAC by GOST hash functions, and the derivation of keys by it.

#include "GOSTHashes.h"

#include <string.h>

/// Begins a hash with the block of the key, to each octet of which `padding` is added.
static void begin_padded(gost_path path, gost_hash *hash, gost_hash_name name, const uint8_t *key, size_t length,
                         uint8_t padding) {
    uint8_t block[gost_hash_largest];
    size_t size = gost_hash_block_size(name);

    for (size_t i = 0; i < size; i++) block[i] = padding ^ (i < length ? key[i] : 0);
    gost_hash_begin(path, hash, name);
    gost_hash_update(hash, block, size);
    explicit_bzero(block, sizeof block);
}

void gost_hmac_begin(gost_path path, gost_hmac *hmac, gost_hash_name name, const uint8_t *key, size_t length) {
    uint8_t digest[gost_hash_largest];

    if (length > gost_hash_block_size(name)) {
        gost_hash_begin(path, &hmac->inner, name);
        gost_hash_update(&hmac->inner, key, length);
        gost_hash_end(&hmac->inner, digest);
        key = digest;
        length = gost_hash_size(name);
    }
    begin_padded(path, &hmac->inner, name, key, length, 0x36);
    begin_padded(path, &hmac->outer, name, key, length, 0x5C);
    explicit_bzero(digest, sizeof digest);
}

void gost_hmac_update(gost_hmac *hmac, const uint8_t *data, size_t length) {
    gost_hash_update(&hmac->inner, data, length);
}

void gost_hmac_end(gost_hmac *hmac, uint8_t *code) {
    uint8_t digest[gost_hash_largest];
    size_t size = gost_hash_size(hmac->inner.name);

    gost_hash_end(&hmac->inner, digest);
    gost_hash_update(&hmac->outer, digest, size);
    gost_hash_end(&hmac->outer, code);
    explicit_bzero(digest, sizeof digest);
}

void gost_hmac_iterate(const gost_hmac *keyed, uint8_t *iterate, uint8_t *sum, size_t count) {
    gost_hmac hmac;
    size_t size = gost_hash_size(keyed->inner.name);

    for (; count > 0; count--) {
        hmac = *keyed;
        gost_hmac_update(&hmac, iterate, size);
        gost_hmac_end(&hmac, iterate);
        for (size_t i = 0; i < size; i++) sum[i] ^= iterate[i];
    }
}

// ---- Derivation of keys ----

/// Writes a number in so many octets, the most significant first.
static void write_number(uint8_t *octets, uint64_t number, size_t count) {
    for (size_t i = count; i-- > 0; number >>= 8) octets[i] = (uint8_t)number;
}

/// Block i is HMAC(key, [i] ‖ label ‖ 00 ‖ seed ‖ [L]), with the number [i] in r octets, and the number [L] of bits in as few
/// as hold it.
void gost_kdf_tree(gost_path path, gost_hash_name name, gost_octets key, gost_octets label, gost_octets seed, size_t r,
                   uint8_t *keys, size_t length) {
    gost_hmac keyed, hmac;
    uint8_t number[8], bits[8], code[gost_hash_largest];
    size_t size = gost_hash_size(name), bits_length = 0, taken;

    write_number(bits, 8 * (uint64_t)length, sizeof bits);
    while (bits_length < sizeof bits && 8 * (uint64_t)length >> 8 * bits_length > 0) bits_length++;
    gost_hmac_begin(path, &keyed, name, key.octets, key.length);
    for (uint64_t i = 1; length > 0; i++, keys += taken, length -= taken) {
        taken = length < size ? length : size;
        hmac = keyed;
        write_number(number, i, r);
        gost_hmac_update(&hmac, number, r);
        gost_hmac_update(&hmac, label.octets, label.length);
        gost_hmac_update(&hmac, (const uint8_t[]){0}, 1);
        gost_hmac_update(&hmac, seed.octets, seed.length);
        gost_hmac_update(&hmac, bits + sizeof bits - bits_length, bits_length);
        gost_hmac_end(&hmac, code);
        memcpy(keys, code, taken);
    }
    explicit_bzero(&keyed, sizeof keyed);
    explicit_bzero(code, sizeof code);
}

void gost_kdf_tree_keys(gost_path path, const uint8_t key[32], const uint8_t seed[8], uint8_t keys[64]) {
    static const uint8_t label[] = {'k', 'd', 'f', ' ', 't', 'r', 'e', 'e'};

    gost_kdf_tree(path, gost_hash_streebog256, (gost_octets){key, 32}, (gost_octets){label, sizeof label},
                  (gost_octets){seed, 8}, 1, keys, 64);
}
