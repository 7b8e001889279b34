/* SPDX-License-Identifier: Apache-2.0 */
// Tries the arithmetic of curves with all numbers, in words of a few bits: the sources that are installed are compiled with
// words that report every overflow which is not meant. What holds for all carries of short words holds for long ones,
// because the bounds in Folded.h and Montgomery.h are the same inequalities; those that name 617, 569 and 2^64 are computed
// here with the numbers themselves.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *place = "";
static void fail(const char *what) {
    std::fprintf(stderr, "%s: %s\n", place, what);
    std::exit(1);
}

/// A number of so many bits. Sums and products must fit; what is taken away must be there.
template <unsigned bits> struct number {
    uint32_t value;
    static constexpr uint32_t all = (1u << bits) - 1;

    number() = default;
    number(uint64_t value) : value(uint32_t(value)) {
        if (value > all) fail("overflow");
    }
    explicit operator bool() const { return value != 0; }
    friend number operator+(number a, number b) { return uint64_t(a.value) + b.value; }
    friend number operator*(number a, number b) { return uint64_t(a.value) * b.value; }
    friend number operator-(number a, number b) {
        if (a.value < b.value) fail("underflow");
        return uint64_t(a.value - b.value);
    }
    friend number operator&(number a, number b) { return uint64_t(a.value & b.value); }
    friend number operator|(number a, number b) { return uint64_t(a.value | b.value); }
    friend number operator^(number a, number b) { return uint64_t(a.value ^ b.value); }
    friend number operator<<(number a, unsigned count) { return uint64_t(a.value << count & all); }
    friend number operator>>(number a, unsigned count) { return uint64_t(a.value >> count); }
    number &operator+=(number a) { return *this = *this + a; }
    number &operator-=(number a) { return *this = *this - a; }
    number &operator|=(number a) { return *this = *this | a; }
    number &operator^=(number a) { return *this = *this ^ a; }
};

#define GOST_CURVES_WORD_H
#define INLINE static inline
enum { word_bits = WORD_BITS };
typedef number<word_bits> word;
/// Two words, made of one by a cast.
struct wide : number<2 * word_bits> {
    wide() = default;
    wide(number<2 * word_bits> a) : number<2 * word_bits>(a) {}
    wide(word a) : number<2 * word_bits>(uint64_t(a.value)) {}
    friend wide operator+(wide a, word b) { return number<2 * word_bits>(a) + number<2 * word_bits>(uint64_t(b.value)); }
};

INLINE wide product(word a, word b) { return number<2 * word_bits>(uint64_t(a.value) * b.value); }
INLINE word low(wide a) { return uint64_t(a.value & word::all); }
INLINE word high(wide a) { return uint64_t(a.value >> word_bits); }
INLINE word sum(word a, word b, word *carry) {
    if (carry->value > 1) fail("a carry above 1");
    uint32_t t = a.value + b.value + carry->value;
    *carry = uint64_t(t >> word_bits);
    return uint64_t(t & word::all);
}
INLINE word difference(word a, word b, word *borrow) {
    if (borrow->value > 1) fail("a borrow above 1");
    uint32_t t = a.value - b.value - borrow->value;
    *borrow = uint64_t(t >> 31);
    return uint64_t(t & word::all);
}
INLINE word mask(word bit) {
    if (bit.value > 1) fail("a mask of a number above 1");
    return uint64_t(bit.value ? word::all : 0);
}

#define memcpy(to, from, size) std::memcpy((void *)(to), from, size)
#define memmove(to, from, size) std::memmove((void *)(to), from, size)
#include "Words.h"

#define COUNT 2
#define SUM static
#define FIELD(name) any_##name
#include "Montgomery.h"
#undef FIELD
#define FOLD SMALL_FOLD
#define FIELD(name) folded_##name
#include "Folded.h"

enum : uint32_t { R = 1u << 2 * word_bits };

static void split(word *words, uint32_t value) {
    words[0] = uint64_t(value & word::all);
    words[1] = uint64_t(value >> word_bits);
}
static uint32_t joined(const word *words) { return words[0].value | words[1].value << word_bits; }
static void require(bool holds, const char *what) {
    if (!holds) fail(what);
}

/// Every pair of numbers of two words.
static void try_folded() {
    const uint32_t p = R - SMALL_FOLD;
    modulus m = {};
    split(m.words, p);
    for (uint32_t a = 0; a < R; a++) {
        word x[2], y[2], r[2];
        split(x, a);
        folded_square(&m, r, x);
        require(joined(r) % p == uint64_t(a) * a % p, "a square");
        folded_leave(&m, r, x);
        require(joined(r) == a % p, "a number without p");
        for (uint32_t b = 0; b < R; b++) {
            split(y, b);
            folded_multiply(&m, r, x, y);
            require(joined(r) % p == uint64_t(a) * b % p, "a product");
            folded_add(&m, r, x, y);
            require(joined(r) % p == (a + b) % p, "a sum");
            folded_subtract(&m, r, x, y);
            require(joined(r) % p == (a + 2 * p - b) % p, "a difference");
        }
    }
}

/// Every odd modulus of two words in steps, every element, and every other number in steps.
static void try_any(uint32_t step) {
    for (uint32_t n = 3; n < R; n += step) {
        modulus m = {};
        split(m.words, n);
        uint32_t inverse = 0;
        while ((uint64_t(inverse) * n + 1) % (word::all + 1) != 0) inverse++;
        m.inverse = uint64_t(inverse);
        split(m.square, uint32_t(uint64_t(R) * R % n));
        for (uint32_t a = 0; a < n; a++) {
            word x[2], y[2], r[2];
            split(x, a);
            any_enter(&m, r, x);
            require(joined(r) == uint64_t(a) * R % n, "an element");
            any_leave(&m, r, r);
            require(joined(r) == a, "an element as a number");
            for (uint32_t b = n / 3 % 7; b < R; b += 1 + n % 3) {
                split(y, b);
                any_multiply(&m, r, x, y);
                require(joined(r) < n && uint64_t(joined(r)) * R % n == uint64_t(a) * b % n, "a product");
                if (b >= n) continue;
                any_add(&m, r, x, y);
                require(joined(r) == (a + b) % n, "a sum");
                any_subtract(&m, r, x, y);
                require(joined(r) == (a + n - b) % n, "a difference");
            }
        }
    }
}

/// The bounds of Folded.h that name a number, for FOLD and words of 64 bits.
static void compute_bounds(unsigned __int128 fold) {
    const unsigned __int128 words = (unsigned __int128)1 << 64;
    // The carry of `reduce`: ((R − 1)·FOLD + R − 1) / R is FOLD, whatever R is, because FOLD + 1 is no more than R.
    require(fold + 1 < words, "the carry of a reduction");
    require(fold * fold < words, "what a carry adds");
    require(fold * fold - 1 + fold < words, "what a second carry adds");
    require(words - fold >= fold, "what a second borrow takes away");
}

int main() {
    place = "modulo 2^k - c";
    try_folded();
    place = "modulo any number";
    try_any(MODULUS_STEP);
    place = "bounds";
    compute_bounds(617);
    compute_bounds(569);
    std::puts("bounds: passed");
}
