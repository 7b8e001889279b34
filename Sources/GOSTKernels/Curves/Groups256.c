/* SPDX-License-Identifier: Apache-2.0 */
// The curves of 256 bits.

#include "Groups.h"

#define COUNT 4
#define BASE_BITS 6

#define NUMBER(name) words256_##name
#include "Inverse.h"

#define FOLD 617
#define SUM INLINE
#define FIELD(name) folded256_##name
#include "Folded.h"

#define GROUP(name) edwards256_##name
#include "Edwards.h"
#include "Group.h"
#undef GROUP

#define MINUS_3
#define GROUP(name) folded256_group_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"
#undef GROUP
#undef FIELD

#undef SUM
// Sums are functions here and for 512 bits: at each place that adds they would take up 100 KiB together.
#define SUM SHARED
#define FIELD(name) any256_##name
#include "Montgomery.h"

#define GROUP(name) minus256_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"
#undef GROUP
#undef MINUS_3

#define GROUP(name) any256_group_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"

const gost_group *gost_group256(gost_form form, bool is_folded) {
    switch (form) {
    case gost_form_edwards:
        return is_folded ? &edwards256_functions : NULL;
    case gost_form_minus_3:
        return is_folded ? &folded256_group_functions : &minus256_functions;
    default:
        return &any256_group_functions;
    }
}

void gost_scalar256(gost_scalar_operation operation, const modulus *q, word *r, const word *a, const word *b) {
    word t[COUNT];
    switch (operation) {
    case gost_scalar_product:
        any256_multiply(q, t, q->square, a);
        any256_multiply(q, r, t, b);
        break;
    case gost_scalar_sum:
        any256_add(q, r, a, b);
        break;
    case gost_scalar_inverse:
        any256_multiply(q, t, q->square, a);
        any256_invert(q, t, t);
        any256_leave(q, r, t);
        break;
    }
}
