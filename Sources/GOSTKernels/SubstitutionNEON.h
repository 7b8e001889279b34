/* SPDX-License-Identifier: Apache-2.0 */
// The substitution π on arm64, 16 bytes at once: a table instruction takes 64 bytes, so that four of them have all 256.
#ifndef GOST_SUBSTITUTION_NEON_H
#define GOST_SUBSTITUTION_NEON_H

#include <arm_neon.h>

#include "Path.h"
#include "Substitution.h"

/// The place of constants, which the compiler does not know as such. Of constants that it knows it makes each half
/// again wherever it is used, which is more than a load; a table that it keeps in registers it moves around, because
/// the instructions for tables want neighbours.
INLINE const uint8_t *gost_unknown_neon(const uint8_t *constants) {
    __asm__ volatile("" : "+r"(constants));
    return constants;
}

/// π, or what undoes it.
typedef struct {
    uint8x16x4_t quarters[4];
} gost_table_neon;

INLINE gost_table_neon gost_load_table_neon(const uint8_t *pi) {
    gost_table_neon table;
    pi = gost_unknown_neon(pi);
    for (int i = 0; i < 4; i++) table.quarters[i] = vld1q_u8_x4(pi + 64 * i);
    return table;
}

/// Every byte looked up. An index beyond a quarter gives zero, or leaves what is there.
INLINE uint8x16_t gost_substitute_neon(const gost_table_neon *table, uint8x16_t x) {
    const uint8x16_t quarter = vdupq_n_u8(0x40);
    uint8x16_t second = x - quarter, third = second - quarter, fourth = third - quarter;
    uint8x16_t low = vqtbx4q_u8(vqtbl4q_u8(table->quarters[0], x), table->quarters[1], second);
    uint8x16_t high = vqtbx4q_u8(vqtbl4q_u8(table->quarters[2], third), table->quarters[3], fourth);
    return low | high;
}


#endif
