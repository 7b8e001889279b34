/* SPDX-License-Identifier: Apache-2.0 */
// Runs the multiples of Group.h with points that are names, for numbers k below q of many shapes, and the sums of PublicSum.h, for
// all pairs of digits and for numbers; prints each operation with points. Compiled with COUNT and BASE_BITS, with a part of
// PublicSum.h in sum.h.
#include <stdio.h>

#include "Curve.h"

#include "multiples.h"

#include "Group.h"

static gost_curve *curve;

static bool has_x(word sum, const word *x) {
    printf("has_x 0 %llu %llu\n", (number)sum, (number)*x);
    return false;
}

static void begin(const char *name, const word *k) {
    last = 0;
    printf("begin %s ", name);
    for (size_t i = COUNT; i-- > 0;) printf("%016llx", (number)k[i]);
    printf("\n");
}

/// The next number of a generator (xorshift), so that all runs are the same.
static word some(void) {
    static word state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/// Two digits of the loop of has_x_of_parts, which is in sum.h, after some others or as the first.
static void add_digits(bool has_begun, int k, int l) {
    const gost_curve *c = curve;
    GROUP(point) sum, multiples[GROUP(public_multiples)], entry;
    word none[COUNT] = {0};
    begin("digits", none);
    printf("told %d %d %d\n", has_begun, k, l);
    if (has_begun) put(&sum, new_point("point", 0, 0));
    else GROUP(public_begin)(c, &sum);
    for (size_t j = 0; j < GROUP(base_multiples); j++) {
        put(&entry, new_point("point", 1 + j, 0));
        one_element(curve->table + 2 * COUNT * j, *entry.x);
        one_element(curve->table + 2 * COUNT * j + COUNT, *entry.y);
    }
    for (size_t j = 0; j < GROUP(public_multiples); j++) put(&multiples[j], new_point("point", 1 + GROUP(base_multiples) + j, 0));
    const int8_t k_digits[1] = {(int8_t)k}, l_digits[1] = {(int8_t)l};
    const size_t parts = 1, length = 1;
    for (size_t i = 0; i < length; i++) {
#include "sum.h"
    }
    printf("output %d %llu %llu\n", has_begun, (number)*sum.x, (number)*sum.y);
}

/// A number of many shapes.
static void make_number(word *k, int round) {
    for (size_t i = 0; i < COUNT; i++) {
        word a = some();
        k[i] = round == 0 ? 0 : round % 4 == 1 ? a & some() & some() : round % 4 == 2 ? a | some() | some() : a;
    }
    if (round < 8) k[0] = (word)round;
}

/// The table of P, as points.
static void put_table(void) {
    for (size_t i = 0; i < (size_t)GROUP(base_windows) * GROUP(base_multiples); i++) {
        GROUP(point) entry;
        put(&entry, new_point("point", i, 0));
        one_element(curve->table + 2 * COUNT * i, *entry.x);
        one_element(curve->table + 2 * COUNT * i + COUNT, *entry.y);
    }
}

/// Sums of public points: all digits, and whole sums.
static void add_public(void) {
    for (int k = 1 - (1 << BASE_BITS); k < 1 << BASE_BITS; k++) {
        for (int l = -15; l < 16; l++) {
            if ((k != 0 && k % 2 == 0) || (l != 0 && l % 2 == 0)) continue;
            add_digits(false, k, l);
            add_digits(true, k, l);
        }
    }
    for (size_t i = 0; i < COUNT; i++) curve->p.words[i] = ~(word)0;
    for (int round = 0; round < 200; round++) {
        word k[COUNT], l[COUNT], x[COUNT] = {1}, point[2 * COUNT] = {0};
        gost_prepared_point prepared;
        GROUP(point) a;
        make_number(k, round);
        make_number(l, round < 100 ? round : 199 - round);
        begin("sum", k);
        printf("second ");
        for (size_t i = COUNT; i-- > 0;) printf("%016llx", (number)l[i]);
        printf("\n");
        put_table();
        put(&a, new_point("point", (number)GROUP(base_windows) * GROUP(base_multiples), 0));
        point[0] = *a.x, point[COUNT] = *a.y;
        if (round % 2 == 0) {
            GROUP(has_x_modulo_q)(curve, x, k, l, point);
            continue;
        }
        GROUP(prepare_point)(curve, prepared.words, point);
        GROUP(prepared_has_x_modulo_q)(curve, x, k, l, prepared.words);
    }
}

int main(void) {
    curve = calloc(1, sizeof *curve + table_size);
    if (curve == NULL) return 1;
    curve->count = COUNT;
    // Any odd q with its highest bit.
    for (size_t i = 0; i < COUNT; i++) curve->q.words[i] = some();
    curve->q.words[0] |= 1;
    curve->q.words[COUNT - 1] |= (word)1 << 63;
    printf("q ");
    for (size_t i = COUNT; i-- > 0;) printf("%016llx", (number)curve->q.words[i]);
    printf("\nbits %d\nwindows %d\nmultiples %d\nbase_bits %d\nbase_windows %d\nbase_multiples %d\n", GROUP(window), GROUP(windows),
        GROUP(multiples), BASE_BITS, GROUP(base_windows), GROUP(base_multiples));

    // flatten, with points of any coordinates.
    word zero[COUNT] = {0};
    for (size_t count = 1; count <= GROUP(base_multiples); count *= 2) {
        GROUP(point) points[GROUP(base_multiples)];
        static word table[2 * COUNT * GROUP(base_multiples)];
        begin("flatten", zero);
        for (size_t i = 0; i < count; i++) put(&points[i], new_point("point", i, 0));
        GROUP(flatten)(curve, table, points, count);
        for (size_t i = 0; i < count; i++) {
            printf("output %zu %llu %llu\n", i, (number)table[2 * COUNT * i], (number)table[2 * COUNT * i + COUNT]);
        }
    }

    for (int round = 0; round < 200; round++) {
        word k[COUNT], result[2 * COUNT];
        make_number(k, round);
        k[COUNT - 1] >>= 1;
        GROUP(point) a, r;

        begin("base", k);
        put_table();
        GROUP(multiply_base)(curve, result, k);
        printf("output 0 %llu %llu\n", (number)result[0], (number)result[COUNT]);

        begin("other", k);
        put(&a, new_point("point", 0, 0));
        word point[2 * COUNT] = {0};
        point[0] = *a.x, point[COUNT] = *a.y;
        GROUP(multiply)(curve, result, k, point);
        printf("output 0 %llu %llu\n", (number)result[0], (number)result[COUNT]);

        // The product itself needs odd numbers.
        k[0] |= 1;
        begin("product", k);
        put(&a, new_point("point", 0, 0));
        GROUP(product)(curve, &r, k, 0, &a);
        printf("output 0 %llu %llu\n", (number)*r.x, (number)*r.y);
    }
    add_public();
    free(curve);
    return 0;
}
