/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of GOST ciphers by the kernels, under one key. */
#ifndef KANAL_PROVIDER_BLOCK_H
#define KANAL_PROVIDER_BLOCK_H

#include "GOSTKernels.h"

enum block_kind { BLOCK_28147, BLOCK_MAGMA, BLOCK_KUZNYECHIK };
struct block {
    enum block_kind kind;
    gost_path path;
    /* The rows of GOST 28147-89; a key in the kernels' form. */
    const uint8_t *rows;
    uint32_t words[32];
    _Alignas(16) uint8_t round_keys[160];
};
enum { BLOCK_KEY = 32, BLOCK_LARGEST = 16 };
/* The rows are id-tc26-gost-28147-param-Z, unless others are set. */
void block_begin(struct block *block, enum block_kind kind);
void block_set_key(struct block *block, const unsigned char key[BLOCK_KEY]);
size_t block_size(const struct block *block);
/* The input and the output may be the same. */
void block_encrypt(const struct block *block, const unsigned char *in, unsigned char *out, size_t count);
void block_decrypt(const struct block *block, const unsigned char *in, unsigned char *out, size_t count);
/* Adds gamma to blocks. */
void block_count(
    const struct block *block, gost_counter *counter, const unsigned char *in, unsigned char *out, size_t count);
/* The same in the gamma mode of GOST 28147-89 (RFC 5830, 6); the number is N4 and N3. */
void block_count_28147(
    const struct block *block, uint64_t *number, const unsigned char *in, unsigned char *out, size_t count);
/* Chains blocks; the output may be NULL. */
void block_chain(
    const struct block *block, gost_chain chain, unsigned char *feedback, const unsigned char *in, unsigned char *out,
    size_t count);
/* Adds blocks of 8 bytes to the state of the code of GOST 28147-89. */
void block_imit(const struct block *block, unsigned char state[8], const unsigned char *in, size_t count);
/* The counter that begins with these bytes, which may be shorter than a block. */
gost_counter block_counter(const struct block *block, const unsigned char *start, size_t length);
/* CryptoPro Key Meshing (RFC 4357, 2.3.2), and ACPKM (RFC 8645, 6.2.1): the next key. */
void block_mesh(struct block *block);
void block_change_key(struct block *block);

#endif
