/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ciphers of messages: GOST 28147-89 with feedback (RFC 4490), Kuznyechik and Magma as counters whose key changes
 * (CTR-ACPKM of RFC 8645). Any piece of a message may be enciphered by itself, so that OpenSSL sees streams.
 */
#include "cipher.h"

#include <pthread.h>
#include <string.h>

enum { MESH = 1024, BATCH = 4096 };

static size_t block_size(const struct cipher *cipher) { return cipher->kind == CIPHER_KUZNYECHIK ? 16 : 8; }
size_t cipher_iv_size(enum cipher_kind kind) { return kind == CIPHER_MAGMA ? 4 : 8; }

/* ---- Keys ---- */

static uint8_t multiply(uint8_t a, uint8_t b) {
    uint8_t product = 0;

    for (; b; b >>= 1) {
        product ^= b & 1 ? a : 0;
        a = (uint8_t)(a << 1) ^ (a & 0x80 ? 0xC3 : 0);
    }
    return product;
}

/* C_1…C_32 of RFC 7801, 4.3: the numbers by the transformation L. They are public. */
static uint8_t constants[32][16];
static pthread_once_t made = PTHREAD_ONCE_INIT;
static void make_constants(void) {
    static const uint8_t l[16] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};

    for (int i = 0; i < 32; i++) {
        constants[i][15] = (uint8_t)(i + 1);
        for (int step = 0; step < 16; step++) {
            uint8_t sum = 0;
            for (int j = 0; j < 16; j++)
                sum ^= multiply(constants[i][j], l[j]);
            memmove(constants[i] + 1, constants[i], 15);
            constants[i][0] = sum;
        }
    }
}

static void set_key(struct cipher *cipher, const unsigned char key[32]) {
    if (cipher->kind == CIPHER_KUZNYECHIK) {
        pthread_once(&made, make_constants);
        memcpy(cipher->round_keys, key, 32);
        gost_kuznyechik_schedule(cipher->path, cipher->round_keys, &constants[0][0]);
        return;
    }
    for (int i = 0; i < 8; i++) {
        uint32_t word;
        memcpy(&word, key + 4 * i, 4);
        if (cipher->kind == CIPHER_MAGMA)
            word = __builtin_bswap32(word);
        for (int lane = 0; lane < 4; lane++)
            cipher->words[4 * i + lane] = word;
    }
}

static gost_28147 of_28147(const struct cipher *cipher) {
    return (gost_28147){
        cipher->rows, cipher->words, cipher->kind == CIPHER_MAGMA ? gost_order_big : gost_order_little};
}

static void encrypt_blocks(const struct cipher *cipher, unsigned char *blocks, size_t count) {
    gost_28147 of = of_28147(cipher);

    if (cipher->kind == CIPHER_KUZNYECHIK)
        gost_kuznyechik_encrypt(cipher->path, cipher->round_keys, blocks, blocks, count);
    else
        gost_28147_encrypt(cipher->path, &of, blocks, blocks, count);
}

/* CryptoPro Key Meshing (RFC 4357, 2.3.2). */
static void mesh(struct cipher *cipher) {
    unsigned char key[32] = {
        0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
        0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
    };
    gost_28147 of = of_28147(cipher);

    gost_28147_decrypt(cipher->path, &of, key, key, 4);
    set_key(cipher, key);
    explicit_bzero(key, sizeof key);
    encrypt_blocks(cipher, cipher->gamma, 1);
}

/* ACPKM (RFC 8645, 6.2.1). */
static void change_key(struct cipher *cipher) {
    unsigned char key[32];

    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(0x80 + i);
    encrypt_blocks(cipher, key, sizeof key / block_size(cipher));
    set_key(cipher, key);
    explicit_bzero(key, sizeof key);
}

void cipher_set_key(struct cipher *cipher, const unsigned char key[32]) {
    memcpy(cipher->key, key, 32);
    cipher->has_key = true;
    cipher_restart(cipher);
}

void cipher_restart(struct cipher *cipher) {
    if (!cipher->rows)
        cipher->rows = gost_sbox_set_at(gost_sbox_tc26_z)->rows;
    if (cipher->has_key)
        set_key(cipher, cipher->key);
    cipher->done = 0;
    cipher->used = 0;
    memset(cipher->gamma, 0, sizeof cipher->gamma);
    memcpy(cipher->gamma, cipher->iv, sizeof cipher->iv);
    cipher->counter = (gost_counter){.part = gost_part_whole};
    for (size_t i = 0; i < cipher_iv_size(cipher->kind); i++)
        cipher->counter.left = cipher->counter.left << 8 | cipher->iv[i];
}

/* ---- Text ---- */

/* How many bytes have the same key from here on, of so many; the key changes if it is time. */
static size_t take(struct cipher *cipher, size_t length) {
    size_t section = cipher->kind == CIPHER_28147 ? MESH : cipher->kind == CIPHER_MAGMA ? 8192 : 256 * 1024;
    size_t left = section - cipher->done % section;

    if (cipher->done > 0 && cipher->done % section == 0) {
        if (cipher->kind == CIPHER_28147)
            mesh(cipher);
        else
            change_key(cipher);
    }
    return length < left ? length : left;
}

static void add(unsigned char *out, const unsigned char *in, const unsigned char *gamma, size_t length) {
    for (size_t i = 0; i < length; i++)
        out[i] = in[i] ^ gamma[i];
}

/* Whole blocks of a counter. */
static void count_blocks(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(cipher);

    if (cipher->kind == CIPHER_KUZNYECHIK)
        gost_kuznyechik_ctr(cipher->path, cipher->round_keys, &cipher->counter, in, out, count);
    else
        gost_28147_ctr(cipher->path, &of, &cipher->counter, in, out, count);
}

/* Whole blocks with feedback; "gamma" has the last block of ciphertext. */
static void feed_blocks(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t count) {
    gost_28147 of = of_28147(cipher);
    unsigned char gamma[MESH];

    if (cipher->is_encryption) {
        gost_28147_chain(cipher->path, &of, gost_chain_output, cipher->gamma, in, out, count);
        return;
    }
    /* No more than until the next change of key. */
    memcpy(gamma, cipher->gamma, 8);
    memcpy(gamma + 8, in, 8 * (count - 1));
    memcpy(cipher->gamma, in + 8 * (count - 1), 8);
    encrypt_blocks(cipher, gamma, count);
    add(out, in, gamma, 8 * count);
    explicit_bzero(gamma, 8 * count);
}

/* A block that is not used up: it is enciphered, and each byte is used once. */
static void begin_block(struct cipher *cipher) {
    static const unsigned char zeros[16] = {0};

    if (cipher->kind == CIPHER_28147)
        encrypt_blocks(cipher, cipher->gamma, 1);
    else
        count_blocks(cipher, zeros, cipher->gamma, 1);
}

void cipher_update(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t length) {
    size_t size = block_size(cipher), count;

    while (length > 0) {
        if (cipher->used == 0) {
            count = take(cipher, length) / size;
            if (count > BATCH)
                count = BATCH;
            if (count > 0) {
                if (cipher->kind == CIPHER_28147)
                    feed_blocks(cipher, in, out, count);
                else
                    count_blocks(cipher, in, out, count);
                cipher->done += size * count;
                in += size * count;
                out += size * count;
                length -= size * count;
                continue;
            }
            begin_block(cipher);
        }
        {
            unsigned char text = *in++;
            *out = text ^ cipher->gamma[cipher->used];
            if (cipher->kind == CIPHER_28147)
                cipher->gamma[cipher->used] = cipher->is_encryption ? *out : text;
            out++;
        }
        cipher->used = (cipher->used + 1) % size;
        cipher->done++;
        length--;
    }
}
