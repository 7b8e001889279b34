/* SPDX-License-Identifier: Apache-2.0 */
// Compares multiples and sums of points with libcrypto's: points ROUNDS. The group laws hold for all pairs of small
// multiples, and points of small order are refused.
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curves.h"

enum { small = 20, longest = 64 };

/// One curve here and in libcrypto.
struct pair {
    const struct curve *numbers;
    gost_curve *curve;
    EC_GROUP *group;
    BIGNUM *p, *q;
    BN_CTX *context;
};

static void fail(const struct pair *pair, const char *what) {
    fprintf(stderr, "%s: %s\n", pair->numbers->name, what);
    exit(1);
}

static BIGNUM *number(const uint8_t *octets, size_t size) {
    BIGNUM *n = BN_lebin2bn(octets, (int)size, NULL);
    if (n == NULL) abort();
    return n;
}

static void write(const struct pair *pair, uint8_t *octets, const BIGNUM *n) {
    if (BN_bn2lebinpad(n, octets, (int)pair->numbers->size) < 0) abort();
}

/// X ‖ Y of a point of libcrypto; false for O.
static bool coordinates(const struct pair *pair, uint8_t *octets, const EC_POINT *point) {
    if (EC_POINT_is_at_infinity(pair->group, point)) return false;
    BIGNUM *x = BN_new(), *y = BN_new();
    if (EC_POINT_get_affine_coordinates(pair->group, point, x, y, pair->context) != 1) abort();
    write(pair, octets, x);
    write(pair, octets + pair->numbers->size, y);
    BN_free(x);
    BN_free(y);
    return true;
}

/// Fails unless a result is a point of libcrypto's.
static void require(const struct pair *pair, const char *what, bool is_point, const uint8_t *octets, const EC_POINT *expected) {
    uint8_t right[2 * longest];
    if (coordinates(pair, right, expected) != is_point) fail(pair, what);
    if (is_point && memcmp(octets, right, 2 * pair->numbers->size) != 0) fail(pair, what);
}

static void prepare(struct pair *pair, const struct curve *c) {
    pair->numbers = c;
    pair->context = BN_CTX_new();
    pair->p = number(c->p, c->size);
    pair->q = number(c->q, c->size);
    BIGNUM *a = number(c->a, c->size), *b = number(c->b, c->size), *x = number(c->x, c->size), *y = number(c->y, c->size);
    BIGNUM *cofactor = BN_new();
    BN_set_word(cofactor, c->cofactor);
    pair->group = EC_GROUP_new_curve_GFp(pair->p, a, b, pair->context);
    EC_POINT *base = EC_POINT_new(pair->group);
    if (EC_POINT_set_affine_coordinates(pair->group, base, x, y, pair->context) != 1) abort();
    if (EC_GROUP_set_generator(pair->group, base, pair->q, cofactor) != 1) abort();

    pair->curve = make_curve(c);
    EC_POINT_free(base);
    BN_free(a);
    BN_free(b);
    BN_free(x);
    BN_free(y);
    BN_free(cofactor);
}

/// A scalar: 1, 2, …, then q − 1, q − 2, …, then powers of two and one less, then random ones.
static void draw(const struct pair *pair, BIGNUM *k, long round) {
    int bits = BN_num_bits(pair->q);
    if (round < 40) BN_set_word(k, (BN_ULONG)round + 1);
    else if (round < 80) {
        BN_copy(k, pair->q);
        BN_sub_word(k, (BN_ULONG)round - 39);
    } else if (round < 80 + 2 * (bits - 1)) {
        BN_zero(k);
        BN_set_bit(k, (int)(round - 80) / 2);
        if (round % 2 == 1 && !BN_is_one(k)) BN_sub_word(k, 1);
    } else {
        do BN_rand_range(k, pair->q);
        while (BN_is_zero(k));
    }
}

/// X of l·P + k·Q equals X of libcrypto's sum modulo q, and no other.
static void compare_x(
    const struct pair *pair, const EC_POINT *sum, const uint8_t *l, const uint8_t *k, const uint8_t *point
) {
    uint8_t octets[longest] = {0};
    BIGNUM *x = BN_new();
    bool is_point = !EC_POINT_is_at_infinity(pair->group, sum);
    if (is_point && EC_POINT_get_affine_coordinates(pair->group, sum, x, NULL, pair->context) != 1) abort();
    BN_nnmod(x, x, pair->q, pair->context);
    write(pair, octets, x);
    gost_prepared_point prepared;
    gost_curve_prepare_point(pair->curve, &prepared, point);
    if (gost_curve_has_x_modulo_q(pair->curve, octets, l, k, point) != is_point) fail(pair, "X of l·P + k·Q");
    if (gost_curve_prepared_has_x_modulo_q(pair->curve, octets, l, k, &prepared) != is_point)
        fail(pair, "X of l·P + k·Q, prepared");
    octets[0] ^= 1;
    if (gost_curve_has_x_modulo_q(pair->curve, octets, l, k, point)) fail(pair, "another X of l·P + k·Q");
    if (gost_curve_prepared_has_x_modulo_q(pair->curve, octets, l, k, &prepared)) fail(pair, "another X, prepared");
    BN_free(x);
}

static void compare_multiples(const struct pair *pair, long rounds) {
    size_t size = pair->numbers->size;
    uint8_t k_octets[longest], l_octets[longest], q_octets[2 * longest], result[2 * longest];
    BIGNUM *k = BN_new(), *l = BN_new();
    EC_POINT *q = EC_POINT_new(pair->group), *expected = EC_POINT_new(pair->group);
    for (long round = 0; round < rounds; round++) {
        draw(pair, k, round);
        draw(pair, l, round + 1000);
        write(pair, k_octets, k);
        write(pair, l_octets, l);
        EC_POINT_mul(pair->group, q, l, NULL, NULL, pair->context);
        coordinates(pair, q_octets, q);

        EC_POINT_mul(pair->group, expected, k, NULL, NULL, pair->context);
        require(pair, "k·P", gost_curve_multiply_base(pair->curve, result, k_octets), result, expected);
        EC_POINT_mul(pair->group, expected, NULL, q, k, pair->context);
        require(pair, "k·Q", gost_curve_multiply(pair->curve, result, k_octets, q_octets), result, expected);
        EC_POINT_mul(pair->group, expected, l, q, k, pair->context);
        compare_x(pair, expected, l_octets, k_octets, q_octets);
        if (!gost_curve_has_point(pair->curve, q_octets)) fail(pair, "a point is none");
        if (!gost_curve_has_order_q(pair->curve, q_octets)) fail(pair, "a point's order is another");
        q_octets[round % (long)(2 * size)] ^= 1;
        if (gost_curve_has_point(pair->curve, q_octets)) fail(pair, "a point that is not on the curve");
    }
    BN_free(k);
    BN_free(l);
    EC_POINT_free(q);
    EC_POINT_free(expected);
}

/// i·P + j·P for all small i and j of both signs: doublings, opposites and O among them.
static void compare_small(const struct pair *pair) {
    uint8_t octets[2 * small + 1][2 * longest], result[2 * longest], zero[longest] = {0};
    EC_POINT *points[2 * small + 1], *expected = EC_POINT_new(pair->group);
    BIGNUM *k = BN_new();
    for (int i = -small; i <= small; i++) {
        BN_set_word(k, (BN_ULONG)abs(i));
        BN_set_negative(k, i < 0);
        points[i + small] = EC_POINT_new(pair->group);
        EC_POINT_mul(pair->group, points[i + small], k, NULL, NULL, pair->context);
        if (i != 0) coordinates(pair, octets[i + small], points[i + small]);
    }
    for (int i = 0; i <= 2 * small; i++) {
        for (int j = 0; j <= 2 * small; j++) {
            if (i == small || j == small) continue;
            EC_POINT_add(pair->group, expected, points[i], points[j], pair->context);
            require(pair, "iP + jP", gost_curve_add(pair->curve, result, octets[i], octets[j]), result, expected);
        }
    }
    if (gost_curve_multiply_base(pair->curve, result, zero)) fail(pair, "0·P is not O");
    if (gost_curve_multiply(pair->curve, result, zero, octets[0])) fail(pair, "0·Q is not O");
    if (gost_curve_has_x_modulo_q(pair->curve, zero, zero, zero, octets[0])) fail(pair, "0·P + 0·Q is not O");
    // i·P + j·(k·P): doublings and opposites among them.
    for (int i = 0; i <= 6; i++) {
        for (int j = 0; j <= 6; j++) {
            for (int k = -6; k <= 6; k++) {
                if (k == 0) continue;
                uint8_t left[longest] = {(uint8_t)i}, right[longest] = {(uint8_t)j};
                int sum = i + j * k;
                BIGNUM *factor = BN_new();
                BN_set_word(factor, (BN_ULONG)abs(sum));
                BN_set_negative(factor, sum < 0);
                EC_POINT_mul(pair->group, expected, factor, NULL, NULL, pair->context);
                compare_x(pair, expected, left, right, octets[k + small]);
                BN_free(factor);
            }
        }
    }
    for (int i = 0; i <= 2 * small; i++) EC_POINT_free(points[i]);
    EC_POINT_free(expected);
    BN_free(k);
}

/// Points whose order is 2, 4, 2q or 4q: multiples by q of points that are drawn, and sums with a point of order q.
static void refuse_orders(const struct pair *pair) {
    if (pair->numbers->cofactor == 1) return;
    uint8_t octets[2 * longest];
    BIGNUM *x = BN_new();
    EC_POINT *point = EC_POINT_new(pair->group), *low = EC_POINT_new(pair->group), *sum = EC_POINT_new(pair->group);
    int orders[5] = {0};
    for (int round = 0; round < 200; round++) {
        BN_rand_range(x, pair->p);
        if (EC_POINT_set_compressed_coordinates(pair->group, point, x, round & 1, pair->context) != 1) continue;
        // libcrypto reduces a factor modulo q only for its own P.
        EC_POINT_copy(low, point);
        for (int bit = BN_num_bits(pair->q) - 2; bit >= 0; bit--) {
            EC_POINT_dbl(pair->group, low, low, pair->context);
            if (BN_is_bit_set(pair->q, bit)) EC_POINT_add(pair->group, low, low, point, pair->context);
        }
        int order = 1;
        EC_POINT_copy(sum, low);
        while (!EC_POINT_is_at_infinity(pair->group, sum)) {
            EC_POINT_add(pair->group, sum, sum, low, pair->context);
            order++;
        }
        orders[order]++;
        coordinates(pair, octets, point);
        if (!gost_curve_has_point(pair->curve, octets)) fail(pair, "a point is none");
        if (gost_curve_has_order_q(pair->curve, octets) != (order == 1)) fail(pair, "a point's order is wrong");
        if (order == 1) continue;
        coordinates(pair, octets, low);
        bool is_accepted = gost_curve_has_point(pair->curve, octets) && gost_curve_has_order_q(pair->curve, octets);
        if (is_accepted) fail(pair, "a point of small order is accepted");
    }
    if (orders[1] == 0 || orders[2] == 0 || orders[4] == 0) fail(pair, "an order did not occur");
    EC_POINT_free(point);
    EC_POINT_free(low);
    EC_POINT_free(sum);
    BN_free(x);
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    for (const struct curve *curve = curves; curve->size; curve++) {
        struct pair pair = {0};
        prepare(&pair, curve);
        compare_small(&pair);
        compare_multiples(&pair, rounds);
        refuse_orders(&pair);
        free(pair.curve);
        EC_GROUP_free(pair.group);
        BN_free(pair.p);
        BN_free(pair.q);
        BN_CTX_free(pair.context);
    }
    printf("points: passed, %ld scalars for each curve\n", rounds);
}
