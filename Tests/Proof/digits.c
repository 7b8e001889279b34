/* SPDX-License-Identifier: Apache-2.0 */
// Claims for CBMC about Group.h, for all numbers: the digits of k, which entry of a table is chosen, and which of k and q − k is
// odd; which digits make_digits gives, and for which numbers has_x_modulo_q looks; with every index within bounds, and no shift or
// sum that C leaves open. Compiled with COUNT, BASE_BITS, and for a table ENTRIES and SIZE.
#include <stdio.h>

/// The compiler's sum with a carry and difference with a borrow, which CBMC has not: before the source that calls them.
unsigned long long __builtin_addcll(
    unsigned long long a, unsigned long long b, unsigned long long carry, unsigned long long *more
) {
    unsigned __int128 t = (unsigned __int128)a + b + carry;
    *more = (unsigned long long)(t >> 64);
    return (unsigned long long)t;
}
unsigned long long __builtin_subcll(
    unsigned long long a, unsigned long long b, unsigned long long borrow, unsigned long long *less
) {
    unsigned __int128 t = (unsigned __int128)a - b - borrow;
    *less = (unsigned long long)(t >> 64) & 1;
    return (unsigned long long)t;
}

#include "Curve.h"

#include "multiples.h"

#include "Group.h"

word nondet_word(void);
size_t nondet_size(void);
bool nondet_bool(void);

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

// Of PublicSum.h, whose parts are in digit.h and candidates.h.

/// Whether a number is 2^n or less.
static bool is_at_most_power(const word *a, size_t n) {
    bool is = true, has_bit = false, has_more = false;
    for (size_t i = 0; i <= COUNT; i++) {
        word above = i > n / 64 ? a[i] : i == n / 64 ? a[i] >> n % 64 : 0;
        is = is && above <= (i == n / 64);
        has_bit = has_bit || above == 1;
        has_more = has_more || (i < n / 64 ? a[i] : i == n / 64 ? a[i] & (((word)1 << n % 64) - 1) : 0) != 0;
    }
    return is && !(has_bit && has_more);
}

/// A step of ``make_digits``: of a number that is at most 2^(bits − i), a digit is taken away, and the rest, which is even then, is
/// halved.
void public_digit(void) {
    word rest[COUNT + 1], before[COUNT + 1];
    for (size_t j = 0; j <= COUNT; j++) before[j] = rest[j] = nondet_word();
    size_t i = nondet_size();
    __CPROVER_assume(i <= GROUP(bits) && is_at_most_power(rest, GROUP(bits) - i));
    unsigned width = nondet_bool() ? 5 : BASE_BITS + 1;
    int8_t digits[GROUP(bits) + 1];
    {
#include "digit.h"
    }
    int given = digits[i];
    __CPROVER_assert(before[0] & 1 ? (given & 1) != 0 : given == 0, "the digit is odd if the number is, and else 0");
    __CPROVER_assert(given < 1 << (width - 1) && -given < 1 << (width - 1), "the digit is one of the table's");
    __int128 t = given;
    for (size_t j = 0; j <= COUNT; j++) {
        t += (__int128)rest[j] * 2;
        __CPROVER_assert((word)t == before[j], "the number is twice the rest, and the digit");
        t >>= 64;
    }
    __CPROVER_assert(t == 0, "the number is twice the rest, and the digit, which is no more");
    bool is_last = i == GROUP(bits);
    __CPROVER_assert(is_at_most_power(rest, is_last ? 0 : GROUP(bits) - i - 1), "the rest is half of its bound");
    __CPROVER_assert(!is_last || (rest[0] & 1) == 0, "there is no digit above the last");
}

static word total[COUNT + 1], step[COUNT + 1];
static size_t asked;

/// A candidate is asked for: the number that was x at first, and then q more each time.
static bool has_x(word sum, const word *x) {
    (void)sum;
    word carry = 0;
    for (size_t i = 0; i <= COUNT; i++) {
        __CPROVER_assert(total[i] == (i < COUNT ? x[i] : 0), "each candidate is q more than the one before");
        wide t = (wide)total[i] + step[i] + carry;
        total[i] = (word)t;
        carry = (word)(t >> 64);
    }
    asked++;
    return false;
}

static bool ask_for_candidates(const gost_curve *c, const word *x, GROUP(point) sum) {
#include "candidates.h"
}

/// All numbers below p that are x modulo q are asked for, if p is below 5q: no more are there, or x + 4q was the last.
void candidates(void) {
    static gost_curve curve;
    GROUP(point) sum;
    word x[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        total[i] = x[i] = nondet_word();
        step[i] = curve.q.words[i] = nondet_word();
        curve.p.words[i] = nondet_word();
    }
    ask_for_candidates(&curve, x, sum);
    bool is_below = total[COUNT] == 0, is_less = false;
    for (size_t i = 0; i < COUNT; i++) {
        is_less = total[i] < curve.p.words[i] || (total[i] == curve.p.words[i] && is_less);
    }
    __CPROVER_assert(asked == 5 || !(is_below && is_less), "each number below p that is x modulo q is asked for");
}
