/* SPDX-License-Identifier: Apache-2.0 */
/// GOST ciphers under a key, and messages that come in pieces: modes of operation, authentication codes, both together, and keys
/// that are wrapped.
///
/// All functions are constant time in messages and keys; lengths, and the answers of those that answer, show. Input and output
/// may be the same memory, and do not overlap otherwise. A state that has ended is cleared; one that is given up before is the
/// caller's to clear. Memory of no octets may be NULL.
#ifndef GOST_CIPHERS_H
#define GOST_CIPHERS_H

#include "GOSTBlocks.h"

/// The block ciphers.
typedef enum GOST_CLOSED {
    /// GOST 28147-89 (RFC 5830).
    gost_cipher_gost28147,
    /// RFC 8891.
    gost_cipher_magma,
    /// RFC 7801.
    gost_cipher_kuznyechik,
} gost_cipher_name;

enum { gost_key_size = 32, gost_block_largest = 16 };

/// A cipher under one key.
typedef struct {
    gost_path path;
    gost_cipher_name name;
    /// The rows of GOST 28147-89.
    gost_sbox_name rows;
    /// The key as the kernels take it: that of GOST 28147-89 and Magma as 32 words, or the round keys of Kuznyechik.
    uint32_t key[40];
} gost_block;

/// The octets of a block.
size_t gost_block_size(gost_cipher_name name);

/// A cipher without a key. The rows are id-tc26-gost-28147-param-Z, unless others are set afterwards.
void gost_block_begin(gost_path path, gost_block *block, gost_cipher_name name);

void gost_block_set_key(gost_block *block, const uint8_t key[gost_key_size]);

/// Enciphers `count` blocks.
void gost_block_encrypt(const gost_block *block, const uint8_t *input, uint8_t *output, size_t count);

/// Deciphers `count` blocks.
void gost_block_decrypt(const gost_block *block, const uint8_t *input, uint8_t *output, size_t count);

/// The counter that begins with these octets, a block or its first ones; the missing ones are 0.
gost_counter gost_block_counter(gost_cipher_name name, const uint8_t *start, size_t length);

/// Adds gamma to `count` blocks: the counter mode (GOST R 34.13-2015, 5.2).
void gost_block_ctr(const gost_block *block, gost_counter *counter, const uint8_t *input, uint8_t *output, size_t count);

/// Adds gamma to `count` blocks: the gamma mode of GOST 28147-89 (RFC 5830, 6). `counter` is N4 ‖ N3.
void gost_block_cnt(const gost_block *block, uint64_t *counter, const uint8_t *input, uint8_t *output, size_t count);

/// Links `count` blocks. `feedback` is one block, before and after; there may be no `output`.
void gost_block_chain(const gost_block *block, gost_chain chain, uint8_t *feedback, const uint8_t *input, uint8_t *output,
                      size_t count);

/// Adds `count` blocks to the code of GOST 28147-89 (RFC 5830, 8).
void gost_block_imit(const gost_block *block, uint8_t code[8], const uint8_t *input, size_t count);

/// Adds gamma as ``gost_block_cnt`` to whole sections of 1024 octets, before each of which key and counter change by CryptoPro Key
/// Meshing.
void gost_block_cnt_meshed(gost_block *block, uint64_t *counter, const uint8_t *input, uint8_t *output, size_t sections);

/// The next key by CryptoPro Key Meshing (RFC 4357, 2.3.2).
void gost_block_mesh(gost_block *block);

/// The next key by ACPKM (RFC 8645, 6.2.1).
void gost_block_acpkm(gost_block *block);

// ---- Modes of operation ----

/// The modes of operation. ECB and CBC take whole blocks, the others text of any length.
typedef enum GOST_CLOSED {
    gost_mode_ecb,
    gost_mode_cbc,
    gost_mode_cfb,
    gost_mode_ofb,
    gost_mode_ctr,
    /// The gamma mode of GOST 28147-89 (RFC 5830, 6).
    gost_mode_cnt,
} gost_mode;

/// A message that is enciphered or deciphered.
typedef struct {
    gost_block block;
    gost_mode mode;
    bool is_encryption;
    /// The key changes after so many octets, whole blocks: by meshing of GOST 28147-89, otherwise by ACPKM; 0 for never.
    size_t section;
    gost_counter counter;
    uint64_t count;
    /// The register: ciphertext, or gamma of which so many octets are used. The octets that are done.
    uint8_t gamma[gost_block_largest];
    size_t used, done;
} gost_cipher;

/// The octets of an initialisation vector: a block, half a block for CTR, none for ECB.
size_t gost_iv_size(gost_cipher_name name, gost_mode mode);

/// Begins a message. `block`, `mode`, `is_encryption` and `section` are set.
void gost_cipher_begin(gost_cipher *cipher, const uint8_t *iv);

/// Enciphers or deciphers the next octets.
void gost_cipher_update(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t length);

// ---- Authentication codes ----

/// An authentication code that is being computed.
typedef struct {
    gost_block block;
    /// The code of GOST 28147-89, whose key may change by meshing; otherwise OMAC.
    bool is_imit, is_meshed;
    uint8_t state[gost_block_largest];
    /// The octets of the incomplete block, which OMAC has added to the state; all octets so far.
    uint8_t partial[8];
    size_t used, done;
} gost_mac;

/// Begins the code of GOST 28147-89 (RFC 5830, 8). `state` is 8 octets, or NULL for zeros.
void gost_mac_begin_imit(gost_mac *mac, const gost_block *block, const uint8_t *state, bool is_meshed);

/// Begins OMAC (GOST R 34.13-2015, 5.6).
void gost_mac_begin_omac(gost_mac *mac, const gost_block *block);

void gost_mac_update(gost_mac *mac, const uint8_t *data, size_t length);

/// Ends the message, writes the first `length` octets of its code, and clears the state.
///
/// The standard requires two blocks of a message with the code of GOST 28147-89: to one, a block of zeros is added, as
/// CryptoPro CSP, libgcrypt and OpenSSL's engine do. The code of no octets is the state at the beginning.
void gost_mac_end(gost_mac *mac, uint8_t *code, size_t length);

// ---- Encryption with authentication ----

/// A message in the multilinear Galois mode (RFC 9058).
typedef struct {
    gost_cipher text;
    gost_counter factors;
    /// The sum of products, the low word first.
    uint64_t sum[2];
    /// A block of which `count` octets have come.
    uint8_t partial[gost_block_largest];
    size_t count;
    uint64_t data_length, text_length;
} gost_mgm;

/// Begins a message. The nonce is a block whose first bit is 0: false otherwise.
bool gost_mgm_begin(gost_mgm *mgm, const gost_block *block, const uint8_t *nonce);

/// Appends data that are authenticated alone, before all text. False if data and text are too much: 2^(n/2) bits or more.
bool gost_mgm_authenticate(gost_mgm *mgm, const uint8_t *data, size_t length);

/// Enciphers or deciphers text. False if there is too much.
bool gost_mgm_update(gost_mgm *mgm, bool is_encryption, const uint8_t *input, uint8_t *output, size_t length);

/// Ends the message, writes a tag of a block, and clears the state. False if there was neither text nor data.
bool gost_mgm_end(gost_mgm *mgm, uint8_t *tag);

// ---- Wrapped keys ----

/// Whether codes are equal, in time that depends on their length alone.
bool gost_are_equal(const uint8_t *one, const uint8_t *other, size_t length);

/// CryptoPro KEK Diversification (RFC 4357, 6.5).
void gost_diversify(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                    uint8_t key[gost_key_size]);

/// Wraps a key by GOST 28147-89 (RFC 4357, 6.1; 6.3 with a diversified `kek`): the enciphered key and its code of 4 octets.
void gost_wrap_28147(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                     const uint8_t key[gost_key_size], uint8_t wrapped[gost_key_size + 4]);

/// The key that is wrapped so, if its code is right.
bool gost_unwrap_28147(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                       const uint8_t wrapped[gost_key_size + 4], uint8_t key[gost_key_size]);

/// KExp15 (RFC 9189, 8.2.1): `wrapped` is a block longer than the key. `keys` are the code's and the cipher's, `iv` is half a
/// block.
void gost_kexp15(gost_path path, gost_cipher_name name, const uint8_t keys[2 * gost_key_size], const uint8_t *iv,
                 const uint8_t *key, size_t length, uint8_t *wrapped);

/// KImp15 (RFC 9189, 8.2.1): the key, a block shorter than `wrapped`, if its code is right; zeros otherwise.
bool gost_kimp15(gost_path path, gost_cipher_name name, const uint8_t keys[2 * gost_key_size], const uint8_t *iv,
                 const uint8_t *wrapped, size_t length, uint8_t *key);

#endif
