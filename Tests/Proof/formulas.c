/* SPDX-License-Identifier: Apache-2.0 */
// Runs the functions of Edwards.h, Weierstrass.h and WeierstrassSums.h with elements that are names: each operation of the
// field prints its factors and its result, so that what comes out is what the sources compute, as a list. A number is one word,
// the name of an element; 0 is the element 0. Compiled with SHAPE: 0 for Edwards's form, 1 for a = −3, 2 for any a.
#include <stdio.h>

#include "Curve.h"

#define COUNT 1
#define FIELD(name) named_##name
#define GROUP(name) proven_##name

static word last;
/// The answers that functions with branches get about elements, one bit for each question.
static unsigned answers;

static word operation(const char *name, word a, word b) {
    printf("%s %llu %llu %llu\n", name, (unsigned long long)++last, (unsigned long long)a, (unsigned long long)b);
    return last;
}

static word input(const char *name) {
    printf("input %llu %s\n", (unsigned long long)++last, name);
    return last;
}

static void named_add(const modulus *p, word *r, const word *a, const word *b) { (void)p, *r = operation("add", *a, *b); }
static void named_subtract(const modulus *p, word *r, const word *a, const word *b) {
    (void)p, *r = operation("subtract", *a, *b);
}
static void named_multiply(const modulus *p, word *r, const word *a, const word *b) {
    (void)p, *r = operation("multiply", *a, *b);
}
static void named_square(const modulus *p, word *r, const word *a) { (void)p, *r = operation("multiply", *a, *a); }
static void named_invert(const modulus *p, word *r, const word *a) { (void)p, *r = operation("invert", *a, *a); }
/// A number of which only is asked whether it is 0.
static void named_leave(const modulus *p, word *r, const word *a) {
    (void)p;
    word is_zero = answers & 1;
    answers >>= 1;
    printf("zero %llu %llu 0\n", (unsigned long long)*a, (unsigned long long)is_zero);
    *r = 1 - is_zero;
}

#if SHAPE == 0
#include "Edwards.h"
#else
#if SHAPE == 1
#define MINUS_3
#endif
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#endif

static gost_curve curve;
static proven_point one, two, result;
static word u, v;

static void begin(const char *name, unsigned told) {
    printf("begin %s %u\n", name, told);
    last = 0;
    answers = told;
    *curve.a = input("a");
    *curve.b = input("b");
    *curve.d = input("d");
    *curve.s = input("s");
    *curve.t = input("t");
    *curve.one = input("one");
    *one.x = input("X1");
    *one.y = input("Y1");
    *one.z = input("Z1");
    *two.x = input("X2");
    *two.y = input("Y2");
    *two.z = input("Z2");
#if SHAPE == 0
    *one.t = input("T1");
    *two.t = input("T2");
#endif
    u = input("u");
    v = input("v");
}

static void output(const char *name, word a) { printf("output %llu %s\n", (unsigned long long)a, name); }

static void give(const proven_point *r) {
    output("X", *r->x);
    output("Y", *r->y);
    output("Z", *r->z);
#if SHAPE == 0
    output("T", *r->t);
#endif
}

int main(void) {
    word x, y, is;
    begin("add", 0), proven_add(&curve, &result, &one, &two), give(&result);
    begin("add, r = a", 0), proven_add(&curve, &one, &one, &two), give(&one);
    begin("add, r = b", 0), proven_add(&curve, &two, &one, &two), give(&two);
    begin("add, a = b", 0), proven_add(&curve, &result, &one, &one), give(&result);
    begin("add_affine", 0), proven_add_affine(&curve, &result, &one, &u, &v), give(&result);
    begin("add_affine, r = a", 0), proven_add_affine(&curve, &one, &one, &u, &v), give(&one);
    begin("double", 0), proven_double(&curve, &result, &one, true), give(&result);
    begin("double, r = a", 0), proven_double(&curve, &one, &one, true), give(&one);
    begin("double_times", 0), proven_double_times(&curve, &one, 1), give(&one);
#if SHAPE == 1
    begin("jacobian_add", 0), proven_jacobian_add(&curve, &one, &u, &v), give(&one);
    begin("from_jacobian", 0), proven_from_jacobian(&curve, &one), give(&one);
#endif
    begin("from_affine", 0), proven_from_affine(&curve, &result, &u, &v), give(&result);
    begin("enter", 0), proven_enter(&curve, &result, &u, &v), give(&result);
    begin("leave", 0), proven_leave(&curve, &x, &y, &one), output("x", x), output("y", y);
    begin("negate", 0), proven_negate(&curve, &one, ~(word)0), give(&one);
    begin("negate not", 0), proven_negate(&curve, &one, 0), give(&one);
    begin("negate_affine", 0), proven_negate_affine(&curve, &u, &v, ~(word)0), output("u", u), output("v", v);
    begin("negate_affine not", 0), proven_negate_affine(&curve, &u, &v, 0), output("u", u), output("v", v);
    for (unsigned told = 0; told < 4; told++) {
        begin("is_infinity", told), is = proven_is_infinity(&curve, &one), printf("answer %llu\n", (unsigned long long)is);
    }

    // Of public points.
    proven_public_sum total;
    proven_public_point point;
    begin("public_begin", 0), proven_public_begin(&curve, &total), give(&total);
    begin("make_public", 0), proven_make_public(&curve, &point, &u, &v), output("u", *point.x), output("v", *point.y);
#if SHAPE == 0
    output("dt", *point.dt);
#endif
    begin("negate_public", 0), proven_make_public(&curve, &point, &u, &v), proven_negate_public(&curve, &point);
    output("u", *point.x), output("v", *point.y);
#if SHAPE == 0
    output("dt", *point.dt);
#endif
    begin("public_double", 0), total = one, proven_public_double(&curve, &total, true), give(&total);
    for (unsigned told = 0; told < 8; told++) {
        begin("public_add", told), total = one, proven_make_public(&curve, &point, &u, &v);
        proven_public_add(&curve, &total, &point), give(&total);
        begin("public_has_x", told), total = one, is = proven_public_has_x(&curve, &total, &u);
        printf("answer %llu\n", (unsigned long long)is);
    }
    return 0;
}
