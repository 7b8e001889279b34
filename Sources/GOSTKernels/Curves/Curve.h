/* SPDX-License-Identifier: Apache-2.0 */
// What computing on one curve needs.
#ifndef GOST_CURVES_CURVE_H
#define GOST_CURVES_CURVE_H

#include "GOSTCurves.h"
#include "Words.h"

/// The most octets of a curve's multiples of P.
enum { table_size = 128 * 1024 };

struct gost_curve {
    gost_form form;
    /// The words of a number: 4 or 8.
    size_t count;
    modulus p, q;
    /// y² = x³ + ax + b, as elements.
    word a[longest], b[longest];
    /// In Edwards's form u² + v² = 1 + d·u²·v²: d, and with it s = (1 − d) / 4 and t = (1 + d) / 6, as elements.
    word d[longest], s[longest], t[longest];
    /// 1 as an element.
    word one[longest];
    /// Of each window of bits, the odd multiples of P in affine coordinates, as elements; `table_size` octets, or none.
    word table[];
};

/// The functions of a form. Numbers and coordinates are words below q and p. What takes a point gives nothing but nonsense
/// for coordinates that are not on the curve.
typedef struct {
    void (*prepare)(gost_curve *curve, const word *d);
    void (*make_table)(gost_curve *curve, const word *x, const word *y);
    bool (*is_on_curve)(const gost_curve *curve, const word *point);
    bool (*has_order_q)(const gost_curve *curve, const word *point);
    bool (*multiply_base)(const gost_curve *curve, word *result, const word *k);
    bool (*multiply)(const gost_curve *curve, word *result, const word *k, const word *point);
    bool (*has_x_modulo_q)(const gost_curve *curve, const word *x, const word *k, const word *l, const word *point);
    void (*prepare_point)(const gost_curve *curve, word *prepared, const word *point);
    bool (*prepared_has_x_modulo_q)(
        const gost_curve *curve, const word *x, const word *k, const word *l, const word *prepared);
    bool (*add)(const gost_curve *curve, word *result, const word *left, const word *right);
} gost_group;

/// An operation whose caller clears the stack below itself.
#define APART static __attribute__((noinline))

/// As `gost_clear_stack`, as deep as an operation modulo q goes.
void gost_clear_little(void);
enum { little_depth = 2048 };

#endif
