/* SPDX-License-Identifier: Apache-2.0 */
/// Computing on the curves of GOST R 34.10.
///
/// Numbers and coordinates are octets, the least significant first, as many as p has: 32 or 64. A point is X ‖ Y, both below
/// p. Where a function has a point as its result it answers false if that is O, and then the octets mean nothing.
/// All functions are constant time in what they are given, but for their answers, and but for those that verify:
/// `gost_curve_has_x_modulo_q` and those with a prepared point. The others leave nothing behind but their results: they clear the
/// stack that they have used, and the registers that a call may change.
#ifndef GOST_CURVES_H
#define GOST_CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Swift knows all values of such an enumeration.
#if defined(__clang__)
#define GOST_CLOSED __attribute__((enum_extensibility(closed)))
#else
#define GOST_CLOSED
#endif

/// The form in which points of a curve are added.
typedef enum GOST_CLOSED {
    /// y² = x³ + ax + b with any a. The number of points is odd, here and for a = −3.
    gost_form_any,
    /// y² = x³ − 3x + b.
    gost_form_minus_3,
    /// u² + v² = 1 + d·u²·v², where d is no square. Only with p = 2^256 − 617 and p = 2^512 − 569.
    gost_form_edwards,
} gost_form;

/// The numbers of a curve. They are public.
typedef struct {
    gost_form form;
    /// The octets of each number: 32 or 64.
    size_t size;
    const uint8_t *p, *a, *b, *q;
    /// The coordinates of the point P.
    const uint8_t *x, *y;
    /// d of Edwards's form, and in other forms any number below p.
    const uint8_t *d;
} gost_curve_numbers;

/// What computing on one curve needs; it is only read once it is prepared.
typedef struct gost_curve gost_curve;

/// The octets of a ``gost_curve``, with or without a table of multiples of P, which takes up most of it.
size_t gost_curve_size(bool has_table);

/// Fills `curve` in. False if there is no arithmetic for such numbers.
bool gost_curve_prepare(gost_curve *curve, const gost_curve_numbers *numbers, bool has_table);

/// Whether y² = x³ + ax + b, and y is not 0: a point with y = 0 has order 2.
bool gost_curve_has_point(const gost_curve *curve, const uint8_t *point);

/// Whether q times a point of the curve is O.
bool gost_curve_has_order_q(const gost_curve *curve, const uint8_t *point);

/// k·P, for k below q. The curve has a table.
bool gost_curve_multiply_base(const gost_curve *curve, uint8_t *result, const uint8_t *k);

/// k·Q for a point Q of order q, and k below q.
bool gost_curve_multiply(const gost_curve *curve, uint8_t *result, const uint8_t *k, const uint8_t *point);

/// Whether X of k·P + l·Q is x modulo q, for a point Q of order q, and k, l and x below q; false for O. Time and memory accesses
/// tell all of them. The curve has a table.
bool gost_curve_has_x_modulo_q(const gost_curve *curve, const uint8_t *x, const uint8_t *k, const uint8_t *l,
                               const uint8_t *point);

/// Multiples of a public point.
typedef struct {
    uint64_t words[768];
} gost_prepared_point;

/// Prepares a point of order q, so that it verifies in half the time. That lasts about as long as to verify once.
void gost_curve_prepare_point(const gost_curve *curve, gost_prepared_point *prepared, const uint8_t *point);

/// As ``gost_curve_has_x_modulo_q`` for a prepared point.
bool gost_curve_prepared_has_x_modulo_q(const gost_curve *curve, const uint8_t *x, const uint8_t *k, const uint8_t *l,
                                        const gost_prepared_point *prepared);

/// The sum of two points of order q.
bool gost_curve_add(const gost_curve *curve, uint8_t *result, const uint8_t *left, const uint8_t *right);

/// a·b modulo q, for any numbers.
void gost_scalar_multiply(const gost_curve *curve, uint8_t *result, const uint8_t *a, const uint8_t *b);

/// a + b modulo q, for numbers below q.
void gost_scalar_add(const gost_curve *curve, uint8_t *result, const uint8_t *a, const uint8_t *b);

/// 1 / a modulo q, and 0 for 0.
void gost_scalar_invert(const gost_curve *curve, uint8_t *result, const uint8_t *a);

/// The octets that ``gost_clear_stack`` overwrites.
enum { gost_stack_depth = 10240 };

/// Clears the stack below its caller, as deep as an operation goes, and the registers that a call may change. For the caller of
/// a function that is not inlined and has computed with secrets.
void gost_clear_stack(void);

/// The answer itself, which is no secret whatever it comes of. Here alone something branches on what comes of a secret.
bool gost_public_answer(bool answer);

#endif
