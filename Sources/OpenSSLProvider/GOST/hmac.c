/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC by GOST hash functions, and the derivation of keys by it. */
#include "hash.h"

#include <string.h>

enum { LARGEST_BLOCK = 64, LARGEST_DIGEST = 64 };

static void begin_padded(
    struct hash *hash, enum hash_kind kind, const unsigned char *key, size_t length, unsigned char padding) {
    unsigned char block[LARGEST_BLOCK];
    size_t size = hash_block_size(kind);

    for (size_t i = 0; i < size; i++)
        block[i] = padding ^ (i < length ? key[i] : 0);
    hash_begin(hash, kind);
    hash_update(hash, block, size);
    explicit_bzero(block, sizeof block);
}

void hmac_begin(struct hmac *hmac, enum hash_kind kind, const unsigned char *key, size_t length) {
    unsigned char digest[LARGEST_DIGEST];
    struct hash hash;

    if (length > hash_block_size(kind)) {
        hash_begin(&hash, kind);
        hash_update(&hash, key, length);
        hash_end(&hash, digest);
        key = digest;
        length = hash_size(kind);
    }
    begin_padded(&hmac->inner, kind, key, length, 0x36);
    begin_padded(&hmac->outer, kind, key, length, 0x5C);
    explicit_bzero(digest, sizeof digest);
}

void hmac_update(struct hmac *hmac, const unsigned char *data, size_t length) {
    if (length)
        hash_update(&hmac->inner, data, length);
}

void hmac_end(struct hmac *hmac, unsigned char *code) {
    unsigned char digest[LARGEST_DIGEST];
    size_t size = hash_size(hmac->inner.kind);

    hash_end(&hmac->inner, digest);
    hash_update(&hmac->outer, digest, size);
    hash_end(&hmac->outer, code);
    explicit_bzero(digest, sizeof digest);
}

void kdf_tree(const unsigned char key[32], const unsigned char seed[8], unsigned char keys[64]) {
    static const unsigned char label[] = {'k', 'd', 'f', ' ', 't', 'r', 'e', 'e', 0}, bits[] = {0x02, 0x00};
    struct hmac hmac;

    for (unsigned char i = 0; i < 2; i++) {
        unsigned char number = (unsigned char)(i + 1);
        hmac_begin(&hmac, HASH_256, key, 32);
        hmac_update(&hmac, &number, 1);
        hmac_update(&hmac, label, sizeof label);
        hmac_update(&hmac, seed, 8);
        hmac_update(&hmac, bits, sizeof bits);
        hmac_end(&hmac, keys + 32 * i);
    }
}
