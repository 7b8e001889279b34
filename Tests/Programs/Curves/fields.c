/* SPDX-License-Identifier: Apache-2.0 */
// Compares the arithmetic modulo p and q with libcrypto's: fields ROUNDS. Half of the numbers are random, the others have
// zeros and ones where carries run through, or are near 0, p, q or a power of two.
#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>

#include "Groups.h"
#include "curves.h"

#define SUM INLINE
#define COUNT 4
#define NUMBER(name) words256_##name
#include "Inverse.h"
#define FIELD(name) any256_##name
#include "Montgomery.h"
#undef FIELD
#define FOLD 617
#define FIELD(name) folded256_##name
#include "Folded.h"
#undef FIELD
#undef FOLD
#undef COUNT
#undef NUMBER

#define COUNT 8
#define NUMBER(name) words512_##name
#include "Inverse.h"
#define FIELD(name) any512_##name
#include "Montgomery.h"
#undef FIELD
#define FOLD 569
#define FIELD(name) folded512_##name
#include "Folded.h"
#undef FIELD
#undef FOLD
#undef COUNT

/// The functions of a field, as the groups call them.
struct field {
    const char *name;
    size_t count;
    void (*enter)(const modulus *, word *, const word *);
    void (*leave)(const modulus *, word *, const word *);
    void (*add)(const modulus *, word *, const word *, const word *);
    void (*subtract)(const modulus *, word *, const word *, const word *);
    void (*multiply)(const modulus *, word *, const word *, const word *);
    void (*square)(const modulus *, word *, const word *);
    void (*invert)(const modulus *, word *, const word *);
};

#define FUNCTIONS(name, count)                                                                                             \
    {#name, count, name##_enter, name##_leave, name##_add, name##_subtract, name##_multiply, name##_square, name##_invert}

static const struct field fields[] = {
    FUNCTIONS(any256, 4), FUNCTIONS(folded256, 4), FUNCTIONS(any512, 8), FUNCTIONS(folded512, 8),
};

static uint64_t state = 0x9E3779B97F4A7C15;

/// xorshift64*: the same numbers in each run.
static word next(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
}

/// A number of `count` words, of a kind that is drawn too.
static void draw(word *r, size_t count, const word *m) {
    word kind = next() % 8, small = next() % 64;
    for (size_t i = 0; i < count; i++) {
        switch (kind) {
        case 0:
            r[i] = next() & 1 ? ~(word)0 : 0;
            break;
        case 1:
            r[i] = i == small % count ? (word)1 << next() % 64 : 0;
            break;
        case 2:
            r[i] = i <= small % count ? ~(word)0 : next() & 1;
            break;
        case 3:
            r[i] = m[i];
            break;
        default:
            r[i] = next();
        }
    }
    word change[longest] = {small};
    if (kind == 3 && next() & 1) words_add(count, r, r, change);
    else if (kind < 4) words_subtract(count, r, r, change);
}

static BIGNUM *number(const word *a, size_t count) {
    BIGNUM *n = BN_lebin2bn((const unsigned char *)a, (int)(8 * count), NULL);
    if (n == NULL) abort();
    return n;
}

static void require(const struct field *field, const char *what, const word *result, size_t count, const BIGNUM *expected) {
    BIGNUM *n = number(result, count);
    if (BN_cmp(n, expected) != 0) {
        fprintf(stderr, "%s, %s: %s instead of %s\n", field->name, what, BN_bn2hex(n), BN_bn2hex(expected));
        exit(1);
    }
    BN_free(n);
}

/// One pair of numbers: every function, its arguments and its result.
static void compare(const struct field *f, const modulus *m, const BIGNUM *modulo, BN_CTX *context, bool inverts) {
    word a[longest], b[longest], x[longest], y[longest], r[longest];
    draw(a, f->count, m->words);
    draw(b, f->count, m->words);
    BIGNUM *left = number(a, f->count), *right = number(b, f->count), *expected = BN_new();

    f->enter(m, x, a);
    f->enter(m, y, b);
    f->leave(m, r, x);
    BN_nnmod(expected, left, modulo, context);
    require(f, "number", r, f->count, expected);
    f->multiply(m, r, x, y);
    f->leave(m, r, r);
    BN_mod_mul(expected, left, right, modulo, context);
    require(f, "product", r, f->count, expected);
    f->square(m, r, x);
    f->leave(m, r, r);
    BN_mod_sqr(expected, left, modulo, context);
    require(f, "square", r, f->count, expected);
    f->add(m, r, x, y);
    f->leave(m, r, r);
    BN_mod_add(expected, left, right, modulo, context);
    require(f, "sum", r, f->count, expected);
    f->subtract(m, r, x, y);
    f->leave(m, r, r);
    BN_mod_sub(expected, left, right, modulo, context);
    require(f, "difference", r, f->count, expected);
    if (inverts) {
        f->invert(m, r, x);
        f->leave(m, r, r);
        BN_nnmod(expected, left, modulo, context);
        if (!BN_is_zero(expected) && BN_mod_inverse(expected, left, modulo, context) == NULL) abort();
        require(f, "inverse", r, f->count, expected);
    }
    BN_free(left);
    BN_free(right);
    BN_free(expected);
}

/// All functions for p and q of a curve; p may have a function of its own.
static void compare_modulus(const uint8_t *octets, size_t size, long rounds, BN_CTX *context) {
    modulus m = {0};
    memcpy(m.words, octets, size);
    word inverse = m.words[0];
    for (int i = 0; i < 5; i++) inverse *= 2 - m.words[0] * inverse;
    m.inverse = 0 - inverse;
    BIGNUM *modulo = number(m.words, size / 8), *square = BN_new();
    BN_set_bit(square, (int)(16 * size));
    BN_nnmod(square, square, modulo, context);
    BN_bn2lebinpad(square, (unsigned char *)m.square, (int)size);

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct field *f = &fields[i];
        if (f->count != size / 8) continue;
        word fold = f->count == 4 ? 617 : 569;
        bool is_folded = m.words[0] == 0 - fold && m.words[1] == ~(word)0;
        if (f->name[0] == 'f' && !is_folded) continue;
        for (long round = 0; round < rounds; round++) compare(f, &m, modulo, context, round % 8 == 0);
    }
    BN_free(modulo);
    BN_free(square);
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    BN_CTX *context = BN_CTX_new();
    for (const struct curve *curve = curves; curve->size; curve++) {
        compare_modulus(curve->p, curve->size, rounds, context);
        compare_modulus(curve->q, curve->size, rounds, context);
    }
    BN_CTX_free(context);
    printf("fields: passed, %ld pairs for each modulus\n", rounds);
}
