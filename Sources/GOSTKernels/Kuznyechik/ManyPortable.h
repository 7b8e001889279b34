/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) on 128 blocks at once, for any processor: bit i of plane b of byte m is bit b of byte m of block i.
#ifndef GOST_KUZNYECHIK_MANY_PORTABLE_H
#define GOST_KUZNYECHIK_MANY_PORTABLE_H

#include <string.h>

#include "../Planes.h"

/// The blocks of a batch, and from how many on it takes less time than eight by eight.
enum { batch_portable = 128, enough_portable = 12 };

/// Byte m of all blocks at [m]; before they are transposed, eight blocks there.
typedef struct {
    planes bytes[16];
} many;

/// Exchanges the bits at `mask` in one row with those `distance` places higher in the row `distance` before it.
INLINE void exchange_many(plane rows[128], int distance, uint64_t mask) {
    for (int low = 0; low < 128; low++) {
        if (low & distance) continue;
        plane difference = ((rows[low] >> distance) ^ rows[low + distance]) & mask;
        rows[low + distance] ^= difference;
        rows[low] ^= difference << distance;
    }
}

/// Turns blocks into bit planes, and back.
INLINE void transpose_many(many *x) {
    plane *rows = x->bytes[0].rows;
    exchange_many(rows, 1, 0x5555555555555555);
    exchange_many(rows, 2, 0x3333333333333333);
    exchange_many(rows, 4, 0x0F0F0F0F0F0F0F0F);
    exchange_many(rows, 8, 0x00FF00FF00FF00FF);
    exchange_many(rows, 16, 0x0000FFFF0000FFFF);
    exchange_many(rows, 32, 0x00000000FFFFFFFF);
    for (int i = 0; i < 64; i++) {
        plane first = rows[i], second = rows[i + 64];
        rows[i] = (plane){first[0], second[0]};
        rows[i + 64] = (plane){first[1], second[1]};
    }
}

INLINE planes added(planes x, const planes *y) {
    for (int bit = 0; bit < 8; bit++) x.rows[bit] ^= y->rows[bit];
    return x;
}

/// The product with t in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
INLINE planes times_t_many(planes x) {
    const plane *v = x.rows;
    return (planes){{v[7], v[0] ^ v[7], v[1], v[2], v[3], v[4], v[5] ^ v[7], v[6] ^ v[7]}};
}

/// One step of the shift register that makes L (RFC 7801, 4.2), on the register as a ring: nothing moves but the place of the
/// byte that becomes the sum. The same step undoes it.
INLINE void mix_many(many *x, int place) {
#define BYTE(i) (&x->bytes[(place + 1 + (i)) & 15])
#define BOTH(i) added(*BYTE(i), BYTE(14 - (i)))
    // The coefficients 148, 32, 133, 16, 194, 192, 1, 251, 1, …, 148 by their bits, the highest first.
    planes by148 = BOTH(0), by133 = BOTH(2), by194 = BOTH(4), by192 = BOTH(5), by32 = BOTH(1), by16 = BOTH(3), by1 = BOTH(6);
    const planes *by251 = BYTE(7);
    planes high = added(added(by194, &by192), by251), both = added(by148, &by133);
    planes sum = added(times_t_many(added(both, &high)), &high);
    sum = added(added(times_t_many(sum), &by32), by251);
    sum = added(added(added(times_t_many(sum), &by148), &by16), by251);
    sum = added(times_t_many(sum), by251);
    sum = added(times_t_many(sum), &both);
    sum = added(added(times_t_many(sum), &by194), by251);
    sum = added(added(added(times_t_many(sum), &by133), &by1), by251);
    x->bytes[place] = added(x->bytes[place], &sum);
#undef BYTE
#undef BOTH
}

INLINE void add_key_many(many *x, const uint8_t *key) {
    plane *rows = x->bytes[0].rows;
    for (int i = 0; i < 128; i++) {
        uint64_t bits = -(uint64_t)(key[i / 8] >> i % 8 & 1);
        rows[i] ^= (plane){bits, bits};
    }
}

static void encrypt_portable(const uint8_t *keys, uint8_t *blocks) {
    many x;
    memcpy(&x, blocks, sizeof x);
    transpose_many(&x);
    for (int round = 0; round < 9; round++) {
        add_key_many(&x, keys + 16 * round);
        for (int i = 0; i < 16; i++) x.bytes[i] = substitute(x.bytes[i]);
        for (int step = 15; step >= 0; step--) mix_many(&x, step);
    }
    add_key_many(&x, keys + 16 * 9);
    transpose_many(&x);
    memcpy(blocks, &x, sizeof x);
    explicit_bzero(&x, sizeof x);
}

static void decrypt_portable(const uint8_t *keys, uint8_t *blocks) {
    many x;
    memcpy(&x, blocks, sizeof x);
    transpose_many(&x);
    add_key_many(&x, keys + 16 * 9);
    for (int round = 8; round >= 0; round--) {
        for (int step = 0; step < 16; step++) mix_many(&x, step);
        for (int i = 0; i < 16; i++) x.bytes[i] = substitute_back(x.bytes[i]);
        add_key_many(&x, keys + 16 * round);
    }
    transpose_many(&x);
    memcpy(blocks, &x, sizeof x);
    explicit_bzero(&x, sizeof x);
}

#endif
