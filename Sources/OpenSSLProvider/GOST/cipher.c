/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modes of GOST R 34.13-2015 with a register of one block, the modes of GOST 28147-89 (RFC 5830; RFC 4357, 2), and
 * changes of the key within a message: CryptoPro Key Meshing (RFC 4357, 2.3.2), ACPKM (RFC 8645, 6.2.1).
 */
#include "cipher.h"

#include <string.h>

/* The number of blocks in one pass. */
enum { BATCH = 4096, DECHAINED = 64 };

size_t cipher_iv_size(enum block_kind kind, enum cipher_mode mode) {
    size_t size = kind == BLOCK_KUZNYECHIK ? 16 : 8;

    return mode == CIPHER_ECB ? 0 : mode == CIPHER_CTR ? size / 2 : size;
}

/* The counter of GOST 28147-89 begins, and goes on with another key, enciphered. */
static void begin_count(struct cipher *cipher) {
    unsigned char counter[8];

    memcpy(counter, &cipher->count, sizeof counter);
    block_encrypt(&cipher->block, counter, counter, 1);
    memcpy(&cipher->count, counter, sizeof counter);
}

void cipher_restart(struct cipher *cipher) {
    if (cipher->has_key)
        block_set_key(&cipher->block, cipher->key);
    cipher->done = 0;
    cipher->used = 0;
    memcpy(cipher->gamma, cipher->iv, sizeof cipher->gamma);
    cipher->counter = block_counter(&cipher->block, cipher->iv, cipher_iv_size(cipher->block.kind, CIPHER_CTR));
    memcpy(&cipher->count, cipher->iv, sizeof cipher->count);
    if (cipher->mode == CIPHER_CNT && cipher->has_key)
        begin_count(cipher);
}

static void change_key(struct cipher *cipher) {
    if (cipher->block.kind != BLOCK_28147) {
        block_change_key(&cipher->block);
        return;
    }
    block_mesh(&cipher->block);
    if (cipher->mode == CIPHER_CNT)
        begin_count(cipher);
    else
        block_encrypt(&cipher->block, cipher->gamma, cipher->gamma, 1);
}

/* The number of the next bytes that have the same key; the key changes if it is time. */
static size_t take(struct cipher *cipher, size_t length) {
    size_t left;

    if (!cipher->section)
        return length;
    left = cipher->section - cipher->done % cipher->section;
    if (cipher->done > 0 && cipher->done % cipher->section == 0)
        change_key(cipher);
    return length < left ? length : left;
}

static void add(unsigned char *out, const unsigned char *in, const unsigned char *gamma, size_t length) {
    for (size_t i = 0; i < length; i++)
        out[i] = in[i] ^ gamma[i];
}

/* Deciphers blocks of CFB and CBC side by side; the register has the last block of ciphertext. */
static void unlink_blocks(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t count) {
    size_t size = block_size(&cipher->block), taken;
    unsigned char before[BLOCK_LARGEST * DECHAINED], text[BLOCK_LARGEST * DECHAINED];
    bool is_cbc = cipher->mode == CIPHER_CBC;

    for (; count > 0; count -= taken, in += size * taken, out += size * taken) {
        taken = count < DECHAINED ? count : DECHAINED;
        memcpy(before, cipher->gamma, size);
        memcpy(before + size, in, size * (taken - 1));
        memcpy(cipher->gamma, in + size * (taken - 1), size);
        if (is_cbc)
            block_decrypt(&cipher->block, in, text, taken);
        else
            block_encrypt(&cipher->block, before, text, taken);
        add(out, is_cbc ? before : in, text, size * taken);
    }
    explicit_bzero(text, sizeof text);
}

static void do_blocks(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t count) {
    const struct block *block = &cipher->block;

    switch (cipher->mode) {
    case CIPHER_ECB:
        if (cipher->is_encryption)
            block_encrypt(block, in, out, count);
        else
            block_decrypt(block, in, out, count);
        break;
    case CIPHER_CBC:
    case CIPHER_CFB:
        if (cipher->is_encryption)
            block_chain(
                block, cipher->mode == CIPHER_CBC ? gost_chain_input : gost_chain_output, cipher->gamma, in, out, count);
        else
            unlink_blocks(cipher, in, out, count);
        break;
    case CIPHER_OFB: block_chain(block, gost_chain_gamma, cipher->gamma, in, out, count); break;
    case CIPHER_CTR: block_count(block, &cipher->counter, in, out, count); break;
    case CIPHER_CNT: block_count_28147(block, &cipher->count, in, out, count); break;
    }
}

/* A block that is not used up: each byte of gamma is used once. */
static void begin_block(struct cipher *cipher) {
    static const unsigned char zeros[BLOCK_LARGEST] = {0};

    if (cipher->mode == CIPHER_CTR)
        block_count(&cipher->block, &cipher->counter, zeros, cipher->gamma, 1);
    else if (cipher->mode == CIPHER_CNT)
        block_count_28147(&cipher->block, &cipher->count, zeros, cipher->gamma, 1);
    else
        block_encrypt(&cipher->block, cipher->gamma, cipher->gamma, 1);
}

static void do_byte(struct cipher *cipher, const unsigned char *in, unsigned char *out) {
    unsigned char text = *in;

    *out = text ^ cipher->gamma[cipher->used];
    if (cipher->mode == CIPHER_CFB)
        cipher->gamma[cipher->used] = cipher->is_encryption ? *out : text;
}

void cipher_update(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t length) {
    size_t size = block_size(&cipher->block), count;

    while (length > 0) {
        if (cipher->used == 0) {
            count = take(cipher, length) / size;
            if (count > BATCH)
                count = BATCH;
            if (count > 0) {
                do_blocks(cipher, in, out, count);
                cipher->done += size * count;
                in += size * count;
                out += size * count;
                length -= size * count;
                continue;
            }
            begin_block(cipher);
        }
        do_byte(cipher, in++, out++);
        cipher->used = (cipher->used + 1) % size;
        cipher->done++;
        length--;
    }
}

bool cipher_is_over(const unsigned char *out, const unsigned char *in, size_t written, size_t length, bool is_ahead) {
    uintptr_t to = (uintptr_t)out, from = (uintptr_t)in;

    return written > 0 && length > 0 && to < from + length && from < to + written && (to != from || is_ahead);
}
