/* SPDX-License-Identifier: Apache-2.0 */
// The modes of GOST R 34.13-2015 with a register of one block, the modes of GOST 28147-89 (RFC 5830; RFC 4357, 2), and changes
// of the key within a message: CryptoPro Key Meshing (RFC 4357, 2.3.2), ACPKM (RFC 8645, 6.2.1).

#include "GOSTCiphers.h"

#include <string.h>

/// The most blocks of one pass, and those of CBC and CFB that are deciphered side by side.
enum { batch = 4096, unlinked = 64 };

size_t gost_iv_size(gost_cipher_name name, gost_mode mode) {
    size_t size = gost_block_size(name);

    return mode == gost_mode_ecb ? 0 : mode == gost_mode_ctr ? size / 2 : size;
}

/// The counter of GOST 28147-89 begins, and goes on with another key, enciphered.
static void begin_count(gost_cipher *cipher) {
    uint8_t *count = (uint8_t *)&cipher->count;

    gost_block_encrypt(&cipher->block, count, count, 1);
}

void gost_cipher_begin(gost_cipher *cipher, const uint8_t *iv) {
    size_t size = gost_iv_size(cipher->block.name, cipher->mode);

    cipher->done = 0;
    cipher->used = 0;
    if (size > 0) memcpy(cipher->gamma, iv, size);
    cipher->counter = gost_block_counter(cipher->block.name, cipher->gamma, size);
    if (cipher->mode != gost_mode_cnt) return;
    memcpy(&cipher->count, iv, sizeof cipher->count);
    begin_count(cipher);
}

static void change_key(gost_cipher *cipher) {
    if (cipher->block.name != gost_cipher_gost28147) {
        gost_block_acpkm(&cipher->block);
        return;
    }
    gost_block_mesh(&cipher->block);
    if (cipher->mode == gost_mode_cnt) begin_count(cipher);
    else gost_block_encrypt(&cipher->block, cipher->gamma, cipher->gamma, 1);
}

static bool is_key_due(const gost_cipher *cipher) {
    return cipher->section > 0 && cipher->done > 0 && cipher->done % cipher->section == 0;
}

/// The number of the next octets that have the same key; the key changes if it is time.
static size_t take(gost_cipher *cipher, size_t length) {
    size_t left;

    if (cipher->section == 0) return length;
    left = cipher->section - cipher->done % cipher->section;
    if (is_key_due(cipher)) change_key(cipher);
    return length < left ? length : left;
}

static void add(uint8_t *output, const uint8_t *input, const uint8_t *gamma, size_t length) {
    for (size_t i = 0; i < length; i++) output[i] = input[i] ^ gamma[i];
}

/// Deciphers blocks of CFB and CBC side by side; the register has the last block of ciphertext.
static void unlink_blocks(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    size_t size = gost_block_size(cipher->block.name), taken;
    uint8_t before[gost_block_largest * unlinked], text[gost_block_largest * unlinked];
    bool is_cbc = cipher->mode == gost_mode_cbc;

    for (; count > 0; count -= taken, input += size * taken, output += size * taken) {
        taken = count < unlinked ? count : unlinked;
        memcpy(before, cipher->gamma, size);
        memcpy(before + size, input, size * (taken - 1));
        memcpy(cipher->gamma, input + size * (taken - 1), size);
        if (is_cbc) gost_block_decrypt(&cipher->block, input, text, taken);
        else gost_block_encrypt(&cipher->block, before, text, taken);
        add(output, is_cbc ? before : input, text, size * taken);
    }
    explicit_bzero(text, sizeof text);
}

/// Blocks of CBC, CFB and OFB.
static void link_blocks(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    gost_chain chain = cipher->mode == gost_mode_cbc ? gost_chain_input
        : cipher->mode == gost_mode_cfb              ? gost_chain_output
                                                     : gost_chain_gamma;

    if (cipher->is_encryption || cipher->mode == gost_mode_ofb)
        gost_block_chain(&cipher->block, chain, cipher->gamma, input, output, count);
    else unlink_blocks(cipher, input, output, count);
}

static void update_blocks(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    const gost_block *block = &cipher->block;

    if (cipher->mode == gost_mode_ctr) gost_block_ctr(block, &cipher->counter, input, output, count);
    else if (cipher->mode == gost_mode_cnt) gost_block_cnt(block, &cipher->count, input, output, count);
    else if (cipher->mode != gost_mode_ecb) link_blocks(cipher, input, output, count);
    else if (cipher->is_encryption) gost_block_encrypt(block, input, output, count);
    else gost_block_decrypt(block, input, output, count);
}

/// All whole sections of GOST 28147-89 with another key for each, if one begins here. Returns their octets.
static size_t update_sections(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t length) {
    size_t sections = length / 1024;

    if (cipher->mode != gost_mode_cnt || cipher->section != 1024 || !is_key_due(cipher) || sections == 0) return 0;
    gost_block_cnt_meshed(&cipher->block, &cipher->count, input, output, sections);
    return 1024 * sections;
}

/// Whole sections or blocks from the front. Returns their octets.
static size_t update_whole(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t length) {
    size_t size = gost_block_size(cipher->block.name), done = update_sections(cipher, input, output, length), count;

    if (done == 0) {
        count = take(cipher, length) / size;
        if (count > batch) count = batch;
        if (count > 0) update_blocks(cipher, input, output, count);
        done = size * count;
    }
    cipher->done += done;
    return done;
}

/// A block that is not used up: each octet of gamma is used once.
static void begin_block(gost_cipher *cipher) {
    static const uint8_t zeros[gost_block_largest] = {0};

    if (cipher->mode == gost_mode_ctr || cipher->mode == gost_mode_cnt)
        update_blocks(cipher, zeros, cipher->gamma, 1);
    else gost_block_encrypt(&cipher->block, cipher->gamma, cipher->gamma, 1);
}

static void update_octet(gost_cipher *cipher, const uint8_t *input, uint8_t *output) {
    uint8_t text = *input;

    *output = text ^ cipher->gamma[cipher->used];
    if (cipher->mode == gost_mode_cfb) cipher->gamma[cipher->used] = cipher->is_encryption ? *output : text;
    cipher->used = (cipher->used + 1) % gost_block_size(cipher->block.name);
    cipher->done++;
}

void gost_cipher_update(gost_cipher *cipher, const uint8_t *input, uint8_t *output, size_t length) {
    while (length > 0) {
        size_t done = cipher->used == 0 ? update_whole(cipher, input, output, length) : 0;
        if (done == 0) {
            if (cipher->used == 0) begin_block(cipher);
            update_octet(cipher, input, output);
            done = 1;
        }
        input += done;
        output += done;
        length -= done;
    }
}
