/* SPDX-License-Identifier: Apache-2.0 */
// The curves of 512 bits.

#include "Groups.h"

#define COUNT 8
#define BASE_BITS 4

#define NUMBER(name) words512_##name
#include "Inverse.h"

#define FOLD 569
#define SUM SHARED
#define FIELD(name) folded512_##name
#include "Folded.h"

#define GROUP(name) edwards512_##name
#include "Edwards.h"
#include "Group.h"
#undef GROUP

#define MINUS_3
#define GROUP(name) folded512_group_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"
#undef GROUP
#undef FIELD

#define FIELD(name) any512_##name
#include "Montgomery.h"

#define GROUP(name) minus512_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"
#undef GROUP
#undef MINUS_3

#define GROUP(name) any512_group_##name
#include "Weierstrass.h"
#include "WeierstrassSums.h"
#include "Group.h"

const gost_group *gost_group512(gost_form form, bool is_folded) {
    switch (form) {
    case gost_form_edwards:
        return is_folded ? &edwards512_functions : NULL;
    case gost_form_minus_3:
        return is_folded ? &folded512_group_functions : &minus512_functions;
    default:
        return &any512_group_functions;
    }
}

void gost_scalar512(gost_scalar_operation operation, const modulus *q, word *r, const word *a, const word *b) {
    word t[COUNT];
    switch (operation) {
    case gost_scalar_product:
        any512_multiply(q, t, q->square, a);
        any512_multiply(q, r, t, b);
        break;
    case gost_scalar_sum:
        any512_add(q, r, a, b);
        break;
    case gost_scalar_inverse:
        any512_multiply(q, t, q->square, a);
        any512_invert(q, t, t);
        any512_leave(q, r, t);
        break;
    }
}
