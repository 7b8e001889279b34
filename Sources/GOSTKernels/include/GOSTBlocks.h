/* SPDX-License-Identifier: Apache-2.0 */
/// GOST ciphers and hash functions on whole blocks, by the best instructions of a processor.
///
/// Every function takes the path to use. The caller sees to it that the processor has that path (``gost_has_path``).
/// All are constant time in data and keys: no branch and no address depends on them. They keep nothing between
/// calls, and the ciphers overwrite their buffers of keys, text and gamma; registers that the compiler saves on the stack
/// are not overwritten.
#ifndef GOST_BLOCKS_H
#define GOST_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "GOSTCurves.h"
#include "GOSTParameters.h"

/// A set of instructions.
typedef enum GOST_CLOSED {
    /// The instructions of every processor.
    gost_path_portable,
    /// x86-64 with AVX2 and PCLMULQDQ.
    gost_path_avx2,
    /// x86-64 with AVX-512 F, BW, VL and VBMI, GFNI and PCLMULQDQ.
    gost_path_avx512,
    /// arm64. Sums of products need PMULL, which not every processor has.
    gost_path_neon,
} gost_path;

/// Whether the processor has the instructions of `path` and the operating system keeps their registers.
bool gost_has_path(gost_path path);

/// The best path that there is.
gost_path gost_best_path(void);

/// What counts in a counter.
typedef enum GOST_CLOSED {
    /// The whole block (GOST R 34.13-2015, 5.2).
    gost_part_whole,
    /// Its left half (incr_l of RFC 9058, 3).
    gost_part_left,
    /// Its right half (incr_r of RFC 9058, 3).
    gost_part_right,
} gost_part;

/// A block that counts, as two numbers of half a block.
typedef struct {
    uint64_t left, right;
    gost_part part;
} gost_counter;

/// What a chain of blocks takes up, the register of the mode being one block.
typedef enum GOST_CLOSED {
    /// The sum of feedback and input is enciphered, and is output and feedback (GOST R 34.13-2015, 5.4 and 5.6).
    gost_chain_input,
    /// The sum of enciphered feedback and input is output and feedback (5.5).
    gost_chain_output,
    /// Enciphered feedback is feedback; the sum of it and the input is output (5.3).
    gost_chain_gamma,
} gost_chain;

/// The order of the octets in a block of GOST 28147-89 as a number of 64 bits.
typedef enum GOST_CLOSED {
    /// The least significant octet first: GOST 28147-89 (RFC 5830).
    gost_order_little,
    /// The most significant octet first: Magma (RFC 8891).
    gost_order_big,
} gost_order;

/// GOST 28147-89 under one key.
typedef struct {
    /// Rows K1…K8: what each puts for 0, 1, …, 15.
    const uint8_t *rows;
    /// The key's eight words as numbers, each in four lanes of which the first is read.
    const uint32_t *key;
    gost_order order;
} gost_28147;

/// Enciphers `count` blocks of 8 octets. `input` and `output` may be the same.
void gost_28147_encrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count);

/// Deciphers `count` blocks of 8 octets. `input` and `output` may be the same.
void gost_28147_decrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count);

/// Adds gamma to `count` blocks: the gamma mode of RFC 5830, 6. `counter` is N4 ‖ N3 before and after.
void gost_28147_cnt(gost_path path, const gost_28147 *cipher, uint64_t *counter, const uint8_t *input, uint8_t *output,
                    size_t count);

/// Adds gamma to `count` blocks: the counter mode of GOST R 34.13-2015, 5.2. `counter` is the first block's; afterwards
/// it is that of the block which follows.
void gost_28147_ctr(gost_path path, const gost_28147 *cipher, gost_counter *counter, const uint8_t *input,
                    uint8_t *output, size_t count);

/// Links `count` blocks of 8 octets. `feedback` is one block, before and after; `output` may be the same as `input`, or
/// NULL, and then there is none.
void gost_28147_chain(gost_path path, const gost_28147 *cipher, gost_chain chain, uint8_t *feedback,
                      const uint8_t *input, uint8_t *output, size_t count);

/// Adds `count` blocks to the state of the authentication code, which is `code` before and after (RFC 5830, 8).
void gost_28147_imit(gost_path path, const gost_28147 *cipher, uint64_t *code, const uint8_t *input, size_t count);

/// Adds gamma to whole sections of 1024 octets, as ``gost_28147_cnt`` in the little order, before each of which key and
/// counter change (CryptoPro Key Meshing, RFC 4357, 2.3.2). `key` is eight words in four lanes each, and becomes that of
/// the last section.
void gost_28147_cnt_meshed(gost_path path, const uint8_t *rows, uint32_t *key, uint64_t *counter, const uint8_t *input,
                           uint8_t *output, size_t sections);

/// The step function of GOST R 34.11-94 (RFC 5831, 5) for `count` blocks of 32 octets, one after the other. `rows` are
/// K1…K8; `hash` is four words, the least significant first, before and after.
void gost_341194_hash(gost_path path, const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count);

/// The compression function g_N of GOST R 34.11-2012 (RFC 6986, 8), with N = `counter`. Vectors are eight words, the least
/// significant first; `constants` are those of C_1…C_12, one after the other.
void gost_streebog_compress(gost_path path, uint64_t *hash, const uint64_t *block, uint64_t counter,
                            const uint64_t *constants);

/// Hashes `count` whole blocks of 64 octets (RFC 6986, 9.2); `hash`, `length` and `sum` are h, N and Σ.
void gost_streebog_update(gost_path path, uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data,
                          size_t count, const uint64_t *constants);

/// Enciphers `count` blocks of 16 octets with Kuznyechik (RFC 7801, 4.4); `keys` are the ten round keys, one after the
/// other. `input` and `output` may be the same.
void gost_kuznyechik_encrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count);

/// Deciphers `count` blocks of 16 octets (RFC 7801, 4.5). `input` and `output` may be the same.
void gost_kuznyechik_decrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count);

/// Adds gamma to `count` blocks: the counter mode of GOST R 34.13-2015, 5.2. `counter` is the first block's; afterwards
/// it is that of the block which follows.
void gost_kuznyechik_ctr(gost_path path, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                         uint8_t *output, size_t count);

/// Links `count` blocks of 16 octets. `feedback` is one block, before and after; `output` may be the same as `input`, or
/// NULL, and then there is none.
void gost_kuznyechik_chain(gost_path path, const uint8_t *keys, gost_chain chain, uint8_t *feedback,
                           const uint8_t *input, uint8_t *output, size_t count);

/// The key schedule (RFC 7801, 4.3): `keys` begin with the key, two round keys, and get the other eight. `constants` are
/// C_1…C_32, one after the other.
void gost_kuznyechik_schedule(gost_path path, uint8_t *keys, const uint8_t *constants);

/// Adds to `sum` the products of `count` blocks of `data` and of `factors`, of 8 octets in GF(2^64) or of 16 in GF(2^128)
/// (RFC 9058, 3), the most significant octet first; `sum` is two words, the low one first.
void gost_multilinear_sum(gost_path path, uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t block_size,
                          size_t count);

#endif
