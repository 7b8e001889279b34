/* SPDX-License-Identifier: Apache-2.0 */
#include "portable.h"

#include "../../GOSTKernels/Substitution.h"

#include <string.h>

/* ---- GOST 28147-89 ---- */

/* What each row puts for one value, as bytes: those of the even nibbles, then those of the odd ones. */
typedef uint8_t nibbles __attribute__((vector_size(8)));
struct columns {
    nibbles values[16];
};

static struct columns columns_of(const uint8_t *rows) {
    struct columns columns;

    for (int value = 0; value < 16; value++)
        for (int i = 0; i < 8; i++)
            columns.values[value][i] = rows[16 * (2 * (i % 4) + i / 4) + value];
    return columns;
}

static uint32_t substitute(const struct columns *columns, uint32_t word) {
    uint32_t halves[2] = {word & 0x0F0F0F0F, word >> 4 & 0x0F0F0F0F};
    nibbles from, to = {0};

    memcpy(&from, halves, sizeof from);
    for (int value = 0; value < 16; value++)
        to |= (nibbles)(from == (uint8_t)value) & columns->values[value];
    memcpy(halves, &to, sizeof halves);
    word = halves[0] | halves[1] << 4;
    return word << 11 | word >> 21;
}

/* Rounds with the key's words in their order so long, and then in the other one. */
static void run(const struct columns *columns, const uint32_t *key, int forward, int rounds, uint32_t *n1, uint32_t *n2) {
    for (int i = 0; i < rounds; i++) {
        int place = i < forward ? i % 8 : 7 - i % 8;
        uint32_t sum = *n2 ^ substitute(columns, *n1 + key[4 * place]);
        *n2 = *n1;
        *n1 = sum;
    }
}

static uint32_t load(const unsigned char *bytes, gost_order order) {
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return order == gost_order_big ? __builtin_bswap32(word) : word;
}
static void store(unsigned char *bytes, uint32_t word, gost_order order) {
    if (order == gost_order_big)
        word = __builtin_bswap32(word);
    memcpy(bytes, &word, sizeof word);
}

void portable_28147(const gost_28147 *cipher, bool is_decryption, const unsigned char *in, unsigned char *out, size_t count) {
    struct columns columns = columns_of(cipher->rows);
    size_t low = cipher->order == gost_order_big ? 4 : 0;

    for (; count > 0; count--, in += 8, out += 8) {
        uint32_t n1 = load(in + low, cipher->order), n2 = load(in + 4 - low, cipher->order);
        run(&columns, cipher->key, is_decryption ? 8 : 24, 32, &n1, &n2);
        store(out + low, n2, cipher->order);
        store(out + 4 - low, n1, cipher->order);
    }
}

void portable_imit(const gost_28147 *cipher, uint64_t *code, const unsigned char *in, size_t count) {
    struct columns columns = columns_of(cipher->rows);

    for (; count > 0; count--, in += 8) {
        uint32_t n1 = (uint32_t)*code ^ load(in, gost_order_little);
        uint32_t n2 = (uint32_t)(*code >> 32) ^ load(in + 4, gost_order_little);
        run(&columns, cipher->key, 16, 16, &n1, &n2);
        *code = (uint64_t)n2 << 32 | n1;
    }
}

/* ---- GOST R 34.11-2012 ---- */

typedef uint8_t octets __attribute__((vector_size(64)));

static uint64_t doubled(uint64_t row) {
    return (row & 0x7F7F7F7F7F7F7F7F) << 1 ^ (row >> 7 & 0x0101010101010101) * 0x1D;
}

/* Bytes of rows become rows of bytes. */
static void transpose(uint64_t rows[8]) {
    unsigned char bytes[64], turned[64];

    memcpy(bytes, rows, sizeof bytes);
    for (int i = 0; i < 64; i++)
        turned[8 * (i % 8) + i / 8] = bytes[i];
    memcpy(rows, turned, sizeof turned);
}

/* LPS (RFC 6986, 7): L multiplies by a matrix over GF(2^8), and each byte of a row by the same element. */
static void transform(uint64_t rows[8]) {
    /* Of a row of the product, for each bit of the elements from the highest on: the rows whose element has it. */
    static const uint8_t choices[8][8] = {
        {0x49, 0xA0, 0x94, 0x3A, 0x5E, 0xC8, 0x49, 0x01}, {0xFB, 0x17, 0x0D, 0x46, 0x6A, 0x86, 0x84, 0xB4},
        {0x73, 0x82, 0x06, 0x1E, 0x21, 0x83, 0xF5, 0x52}, {0x96, 0x00, 0xB1, 0xFA, 0x5F, 0x02, 0xF7, 0x01},
        {0x34, 0x0F, 0x28, 0x04, 0x37, 0x9A, 0x83, 0xEF}, {0xAC, 0x12, 0x11, 0x21, 0xE8, 0x7E, 0xC6, 0xD3},
        {0x62, 0xA4, 0x54, 0x45, 0x27, 0xED, 0xCA, 0x96}, {0xA6, 0x4D, 0x27, 0x0C, 0x2C, 0x63, 0xD8, 0x9C},
    };
    octets from, to = {0};

    memcpy(&from, rows, sizeof from);
    for (int value = 0; value < 256; value++)
        to |= (octets)(from == (uint8_t)value) & gost_pi[value];
    memcpy(rows, &to, sizeof to);
    uint64_t product[8];
    for (int i = 0; i < 8; i++) {
        product[i] = 0;
        for (int bit = 0; bit < 8; bit++) {
            product[i] = doubled(product[i]);
            for (int j = 0; j < 8; j++)
                product[i] ^= choices[i][bit] >> j & 1 ? rows[j] : 0;
        }
    }
    memcpy(rows, product, sizeof product);
    transpose(rows);
}

void portable_streebog(uint64_t *hash, const uint64_t *block, uint64_t counter) {
    const uint64_t *constants = gost_streebog_constants();
    uint64_t key[8], state[8];

    memcpy(key, hash, sizeof key);
    key[0] ^= counter;
    transform(key);
    memcpy(state, block, sizeof state);
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 8; i++) {
            state[i] ^= key[i];
            key[i] ^= constants[8 * round + i];
        }
        transform(state);
        transform(key);
    }
    for (int i = 0; i < 8; i++)
        hash[i] ^= block[i] ^ state[i] ^ key[i];
    explicit_bzero(key, sizeof key);
    explicit_bzero(state, sizeof state);
}

/* ---- GOST R 34.11-94 (RFC 5831, 5) ---- */

/* A: the words move on, and the sum of the first two comes last. */
static void shift(uint64_t words[4]) {
    uint64_t sum = words[0] ^ words[1];

    memmove(words, words + 1, 3 * sizeof *words);
    words[3] = sum;
}

/* The key that P makes of a sum, as the rounds have it. */
static void make_key(const uint64_t u[4], const uint64_t v[4], uint32_t key[32]) {
    unsigned char from[32], to[32];
    uint64_t sum[4];

    for (int i = 0; i < 4; i++)
        sum[i] = u[i] ^ v[i];
    memcpy(from, sum, sizeof from);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++)
            to[i + 4 * k] = from[8 * i + k];
    for (int i = 0; i < 8; i++)
        memcpy(&key[4 * i], to + 4 * i, 4);
}

/* ψ, so often. */
static void mix(uint16_t words[16], int count) {
    for (; count > 0; count--) {
        uint16_t sum = words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[12] ^ words[15];
        memmove(words, words + 1, 15 * sizeof *words);
        words[15] = sum;
    }
}

static void add(uint16_t words[16], const void *other) {
    uint16_t others[16];

    memcpy(others, other, sizeof others);
    for (int i = 0; i < 16; i++)
        words[i] ^= others[i];
}

void portable_341194(const uint8_t *rows, uint64_t *hash, const unsigned char *data, size_t count) {
    static const uint64_t c3[4] = {0xFF00FF00FF00FF00, 0x00FF00FF00FF00FF, 0xFF0000FF00FFFF00, 0xFF00FFFF000000FF};

    for (; count > 0; count--, data += 32) {
        uint64_t u[4], v[4];
        uint32_t key[32] = {0};
        unsigned char enciphered[32];
        uint16_t words[16];
        gost_28147 cipher = {rows, key, gost_order_little};
        memcpy(u, hash, sizeof u);
        memcpy(v, data, sizeof v);
        for (int i = 0; i < 4; i++) {
            if (i > 0) {
                shift(u);
                for (int j = 0; i == 2 && j < 4; j++)
                    u[j] ^= c3[j];
                shift(v);
                shift(v);
            }
            make_key(u, v, key);
            portable_28147(&cipher, false, (const unsigned char *)&hash[i], enciphered + 8 * i, 1);
        }
        memcpy(words, enciphered, sizeof words);
        mix(words, 12);
        add(words, data);
        mix(words, 1);
        add(words, hash);
        mix(words, 61);
        memcpy(hash, words, sizeof words);
        explicit_bzero(key, sizeof key);
        explicit_bzero(u, sizeof u);
        explicit_bzero(enciphered, sizeof enciphered);
    }
}

/* ---- MGM ---- */

void portable_product(uint64_t *sum, const unsigned char *block, const unsigned char *factor, size_t size) {
    uint64_t high = 0, low = 0, a[2] = {0};

    /* The first byte is the highest; with 8 bytes there is a low word alone. */
    for (size_t i = 0; i < size; i++)
        a[(size - 1 - i) / 8] |= (uint64_t)block[i] << 8 * ((size - 1 - i) % 8);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        uint64_t carry = size == 8 ? low >> 63 : high >> 63, mask = -(uint64_t)(factor[bit / 8] >> (7 - bit % 8) & 1);
        high = size == 8 ? 0 : high << 1 | low >> 63;
        low = low << 1 ^ ((size == 8 ? 0x1B : 0x87) & -carry);
        low ^= a[0] & mask;
        high ^= a[1] & mask;
    }
    sum[0] ^= low;
    sum[1] ^= high;
}
