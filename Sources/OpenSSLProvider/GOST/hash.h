/* SPDX-License-Identifier: Apache-2.0 */
/* GOST hash functions by the kernels, with HMAC and KDF. */
#ifndef KANAL_PROVIDER_HASH_H
#define KANAL_PROVIDER_HASH_H

#include "GOSTKernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hash_kind { HASH_256, HASH_512, HASH_94, HASHES };
struct hash {
    enum hash_kind kind;
    /* h, the number of bits, and the sum of all blocks; the bytes of an incomplete block. */
    uint64_t state[8], length, sum[8];
    unsigned char partial[64];
    size_t count;
};
size_t hash_size(enum hash_kind kind);
size_t hash_block_size(enum hash_kind kind);
void hash_begin(struct hash *hash, enum hash_kind kind);
void hash_update(struct hash *hash, const unsigned char *data, size_t length);
/* Writes the digest, and clears the state. */
void hash_end(struct hash *hash, unsigned char *digest);

/* HMAC (RFC 2104; RFC 7836, 4.1). */
struct hmac {
    struct hash inner, outer;
};
void hmac_begin(struct hmac *hmac, enum hash_kind kind, const unsigned char *key, size_t length);
void hmac_update(struct hmac *hmac, const unsigned char *data, size_t length);
/* Writes the code, and clears the state. */
void hmac_end(struct hmac *hmac, unsigned char *code);
/* KDF_TREE_GOSTR3411_2012_256 (RFC 7836, 4.4) with the label "kdf tree": two keys of 32 bytes. */
void kdf_tree(const unsigned char key[32], const unsigned char seed[8], unsigned char keys[64]);

#endif
