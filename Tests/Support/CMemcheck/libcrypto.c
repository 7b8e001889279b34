/* SPDX-License-Identifier: Apache-2.0 */
// The functions of libcrypto that are trusted with secrets. Each is replaced here, lets libcrypto work on data that
// valgrind takes for known, and makes the result unknown again. All others are libcrypto's own: valgrind reports their
// use of a secret.
//
// They must be trusted because memcheck cannot distinguish a number's words from the count of its words ("top"), which
// libcrypto keeps without leading zeros: a number of 256 random bits has a zero in its highest word with a probability
// of 2^-64. Each function names libcrypto's further promise.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <valgrind/memcheck.h>

/// Declares `real`, libcrypto's own function of this name.
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/// The first fields of BIGNUM and EC_POINT, which are opaque in the headers of OpenSSL 3.0.
struct number {
    BN_ULONG *words;
    int top, capacity;
};

struct point {
    const void *method;
    int curve;
    BIGNUM *coordinates[3];
};

static size_t size(const BIGNUM *number) {
    return (size_t)((const struct number *)number)->top * sizeof(BN_ULONG);
}

static BN_ULONG *words(const BIGNUM *number) { return ((const struct number *)number)->words; }

static void hide(BIGNUM *number) { VALGRIND_MAKE_MEM_UNDEFINED(words(number), size(number)); }

/// Makes a number known, and says whether it was not.
static bool reveal(const BIGNUM *number) {
    BN_ULONG unknown = 0;
    for (size_t offset = 0; number && offset < size(number); offset += sizeof(BN_ULONG)) {
        BN_ULONG bits = 0;
        (void)VALGRIND_GET_VBITS((char *)words(number) + offset, &bits, sizeof bits);
        VALGRIND_MAKE_MEM_DEFINED(&bits, sizeof bits);
        unknown |= bits;
    }
    if (unknown) VALGRIND_MAKE_MEM_DEFINED(words(number), size(number));
    return unknown != 0;
}

static void hide_point(EC_POINT *point) {
    for (int index = 0; index < 3; index++) hide(((struct point *)point)->coordinates[index]);
}

static bool reveal_point(const EC_POINT *point) {
    bool was_secret = false;
    for (int index = 0; point && index < 3; index++) {
        was_secret |= reveal(((const struct point *)point)->coordinates[index]);
    }
    return was_secret;
}

/// Clears a bit above the number's and drops leading zero words.
int BN_clear_bit(BIGNUM *number, int bit) {
    REAL(BN_clear_bit);
    bool is_secret = reveal(number);
    int result = real(number, bit);
    if (is_secret) hide(number);
    return result;
}

/// Constant time in the number (its manual page), except for a comparison of the count of its bytes.
int BN_bn2lebinpad(const BIGNUM *number, unsigned char *octets, int count) {
    REAL(BN_bn2lebinpad);
    bool is_secret = reveal(number);
    int result = real(number, octets, count);
    if (is_secret) {
        hide((BIGNUM *)number);
        VALGRIND_MAKE_MEM_UNDEFINED(octets, (size_t)count);
    }
    return result;
}

/// Montgomery's multiplication with a fixed number of words.
int BN_mod_mul_montgomery(BIGNUM *product, const BIGNUM *a, const BIGNUM *b, BN_MONT_CTX *q, BN_CTX *context) {
    REAL(BN_mod_mul_montgomery);
    bool a_is_secret = reveal(a), b_is_secret = reveal(b);
    int result = real(product, a, b, q, context);
    if (a_is_secret) hide((BIGNUM *)a);
    if (b_is_secret) hide((BIGNUM *)b);
    if (a_is_secret || b_is_secret) hide(product);
    return result;
}

/// The same with a constant.
int BN_to_montgomery(BIGNUM *product, const BIGNUM *a, BN_MONT_CTX *q, BN_CTX *context) {
    REAL(BN_to_montgomery);
    bool is_secret = reveal(a);
    int result = real(product, a, q, context);
    if (is_secret) {
        hide((BIGNUM *)a);
        hide(product);
    }
    return result;
}

/// Addition and a subtraction of q under a mask.
int BN_mod_add_quick(BIGNUM *sum, const BIGNUM *a, const BIGNUM *b, const BIGNUM *q) {
    REAL(BN_mod_add_quick);
    bool a_is_secret = reveal(a), b_is_secret = reveal(b);
    int result = real(sum, a, b, q);
    if (a_is_secret) hide((BIGNUM *)a);
    if (b_is_secret) hide((BIGNUM *)b);
    if (a_is_secret || b_is_secret) hide(sum);
    return result;
}

/// The ladder, where the group has an order and a cofactor and one scalar is given: a fixed number of steps that
/// exchange points under a mask, in coordinates that random numbers blind.
int EC_POINT_mul(
    const EC_GROUP *group, EC_POINT *product, const BIGNUM *n, const EC_POINT *point, const BIGNUM *m, BN_CTX *context
) {
    REAL(EC_POINT_mul);
    bool n_is_secret = reveal(n), m_is_secret = reveal(m), point_is_secret = reveal_point(point);
    int result = real(group, product, n, point, m, context);
    if (n_is_secret) hide((BIGNUM *)n);
    if (m_is_secret) hide((BIGNUM *)m);
    if (point_is_secret) hide_point((EC_POINT *)point);
    if (n_is_secret || m_is_secret || point_is_secret) hide_point(product);
    return result;
}

/// Division by the blinded Z, by exponentiation in constant time. X alone is asked for as a part r of a signature, which
/// is public.
int EC_POINT_get_affine_coordinates(
    const EC_GROUP *group, const EC_POINT *point, BIGNUM *x, BIGNUM *y, BN_CTX *context
) {
    REAL(EC_POINT_get_affine_coordinates);
    bool is_secret = reveal_point(point);
    int result = real(group, point, x, y, context);
    if (is_secret) hide_point((EC_POINT *)point);
    if (is_secret && y) {
        hide(x);
        hide(y);
    }
    return result;
}

/// Two divisions by p, of fixed length for numbers with BN_FLG_CONSTTIME; then a proof that the point is on the curve,
/// the answer to which is public.
int EC_POINT_set_affine_coordinates(
    const EC_GROUP *group, EC_POINT *point, const BIGNUM *x, const BIGNUM *y, BN_CTX *context
) {
    REAL(EC_POINT_set_affine_coordinates);
    bool x_is_secret = reveal(x), y_is_secret = reveal(y);
    int result = real(group, point, x, y, context);
    if (x_is_secret) hide((BIGNUM *)x);
    if (y_is_secret) hide((BIGNUM *)y);
    if (x_is_secret || y_is_secret) hide_point(point);
    return result;
}

/// Subtraction of words; drops leading zero words.
int BN_usub(BIGNUM *difference, const BIGNUM *a, const BIGNUM *b) {
    REAL(BN_usub);
    bool a_is_secret = reveal(a), b_is_secret = reveal(b);
    int result = real(difference, a, b);
    if (a_is_secret) hide((BIGNUM *)a);
    if (b_is_secret) hide((BIGNUM *)b);
    if (a_is_secret || b_is_secret) hide(difference);
    return result;
}

/// Exponentiation with a fixed number of Montgomery's multiplications.
int BN_mod_exp_mont_consttime(
    BIGNUM *power, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *p, BN_CTX *context, BN_MONT_CTX *montgomery
) {
    REAL(BN_mod_exp_mont_consttime);
    bool is_secret = reveal(base);
    int result = real(power, base, exponent, p, context, montgomery);
    if (is_secret) {
        hide((BIGNUM *)base);
        hide(power);
    }
    return result;
}

/// Subtraction of Y from p.
int EC_POINT_invert(const EC_GROUP *group, EC_POINT *point, BN_CTX *context) {
    REAL(EC_POINT_invert);
    bool is_secret = reveal_point(point);
    int result = real(group, point, context);
    if (is_secret) hide_point(point);
    return result;
}
