/* SPDX-License-Identifier: Apache-2.0 */
// Claims for CBMC about a part of Inverse.h, which is in approximate.h, for all numbers: which bits of a and b decide the steps.
// Compiled with COUNT.
#include "Words.h"

#define NUMBER(name) proven_##name
#include "Inverse.h"

word nondet_word(void);
size_t nondet_size(void);

/// x and y have the lowest 31 bits of a and b, and above them the highest 33 bits from the first that is 1 in one of both; or they
/// are a and b, if these take up one word.
void approximate(void) {
    word a[COUNT + 1] = {0}, b[COUNT + 1] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = nondet_word();
        b[i] = nondet_word();
    }
#include "approximate.h"
    // The longer one begins in word i, after `zeros` bits that are 0; or both are of one word.
    size_t i = nondet_size(), zeros = nondet_size();
    __CPROVER_assume(i < COUNT && zeros < 64);
    for (size_t j = 0; j < COUNT; j++) __CPROVER_assume(j <= i || (a[j] | b[j]) == 0);
    __CPROVER_assume(i == 0 || (a[i] | b[i]) >> (63 - zeros) == 1);
    const word *numbers[2] = {a, b}, results[2] = {x, y};
    for (size_t j = 0; j < 2; j++) {
        const word *from = numbers[j];
        word highest = i == 0 ? from[0] : (word)(((wide)from[i] << 64 | from[i - 1]) >> (64 - zeros));
        __CPROVER_assert(results[j] >> proven_steps == highest >> proven_steps, "the highest bits are those of the numbers");
        __CPROVER_assert(((results[j] ^ from[0]) & (((word)1 << proven_steps) - 1)) == 0, "the lowest bits are those of the numbers");
    }
}
