/* SPDX-License-Identifier: Apache-2.0 */
// The modes of GOST 28147-89 and Magma over the rounds of any path: of whole batches, and of chains in which every
// block waits for the one before.
#ifndef GOST_MODES_28147_H
#define GOST_MODES_28147_H

#include "Rounds28147.h"

#include <string.h>

/// The tables of rows K1…K8 for octets: a word's octet j has the rows 2j + 1 and 2j + 2.
INLINE table make_table(const uint8_t *rows) {
    table t;
    for (int i = 0; i < 64; i++) {
        t.low[i] = rows[32 * (i / 16) + i % 16];
        t.high[i] = (uint8_t)(rows[32 * (i / 16) + 16 + i % 16] << 4);
    }
    return t;
}

/// K1…K8 three times and K8…K1 once, or the other way round to decipher.
INLINE schedule make_schedule(const uint32_t *key, bool decrypt) {
    schedule keys;
    for (int i = 0; i < 32; i++) {
        bool ascends = decrypt ? i < 8 : i < 24;
        keys.words[i] = key[4 * (ascends ? i % 8 : 7 - i % 8)];
    }
    return keys;
}

INLINE uint64_t load(const uint8_t *from, gost_order order) {
    uint64_t number;
    memcpy(&number, from, 8);
    return order == gost_order_big ? __builtin_bswap64(number) : number;
}

INLINE void store(uint8_t *to, uint64_t number, gost_order order) {
    if (order == gost_order_big) number = __builtin_bswap64(number);
    memcpy(to, &number, 8);
}

/// The block's number after the last round, where the halves change places once more.
INLINE uint64_t result(const blocks *b, size_t i) {
    return (uint64_t)b->n1[i] << 32 | b->n2[i];
}

INLINE void add_gamma(const blocks *b, const uint8_t *input, uint8_t *output, size_t count, gost_order order) {
    for (size_t i = 0; i < count; i++) {
        uint8_t gamma[8];
        store(gamma, result(b, i), order);
        uint64_t text, sum;
        memcpy(&text, input + 8 * i, 8);
        memcpy(&sum, gamma, 8);
        sum ^= text;
        memcpy(output + 8 * i, &sum, 8);
    }
}

INLINE void wipe(blocks *b, schedule *keys) {
    explicit_bzero(b, sizeof *b);
    explicit_bzero(keys, sizeof *keys);
}

/// At most eight blocks.
INLINE void transform_few(few_core *encrypt, const gost_28147 *cipher, bool decrypt, gost_order order,
                          const uint8_t *input, uint8_t *output, size_t count) {
    table rows = make_table(cipher->rows);
    schedule keys = make_schedule(cipher->key, decrypt);
    schedules few_keys;
    for (int i = 0; i < 32; i++) few_keys.words[i] = (eight){0} + keys.words[i];
    few b = {{0}, {0}};
    for (size_t i = 0; i < count; i++) {
        uint64_t number = load(input + 8 * i, order);
        b.n1[i] = (uint32_t)number;
        b.n2[i] = (uint32_t)(number >> 32);
    }
    encrypt(&rows, &few_keys, 32, &b, count);
    for (size_t i = 0; i < count; i++) store(output + 8 * i, (uint64_t)b.n1[i] << 32 | b.n2[i], order);
    explicit_bzero(&b, sizeof b);
    explicit_bzero(&keys, sizeof keys);
    explicit_bzero(&few_keys, sizeof few_keys);
}

INLINE void transform(core *encrypt, const gost_28147 *cipher, bool decrypt, gost_order order, const uint8_t *input,
                      uint8_t *output, size_t count) {
    table rows = make_table(cipher->rows);
    schedule keys = make_schedule(cipher->key, decrypt);
    blocks b = {0};
    for (size_t done = 0; done < count; done += batch) {
        size_t n = count - done < batch ? count - done : batch;
        for (size_t i = 0; i < n; i++) {
            uint64_t number = load(input + 8 * (done + i), order);
            b.n1[i] = (uint32_t)number;
            b.n2[i] = (uint32_t)(number >> 32);
        }
        encrypt(&rows, &keys, &b, n);
        for (size_t i = 0; i < n; i++) store(output + 8 * (done + i), result(&b, i), order);
    }
    wipe(&b, &keys);
}

/// The sum modulo 2^32 − 1, of which 2^32 − 1 is the zero (RFC 5830, 6.1).
INLINE uint32_t add_modulo(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum + (sum < a);
}

/// Adds gamma by tables and keys that are made already.
INLINE void add_cnt(core *encrypt, const table *rows, const schedule *keys, blocks *b, gost_order order,
                    uint64_t *counter, const uint8_t *input, uint8_t *output, size_t count) {
    uint32_t n3 = (uint32_t)*counter, n4 = (uint32_t)(*counter >> 32);
    for (size_t done = 0; done < count; done += batch) {
        size_t n = count - done < batch ? count - done : batch;
        for (uint32_t i = 0; i < batch; i++) {
            b->n1[i] = n3 + (i + 1) * 0x01010101;
            b->n2[i] = add_modulo(n4, (i + 1) * 0x01010104);
        }
        n3 = b->n1[n - 1];
        n4 = b->n2[n - 1];
        encrypt(rows, keys, b, n);
        add_gamma(b, input + 8 * done, output + 8 * done, n, order);
    }
    *counter = (uint64_t)n4 << 32 | n3;
}

INLINE void cnt(core *encrypt, const gost_28147 *cipher, gost_order order, uint64_t *counter, const uint8_t *input,
                uint8_t *output, size_t count) {
    table rows = make_table(cipher->rows);
    schedule keys = make_schedule(cipher->key, false);
    blocks b;
    add_cnt(encrypt, &rows, &keys, &b, order, counter, input, output, count);
    wipe(&b, &keys);
}

INLINE void ctr(core *encrypt, const gost_28147 *cipher, gost_order order, gost_counter *counter, const uint8_t *input,
                uint8_t *output, size_t count) {
    table rows = make_table(cipher->rows);
    schedule keys = make_schedule(cipher->key, false);
    blocks b = {0};
    uint32_t left = (uint32_t)counter->left, right = (uint32_t)counter->right;
    // All ones for what counts: the left half by the carry, by itself, or not.
    uint32_t carries = -(uint32_t)(counter->part == gost_part_whole);
    uint32_t left_counts = -(uint32_t)(counter->part == gost_part_left);
    for (size_t done = 0; done < count; done += batch) {
        uint32_t n = count - done < batch ? (uint32_t)(count - done) : batch;
        for (uint32_t i = 0; i < batch; i++) b.n1[i] = right + (i & ~left_counts);
        for (uint32_t i = 0; i < batch; i++) {
            b.n2[i] = left + (i & left_counts) + ((right & ~b.n1[i]) >> 31 & carries);
        }
        uint32_t next = right + (n & ~left_counts);
        left += (n & left_counts) + ((right & ~next) >> 31 & carries);
        right = next;
        encrypt(&rows, &keys, &b, n);
        add_gamma(&b, input + 8 * done, output + 8 * done, n, order);
    }
    counter->left = left;
    counter->right = right;
    wipe(&b, &keys);
}

/// What enciphers one block after another.
typedef struct {
    table rows;
    schedules keys;
} single;

INLINE single make_single(const gost_28147 *cipher) {
    single s = {make_table(cipher->rows), {{{0}}}};
    schedule keys = make_schedule(cipher->key, false);
    for (int i = 0; i < 32; i++) s.keys.words[i] += keys.words[i];
    explicit_bzero(&keys, sizeof keys);
    return s;
}

/// The block after so many rounds; the halves do not change places after the last.
INLINE uint64_t encrypt_one(few_core *encrypt, const single *s, int rounds, uint64_t number) {
    few b = {{0}, {0}};
    b.n1 += (uint32_t)number;
    b.n2 += (uint32_t)(number >> 32);
    encrypt(&s->rows, &s->keys, rounds, &b, 1);
    return (uint64_t)b.n2[0] << 32 | b.n1[0];
}

INLINE void chain(few_core *encrypt, const gost_28147 *cipher, gost_chain kind, uint8_t *feedback, const uint8_t *input,
                  uint8_t *output, size_t count) {
    single s = make_single(cipher);
    uint64_t state = load(feedback, cipher->order);
    for (size_t i = 0; i < count; i++) {
        uint64_t text = load(input + 8 * i, cipher->order);
        uint64_t block = encrypt_one(encrypt, &s, 32, kind == gost_chain_input ? state ^ text : state);
        block = block << 32 | block >> 32;
        uint64_t sum = kind == gost_chain_input ? block : block ^ text;
        state = kind == gost_chain_gamma ? block : sum;
        if (output) store(output + 8 * i, sum, cipher->order);
    }
    store(feedback, state, cipher->order);
    explicit_bzero(&s.keys, sizeof s.keys);
}

INLINE void imit(few_core *encrypt, const gost_28147 *cipher, uint64_t *code, const uint8_t *input, size_t count) {
    single s = make_single(cipher);
    for (size_t i = 0; i < count; i++) *code = encrypt_one(encrypt, &s, 16, *code ^ load(input + 8 * i, cipher->order));
    explicit_bzero(&s.keys, sizeof s.keys);
}

/// The schedules of four blocks to decipher and of four to encipher with the key, eight words in four lanes each.
INLINE void make_schedules(schedules *keys, const four key[8]) {
    for (int i = 0; i < 32; i++) {
        four first = key[i < 8 ? i % 8 : 7 - i % 8], second = key[i < 24 ? i % 8 : 7 - i % 8];
        keys->words[i] = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
    }
}

/// Deciphers the constant C of key meshing (RFC 4357, 2.3.2), which makes `next` of `key`, and at the same time
/// enciphers the counter with `key`: neither waits for the other.
INLINE void mesh(few_core *encrypt, const table *rows, schedules *keys, const four key[8], four next[8],
                 uint64_t *counter) {
    make_schedules(keys, key);
    few b = {{0x22720069, 0x96DB3A8D, 0x94ACFE18, 0xC2DC86C0, (uint32_t)*counter},
             {0x2304C964, 0xC42AE946, 0x1207ED00, 0x2BA94CEF, (uint32_t)(*counter >> 32)}};
    encrypt(rows, keys, 32, &b, 5);
    for (int i = 0; i < 4; i++) {
        next[2 * i] = (four){0} + b.n2[i];
        next[2 * i + 1] = (four){0} + b.n1[i];
    }
    *counter = (uint64_t)b.n1[4] << 32 | b.n2[4];
}

/// Sections of 128 blocks, before each of which the key and the counter change. Each key is made a section ahead.
INLINE void cnt_meshed(core *encrypt, few_core *encrypt_few, const uint8_t *rows, uint32_t key[32], uint64_t *counter,
                       const uint8_t *input, uint8_t *output, size_t sections) {
    const table t = make_table(rows);
    four ours[8], next[8];
    schedules few_keys;
    schedule keys;
    blocks b;
    uint64_t unused = 0;
    memcpy(ours, key, sizeof ours);
    mesh(encrypt_few, &t, &few_keys, ours, next, &unused);
    for (size_t i = 0; i < sections; i++) {
        memcpy(ours, next, sizeof ours);
        mesh(encrypt_few, &t, &few_keys, ours, next, counter);
        keys = make_schedule((const uint32_t *)ours, false);
        add_cnt(encrypt, &t, &keys, &b, gost_order_little, counter, input + 1024 * i, output + 1024 * i, 128);
    }
    memcpy(key, ours, sizeof ours);
    wipe(&b, &keys);
    explicit_bzero(&few_keys, sizeof few_keys);
    explicit_bzero(ours, sizeof ours);
    explicit_bzero(next, sizeof next);
}

/// The kernels of one path but for chains: the modes over `encrypt` and `encrypt_few`, compiled for the same
/// instructions, and where batches are read and written, for one octet order at a time so that the inner loops do not
/// ask for it.
#define MODES(path, encrypt, encrypt_few, attributes)                                                                  \
    attributes static void path##_transform(const gost_28147 *c, bool decrypt, const uint8_t *in, uint8_t *out,        \
                                            size_t count) {                                                            \
        if (count <= 8) transform_few(encrypt_few, c, decrypt, c->order, in, out, count);                              \
        else if (c->order == gost_order_big) transform(encrypt, c, decrypt, gost_order_big, in, out, count);           \
        else transform(encrypt, c, decrypt, gost_order_little, in, out, count);                                        \
    }                                                                                                                  \
    attributes static void path##_cnt(const gost_28147 *c, uint64_t *n, const uint8_t *in, uint8_t *out,               \
                                      size_t count) {                                                                  \
        if (c->order == gost_order_big) cnt(encrypt, c, gost_order_big, n, in, out, count);                            \
        else cnt(encrypt, c, gost_order_little, n, in, out, count);                                                    \
    }                                                                                                                  \
    attributes static void path##_ctr(const gost_28147 *c, gost_counter *n, const uint8_t *in, uint8_t *out,           \
                                      size_t count) {                                                                  \
        if (c->order == gost_order_big) ctr(encrypt, c, gost_order_big, n, in, out, count);                            \
        else ctr(encrypt, c, gost_order_little, n, in, out, count);                                                    \
    }                                                                                                                  \
    attributes static void path##_cnt_meshed(const uint8_t *rows, uint32_t *key, uint64_t *n, const uint8_t *in,       \
                                             uint8_t *out, size_t sections) {                                          \
        cnt_meshed(encrypt, encrypt_few, rows, key, n, in, out, sections);                                             \
    }

/// Chains over `encrypt_few`.
#define CHAINS(path, encrypt_few, attributes)                                                                          \
    attributes static void path##_chain(const gost_28147 *c, gost_chain kind, uint8_t *feedback, const uint8_t *in,    \
                                        uint8_t *out, size_t count) {                                                  \
        chain(encrypt_few, c, kind, feedback, in, out, count);                                                         \
    }                                                                                                                  \
    attributes static void path##_imit(const gost_28147 *c, uint64_t *code, const uint8_t *in, size_t count) {         \
        imit(encrypt_few, c, code, in, count);                                                                         \
    }

#endif
