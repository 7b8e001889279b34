/* SPDX-License-Identifier: Apache-2.0 */
// Runs Inverse.h with words that are names: each operation prints its kind, its bits (less than 0 if it has a sign), its name and
// those that it is of. The functions that `invert` calls are listed alone, and are names in `invert`; in place of its part
// that inverse.c has, and of its steps, of which one is listed alone, it calls `reduce`. Compiled with COUNT, with the source in
// functions.h, step.h and invert.h, as C++, whose operators can be others.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;
static number last;

static number operation(const char *kind, int bits, number a = 0, number b = 0, number c = 0) {
    printf("%s %d %llu %llu %llu %llu\n", kind, bits, ++last, a, b, c);
    return last;
}

template <int BITS> struct name {
    number id;

    name() = default;
    name(long long value) : id(operation("constant", BITS, (number)value)) {}
    name(int value) : name((long long)value) {}
    name(unsigned long value) : name((long long)value) {}
    // C's implicit conversion: an unsigned number to a longer one.
    template <int OTHER> explicit(OTHER < 0 || BITS < OTHER) name(name<OTHER> a) : id(operation("cast", BITS, a.id)) {}

    static name made(number id) {
        name result;
        result.id = id;
        return result;
    }
    friend name operator+(name a, name b) { return made(operation("add", BITS, a.id, b.id)); }
    friend name operator-(name a, name b) { return made(operation("subtract", BITS, a.id, b.id)); }
    friend name operator*(name a, name b) { return made(operation("multiply", BITS, a.id, b.id)); }
    friend name operator&(name a, name b) { return made(operation("and", BITS, a.id, b.id)); }
    friend name operator|(name a, name b) { return made(operation("or", BITS, a.id, b.id)); }
    friend name operator^(name a, name b) { return made(operation("xor", BITS, a.id, b.id)); }
    friend name operator~(name a) { return made(operation("not", BITS, a.id)); }
    friend name operator<<(name a, int count) { return made(operation("left", BITS, a.id, (number)count)); }
    friend name operator>>(name a, int count) { return made(operation("right", BITS, a.id, (number)count)); }
    name &operator+=(name a) { return *this = *this + a; }
    name &operator-=(name a) { return *this = *this - a; }
    name &operator*=(name a) { return *this = *this * a; }
    name &operator|=(name a) { return *this = *this | a; }
    name &operator^=(name a) { return *this = *this ^ a; }
    name &operator>>=(int count) { return *this = *this >> count; }
};

// In place of Word.h.
#define GOST_CURVES_WORD_H
#define INLINE static inline
enum { word_bits = 64 };
typedef name<64> word;
typedef name<128> wide;
#define int64_t name<-64>
#define __int128 name<-128>

static wide product(word a, word b) { return wide::made(operation("product", 128, a.id, b.id)); }
static word low(wide a) { return (word)a; }
static word high(wide a) { return (word)(a >> 64); }
static word sum(word a, word b, word *carry) {
    word r = word::made(operation("sum", 64, a.id, b.id, carry->id));
    *carry = word::made(operation("carry", 64, a.id, b.id, carry->id));
    return r;
}
static word difference(word a, word b, word *borrow) {
    word r = word::made(operation("difference", 64, a.id, b.id, borrow->id));
    *borrow = word::made(operation("borrow", 64, a.id, b.id, borrow->id));
    return r;
}
static word mask(word bit) { return word::made(operation("mask", 64, bit.id)); }

#include "Words.h"

#define NUMBER(name) proven_##name
#include "functions.h"
#undef NUMBER

// The functions as names.
static void print(const word *a, size_t count) {
    for (size_t i = 0; i < count; i++) printf(" %llu", a[i].id);
}
static void fresh(word *a, size_t count) {
    for (size_t i = 0; i < count; i++) a[i].id = ++last;
}
static void named_combine(word *r, const word *a, int64_t f, const word *b, int64_t g, const word *m, word h) {
    printf("call combine"), print(a, COUNT), printf(" %llu", f.id), print(b, COUNT), printf(" %llu", g.id);
    print(m, COUNT), print(&h, 1), fresh(r, COUNT + 1), print(r, COUNT + 1), printf("\n");
}
static void named_oppose(word *r, word bits) {
    printf("call oppose"), print(r, COUNT + 1), print(&bits, 1), fresh(r, COUNT + 1), print(r, COUNT + 1), printf("\n");
}
static void named_normalize(const modulus *m, word *r, const word *t) {
    printf("call normalize"), print(m->words, COUNT), print(t, COUNT + 1), fresh(r, COUNT), print(r, COUNT), printf("\n");
}
static void fresh_factors(int64_t *f0, int64_t *g0, int64_t *f1, int64_t *g1) {
    f0->id = ++last, g0->id = ++last, f1->id = ++last, g1->id = ++last;
}
static void named_reduce(const word *a, const word *b, int64_t *f0, int64_t *g0, int64_t *f1, int64_t *g1) {
    printf("call reduce"), print(a, COUNT), print(b, COUNT);
    printf(" %llu %llu %llu %llu", f0->id, g0->id, f1->id, g1->id);
    fresh_factors(f0, g0, f1, g1);
    printf(" %llu %llu %llu %llu\n", f0->id, g0->id, f1->id, g1->id);
}

#define NUMBER(name) named_##name
enum { named_rounds = proven_rounds };
static word lowest;
#include "invert.h"

static void input(const char *kind, word *a, size_t count) {
    fresh(a, count);
    printf("input %s", kind), print(a, count), printf("\n");
}
static void output(const word *a, size_t count) { printf("output"), print(a, count), printf("\n"); }

static void step(void) {
    word x, y;
    int64_t f0, g0, f1, g1;
    input("words", &x, 1), input("odd", &y, 1), fresh_factors(&f0, &g0, &f1, &g1);
    printf("input factors %llu %llu %llu %llu\n", f0.id, g0.id, f1.id, g1.id);
#include "step.h"
    output(&x, 1), output(&y, 1);
    printf("output %llu %llu %llu %llu\n", f0.id, g0.id, f1.id, g1.id);
}

int main(void) {
    word a[COUNT], b[COUNT], t[COUNT + 1], r[COUNT + 1], f[2], h;
    modulus m;

    printf("begin combine\n");
    input("words", a, COUNT), input("words", b, COUNT), input("words", m.words, COUNT), input("factors", f, 2), input("steps", &h, 1);
    proven_combine(r, a, int64_t::made(f[0].id), b, int64_t::made(f[1].id), m.words, h);
    output(r, COUNT + 1);

    printf("begin oppose\n");
    input("words", r, COUNT), input("top", &r[COUNT], 1), input("mask", &h, 1);
    proven_oppose(r, h);
    output(r, COUNT + 1);

    printf("begin normalize\n");
    input("words", t, COUNT), input("sign", &t[COUNT], 1), input("words", m.words, COUNT);
    proven_normalize(&m, r, t);
    output(r, COUNT);

    printf("begin step\n");
    step();

    printf("begin invert\n");
    lowest = word(0x7FFFFFFF);
    input("words", a, COUNT), input("words", m.words, COUNT), input("words", &m.inverse, 1);
    named_invert(&m, r, a);
    output(r, COUNT);
    printf("rounds %d\nsteps %d\n", proven_rounds, proven_steps);
    return 0;
}
