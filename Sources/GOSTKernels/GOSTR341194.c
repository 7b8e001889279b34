/* SPDX-License-Identifier: Apache-2.0 */
// GOST R 34.11-94 (RFC 5831): the four blocks of a step are enciphered side by side, each under a key of its own.

#include "Modes28147.h"
#include "Rounds28147Portable.h"

/// A number of 256 bits, the least significant word first; or one part of 64 bits of each of four numbers.
typedef uint64_t words __attribute__((vector_size(32)));

/// A(y4 ‖ y3 ‖ y2 ‖ y1) = (y1 + y2) ‖ y4 ‖ y3 ‖ y2 (RFC 5831, 5.1).
INLINE void shift_words(words *y) {
    *y = (words){(*y)[1], (*y)[2], (*y)[3], (*y)[0] ^ (*y)[1]};
}

/// Exchanges the bits of `high` at `mask` with those of `low` that are `count` places higher.
INLINE void exchange(words *low, words *high, int count, uint64_t mask) {
    words difference = ((*low >> count) ^ *high) & mask;
    *high ^= difference;
    *low ^= difference << count;
}

/// The permutation P (RFC 5831, 5.1) of four numbers: word k of a key has octet k of the number's parts.
INLINE void permute(const words w[4], four keys[8]) {
    words p[4];
    for (int i = 0; i < 4; i++) p[i] = (words){w[0][i], w[1][i], w[2][i], w[3][i]};
    exchange(&p[0], &p[1], 8, 0x00FF00FF00FF00FF);
    exchange(&p[2], &p[3], 8, 0x00FF00FF00FF00FF);
    exchange(&p[0], &p[2], 16, 0x0000FFFF0000FFFF);
    exchange(&p[1], &p[3], 16, 0x0000FFFF0000FFFF);
    for (int i = 0; i < 4; i++) {
        keys[i] = __builtin_convertvector(p[i], four);
        keys[i + 4] = __builtin_convertvector(p[i] >> 32, four);
    }
}

/// The four keys of a step (RFC 5831, 5.1), as round keys.
INLINE void make_step_keys(const words *hash, const words *block, schedules *keys) {
    const words c3 = {0xFF00FF00FF00FF00, 0x00FF00FF00FF00FF, 0xFF0000FF00FFFF00, 0xFF00FFFF000000FF};
    words u = *hash, v = *block, w[4] = {u ^ v};
    for (int i = 1; i < 4; i++) {
        shift_words(&u);
        if (i == 2) u ^= c3;
        shift_words(&v);
        shift_words(&v);
        w[i] = u ^ v;
    }
    four key[8];
    permute(w, key);
    for (int i = 0; i < 32; i++) {
        four k = key[i < 24 ? i % 8 : 7 - i % 8];
        keys->words[i] = __builtin_shufflevector(k, k, 0, 1, 2, 3, 0, 1, 2, 3);
    }
}

/// The mixing transformation ψ^61(H + ψ(M + ψ^12(S))) (RFC 5831, 5.3). ψ is a shift register of sixteen words of 16 bits:
/// all its states stand in one sequence, which unrolled loops keep in registers.
INLINE void mix(const words *s, const words *block, words *hash) {
    uint16_t y[90], m[16], h[16];
    memcpy(y, s, sizeof *s);
    memcpy(m, block, sizeof *block);
    memcpy(h, hash, sizeof *hash);
#pragma clang loop unroll(full)
    for (int i = 0; i < 74; i++) {
        if (i == 12) {
#pragma clang loop unroll(full)
            for (int j = 0; j < 16; j++) y[12 + j] ^= m[j];
        }
        if (i == 13) {
#pragma clang loop unroll(full)
            for (int j = 0; j < 16; j++) y[13 + j] ^= h[j];
        }
        y[i + 16] = y[i] ^ y[i + 1] ^ y[i + 2] ^ y[i + 3] ^ y[i + 12] ^ y[i + 15];
    }
    memcpy(hash, y + 74, sizeof *hash);
}

/// χ(M, H) for one block after the other (RFC 5831, 5).
INLINE void hash_blocks(few_core *encrypt, const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    const table t = make_table(rows);
    schedules keys;
    few b;
    words h, block, s;
    memcpy(&h, hash, sizeof h);
    for (size_t i = 0; i < count; i++) {
        memcpy(&block, data + 32 * i, sizeof block);
        make_step_keys(&h, &block, &keys);
        const four none = {0};
        b.n1 = __builtin_shufflevector(__builtin_convertvector(h, four), none, 0, 1, 2, 3, 4, 5, 6, 7);
        b.n2 = __builtin_shufflevector(__builtin_convertvector(h >> 32, four), none, 0, 1, 2, 3, 4, 5, 6, 7);
        encrypt(&t, &keys, 32, &b, 4);
        for (int j = 0; j < 4; j++) s[j] = (uint64_t)b.n1[j] << 32 | b.n2[j];
        mix(&s, &block, &h);
    }
    memcpy(hash, &h, sizeof h);
    explicit_bzero(&keys, sizeof keys);
    explicit_bzero(&b, sizeof b);
}

static void portable_hash(const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    hash_blocks(encrypt_few_portable, rows, hash, data, count);
}

#if defined(__x86_64__)
AVX2 static void avx2_hash(const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    hash_blocks(encrypt_few256, rows, hash, data, count);
}

AVX512 static void avx512_hash(const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    hash_blocks(encrypt_few512, rows, hash, data, count);
}
#elif defined(__aarch64__)
static void neon_hash(const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    hash_blocks(encrypt_few_neon, rows, hash, data, count);
}
#endif

void gost_341194_hash(gost_path path, const uint8_t *rows, uint64_t *hash, const uint8_t *data, size_t count) {
    DISPATCH(path, hash, rows, hash, data, count)
}
