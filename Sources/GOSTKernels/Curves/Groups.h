/* SPDX-License-Identifier: Apache-2.0 */
// The functions of groups, by the length of their numbers.
#ifndef GOST_CURVES_GROUPS_H
#define GOST_CURVES_GROUPS_H

#include "Curve.h"

/// What is computed modulo q.
typedef enum {
    /// a·b, of any numbers of as many words as q.
    gost_scalar_product,
    /// a + b, of numbers below q.
    gost_scalar_sum,
    /// 1 / a, and 0 for 0.
    gost_scalar_inverse,
} gost_scalar_operation;

/// The functions of a form, where p is 2^256 − 617 or another prime; NULL if there are none.
const gost_group *gost_group256(gost_form form, bool is_folded);
/// The functions of a form, where p is 2^512 − 569 or another prime; NULL if there are none.
const gost_group *gost_group512(gost_form form, bool is_folded);

void gost_scalar256(gost_scalar_operation operation, const modulus *q, word *r, const word *a, const word *b);
void gost_scalar512(gost_scalar_operation operation, const modulus *q, word *r, const word *a, const word *b);

#endif
