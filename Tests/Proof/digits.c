/* SPDX-License-Identifier: Apache-2.0 */
// What CBMC proves of Group.h for all numbers: the digits of k, which entry of a table is chosen, and which of k and q − k is
// odd; with every index within bounds, and no shift or sum that C leaves open. Compiled with COUNT, BASE_BITS, and for a table
// ENTRIES and SIZE.
#include <stdio.h>

#include "Curve.h"

#include "multiples.h"

#include "Group.h"

word nondet_word(void);
size_t nondet_size(void);

/// Bit j of a number, and 0 above it.
static word bit(const word *k, size_t j) { return j < 64 * COUNT ? k[j / 64] >> j % 64 & 1 : 0; }

/// The digit of a window is the sum of 1 or −1 for each bit of k, moved down by one, with a 1 above all.
static void check_recode(size_t width, size_t windows) {
    word k[COUNT];
    for (size_t i = 0; i < COUNT; i++) k[i] = nondet_word();
    __CPROVER_assume(k[0] & 1);
    for (size_t i = 0; i < windows; i++) {
        bool is_last = i + 1 == windows;
        GROUP(digit) digit = GROUP(recode)(k, width * i, width, is_last);
        int64_t sum = 0;
        for (size_t j = 0; j < width; j++) {
            bool is_one = bit(k, width * i + j + 1) || (is_last && j + 1 == width);
            sum += is_one ? (int64_t)1 << j : -((int64_t)1 << j);
        }
        __CPROVER_assert(digit.sign == 0 || digit.sign == ~(word)0, "the sign is a mask");
        __CPROVER_assert(digit.index < (word)1 << (width - 1), "the index is one of the table's");
        int64_t value = (int64_t)(2 * digit.index + 1);
        __CPROVER_assert((digit.sign ? -value : value) == sum, "the digit is that of k");
    }
}

void recode_other(void) { check_recode(GROUP(window), GROUP(windows)); }
void recode_base(void) { check_recode(BASE_BITS, GROUP(base_windows)); }

void choose(void) {
    word table[ENTRIES * SIZE], r[SIZE];
    for (size_t i = 0; i < ENTRIES * SIZE; i++) table[i] = nondet_word();
    word index = nondet_word();
    __CPROVER_assume(index < ENTRIES);
    GROUP(choose)(r, table, ENTRIES, SIZE, index);
    size_t j = nondet_size();
    __CPROVER_assume(j < SIZE);
    __CPROVER_assert(r[j] == table[SIZE * index + j], "the entry at the index is chosen");
}

/// A sum of words by its definition.
static word add_words(word *r, const word *a, const word *b) {
    word carry = 0;
    for (size_t i = 0; i < COUNT; i++) {
        unsigned __int128 t = (unsigned __int128)a[i] + b[i] + carry;
        r[i] = (word)t;
        carry = (word)(t >> 64);
    }
    return carry;
}

void make_odd(void) {
    static gost_curve curve;
    word k[COUNT], odd[COUNT], total[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        k[i] = nondet_word();
        odd[i] = nondet_word();
    }
    // q is any odd number that is k and something more: k ≤ q.
    word more[COUNT];
    for (size_t i = 0; i < COUNT; i++) more[i] = nondet_word();
    __CPROVER_assume(add_words(curve.q.words, k, more) == 0);
    __CPROVER_assume(curve.q.words[0] & 1);
    word is_opposite = GROUP(make_odd)(&curve, odd, k);
    __CPROVER_assert(odd[0] & 1, "the number is odd");
    __CPROVER_assert(is_opposite == 0 || is_opposite == ~(word)0, "whether it is q − k is a mask");
    word carry = add_words(total, odd, k);
    for (size_t i = 0; i < COUNT; i++) {
        __CPROVER_assert(is_opposite ? total[i] == curve.q.words[i] : odd[i] == k[i], "the number is k or q − k");
    }
    __CPROVER_assert(!is_opposite || carry == 0, "q − k is not below 0");
}
