/* SPDX-License-Identifier: Apache-2.0 */
// Keys that are wrapped by GOST 28147-89 (RFC 4357, 6) and by KExp15 (RFC 9189, 8.2.1).

#include "GOSTCiphers.h"

#include <string.h>

bool gost_are_equal(const uint8_t *one, const uint8_t *other, size_t length) {
    uint8_t bits = 0;

    for (size_t i = 0; i < length; i++) bits |= one[i] ^ other[i];
    return gost_public_answer(bits == 0);
}

// ---- GOST 28147-89 ----

static gost_block begin(gost_path path, gost_sbox_name rows, const uint8_t key[gost_key_size]) {
    gost_block block;

    gost_block_begin(path, &block, gost_cipher_gost28147);
    block.rows = rows;
    gost_block_set_key(&block, key);
    return block;
}

void gost_diversify(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                    uint8_t key[gost_key_size]) {
    gost_block block;
    uint8_t feedback[8];

    memmove(key, kek, gost_key_size);
    for (int i = 0; i < 8; i++) {
        // The sum of the key's words at the bits that are set in UKM, then the sum of the others.
        uint32_t sums[2] = {0, 0};
        for (int j = 0; j < 8; j++) {
            uint32_t word;
            memcpy(&word, key + 4 * j, 4);
            sums[ukm[i] >> j & 1 ? 0 : 1] += word;
        }
        memcpy(feedback, sums, sizeof feedback);
        explicit_bzero(sums, sizeof sums);
        block = begin(path, rows, key);
        gost_block_chain(&block, gost_chain_output, feedback, key, key, 4);
    }
    explicit_bzero(&block, sizeof block);
    explicit_bzero(feedback, sizeof feedback);
}

/// The code of a key, which begins with UKM.
static void make_code_28147(const gost_block *block, const uint8_t ukm[8], const uint8_t key[gost_key_size],
                            uint8_t code[4]) {
    gost_mac mac;

    gost_mac_begin_imit(&mac, block, ukm, false);
    gost_mac_update(&mac, key, gost_key_size);
    gost_mac_end(&mac, code, 4);
}

void gost_wrap_28147(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                     const uint8_t key[gost_key_size], uint8_t wrapped[gost_key_size + 4]) {
    gost_block block = begin(path, rows, kek);

    make_code_28147(&block, ukm, key, wrapped + gost_key_size);
    gost_block_encrypt(&block, key, wrapped, 4);
    explicit_bzero(&block, sizeof block);
}

bool gost_unwrap_28147(gost_path path, gost_sbox_name rows, const uint8_t kek[gost_key_size], const uint8_t ukm[8],
                       const uint8_t wrapped[gost_key_size + 4], uint8_t key[gost_key_size]) {
    gost_block block = begin(path, rows, kek);
    uint8_t opened[gost_key_size], code[4];
    bool is_right;

    gost_block_decrypt(&block, wrapped, opened, 4);
    make_code_28147(&block, ukm, opened, code);
    is_right = gost_are_equal(code, wrapped + gost_key_size, sizeof code);
    if (is_right) memcpy(key, opened, sizeof opened);
    explicit_bzero(&block, sizeof block);
    explicit_bzero(opened, sizeof opened);
    explicit_bzero(code, sizeof code);
    return is_right;
}

// ---- KExp15 ----

static void make_code(gost_path path, gost_cipher_name name, const uint8_t *key, const uint8_t *iv, const uint8_t *data,
                      size_t length, uint8_t code[gost_block_largest]) {
    gost_block block;
    gost_mac mac;
    size_t size = gost_block_size(name);

    gost_block_begin(path, &block, name);
    gost_block_set_key(&block, key);
    gost_mac_begin_omac(&mac, &block);
    gost_mac_update(&mac, iv, size / 2);
    gost_mac_update(&mac, data, length);
    gost_mac_end(&mac, code, size);
    explicit_bzero(&block, sizeof block);
}

static gost_cipher begin_gamma(gost_path path, gost_cipher_name name, const uint8_t *key, const uint8_t *iv) {
    gost_cipher cipher = {.mode = gost_mode_ctr};

    gost_block_begin(path, &cipher.block, name);
    gost_block_set_key(&cipher.block, key);
    gost_cipher_begin(&cipher, iv);
    return cipher;
}

void gost_kexp15(gost_path path, gost_cipher_name name, const uint8_t keys[2 * gost_key_size], const uint8_t *iv,
                 const uint8_t *key, size_t length, uint8_t *wrapped) {
    gost_cipher cipher = begin_gamma(path, name, keys + gost_key_size, iv);
    uint8_t code[gost_block_largest];

    make_code(path, name, keys, iv, key, length, code);
    gost_cipher_update(&cipher, key, wrapped, length);
    gost_cipher_update(&cipher, code, wrapped + length, gost_block_size(name));
    explicit_bzero(&cipher, sizeof cipher);
    explicit_bzero(code, sizeof code);
}

bool gost_kimp15(gost_path path, gost_cipher_name name, const uint8_t keys[2 * gost_key_size], const uint8_t *iv,
                 const uint8_t *wrapped, size_t length, uint8_t *key) {
    size_t size = gost_block_size(name);
    gost_cipher cipher;
    uint8_t opened[gost_block_largest], code[gost_block_largest];
    bool is_right;

    if (length <= size) return false;
    length -= size;
    cipher = begin_gamma(path, name, keys + gost_key_size, iv);
    gost_cipher_update(&cipher, wrapped, key, length);
    gost_cipher_update(&cipher, wrapped + length, opened, size);
    make_code(path, name, keys, iv, key, length, code);
    is_right = gost_are_equal(code, opened, size);
    if (!is_right) explicit_bzero(key, length);
    explicit_bzero(&cipher, sizeof cipher);
    explicit_bzero(opened, sizeof opened);
    explicit_bzero(code, sizeof code);
    return is_right;
}
