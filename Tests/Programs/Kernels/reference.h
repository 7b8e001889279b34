/* SPDX-License-Identifier: Apache-2.0 */
// The algorithms as their standards write them, byte by byte; the kernels are compared with them.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The rows K1…K8 of an S-box, and the key's words (RFC 5830, 5).
struct magma {
    uint8_t rows[128];
    uint32_t key[8];
};

/// The block N2 ‖ N1 after so many rounds with the key in its order, or backwards; the halves change places at the end.
uint64_t magma_encrypt(const struct magma *cipher, uint64_t block);
uint64_t magma_decrypt(const struct magma *cipher, uint64_t block);

/// The state after 16 rounds, in which the halves keep their places (RFC 5830, 8).
uint64_t magma_imit(const struct magma *cipher, uint64_t block);

/// The next counter N4 ‖ N3 (RFC 5830, 6).
uint64_t next_cnt(uint64_t counter);

/// Key meshing (RFC 4357, 2.3.2).
void magma_mesh(struct magma *cipher, uint64_t *counter);

/// The step function of GOST R 34.11-94 (RFC 5831, 5) on bytes, the least significant first.
void hash94(const uint8_t rows[128], uint8_t hash[32], const uint8_t block[32]);

/// Kuznyechik (RFC 7801): the constants C_1…C_32, the round keys, and one block.
void kuznyechik_constants(uint8_t constants[32][16]);
void kuznyechik_schedule(uint8_t keys[10][16]);
void kuznyechik_encrypt(const uint8_t keys[10][16], uint8_t block[16]);
void kuznyechik_decrypt(const uint8_t keys[10][16], uint8_t block[16]);

/// g_N of GOST R 34.11-2012 (RFC 6986, 8) on bytes, the least significant first.
void streebog(uint8_t hash[64], const uint8_t counter[64], const uint8_t block[64], const uint8_t constants[12][64]);

/// Adds the product in GF(2^64) or GF(2^128) of blocks of 8 or 16 bytes, the most significant first (RFC 9058, 3).
void add_product(uint8_t *sum, const uint8_t *a, const uint8_t *b, size_t size);

#endif
