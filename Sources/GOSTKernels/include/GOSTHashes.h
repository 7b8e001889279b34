/* SPDX-License-Identifier: Apache-2.0 */
/// GOST hash functions of messages that come in pieces, HMAC by them, and keys that are derived by it.
///
/// A message begins with the path to use (``GOSTBlocks.h``). All functions are constant time in messages and keys; lengths show. A state
/// that has ended is cleared; one that is given up before is the caller's to clear. Memory of no bytes may be NULL.
#ifndef GOST_HASHES_H
#define GOST_HASHES_H

#include "GOSTBlocks.h"

/// The hash functions.
typedef enum GOST_CLOSED {
    /// GOST R 34.11-94 (RFC 5831).
    gost_hash_r341194,
    /// GOST R 34.11-2012 with 256 bits (RFC 6986).
    gost_hash_streebog256,
    /// GOST R 34.11-2012 with 512 bits (RFC 6986).
    gost_hash_streebog512,
} gost_hash_name;
enum { gost_hash_count = gost_hash_streebog512 + 1 };

/// The octets of the longest digest, and of the longest block.
enum { gost_hash_largest = 64 };

/// A hash that is being computed.
typedef struct {
    gost_path path;
    gost_hash_name name;
    /// The rows of GOST R 34.11-94.
    gost_sbox_name rows;
    /// h, the number of bits, the sum of all blocks, and a block of which `count` octets have come.
    uint64_t state[8], length, sum[8], partial[8];
    size_t count;
} gost_hash;

/// The octets of the digest.
size_t gost_hash_size(gost_hash_name name);

/// The octets of a block, to which HMAC pads its key.
size_t gost_hash_block_size(gost_hash_name name);

/// Begins a message. GOST R 34.11-94 has the rows id-GostR3411-94-CryptoProParamSet, unless others are set afterwards.
void gost_hash_begin(gost_path path, gost_hash *hash, gost_hash_name name);

/// Appends `length` octets to the message.
void gost_hash_update(gost_hash *hash, const uint8_t *data, size_t length);

/// Ends the message, writes its digest, and clears the state.
///
/// GOST R 34.11-94 of the empty message is the result of step 3 alone, as libgcrypt and most others have it; by the letter of
/// RFC 5831, 6, a block of zeros comes before.
void gost_hash_end(gost_hash *hash, uint8_t *digest);

/// HMAC (RFC 2104; RFC 4357, 3; RFC 7836, 4.1) that is being computed.
typedef struct {
    gost_hash inner, outer;
} gost_hmac;

/// Begins a message under a key of any length; a key longer than a block is hashed first.
void gost_hmac_begin(gost_path path, gost_hmac *hmac, gost_hash_name name, const uint8_t *key, size_t length);

/// Appends `length` octets to the message.
void gost_hmac_update(gost_hmac *hmac, const uint8_t *data, size_t length);

/// Ends the message, writes its code, as long as the digest, and clears the state.
void gost_hmac_end(gost_hmac *hmac, uint8_t *code);

/// The iteration of PBKDF2 (RFC 8018, 5.2): replaces `iterate`, as long as the digest, by its code `count` times, and adds
/// each to `sum` modulo 2. `keyed` is HMAC before a message.
void gost_hmac_iterate(const gost_hmac *keyed, uint8_t *iterate, uint8_t *sum, size_t count);

/// Public and secret octets.
typedef struct {
    const uint8_t *octets;
    size_t length;
} gost_octets;

/// KDF_TREE_GOSTR3411_2012_256 (RFC 7836, 4.4) by any hash function: derives `length` octets, of at least 1 and fewer than
/// 2^(8 · `r`) digests. `r`, from 1 to 4, is the octets of the number of each digest.
void gost_kdf_tree(gost_path path, gost_hash_name name, gost_octets key, gost_octets label, gost_octets seed, size_t r,
                   uint8_t *keys, size_t length);

/// The same with the label "kdf tree": two keys of 32 octets, of KEG (RFC 9189, 8.3.1) and of a message with OMAC.
void gost_kdf_tree_keys(gost_path path, const uint8_t key[32], const uint8_t seed[8], uint8_t keys[64]);

#endif
