/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys and signatures of GOST R 34.10, by the kernels. All numbers here are public. */
#include "curve.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = CURVE_LONGEST };

/* Made at the first use. Of several threads, the first to make it wins. */
const gost_curve *curve_of(const gost_curve_set *set) {
    static gost_curve *curves[gost_curve_count];
    size_t place = 0;
    gost_curve *curve, *made;

    /* Sets with the same numbers share the first one's. */
    while (gost_curve_set_at((gost_curve_name)place)->numbers != set->numbers)
        place++;
    curve = __atomic_load_n(&curves[place], __ATOMIC_ACQUIRE);
    if (curve)
        return curve;
    made = aligned_alloc(64, (gost_curve_size(true) + 63) / 64 * 64);
    if (!made || !gost_curve_prepare(made, set->numbers, true)) {
        free(made);
        return NULL;
    }
    if (__atomic_compare_exchange_n(&curves[place], &curve, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return curve;
}

bool curve_prepare(const gost_curve_set *set) { return curve_of(set) != NULL; }

/* Whether a number is below another one, the least significant byte first. */
static bool is_below(const unsigned char *number, const uint8_t *bound, size_t size) {
    for (size_t i = size; i-- > 0;)
        if (number[i] != bound[i])
            return number[i] < bound[i];
    return false;
}

static bool is_zero(const unsigned char *number, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (number[i])
            return false;
    return true;
}

static void reverse(unsigned char *to, const unsigned char *from, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = from[size - 1 - i];
}

bool curve_has_point(const gost_curve_set *set, const unsigned char *point) {
    const gost_curve *curve = curve_of(set);
    size_t size = set->numbers->size;

    return curve && is_below(point, set->numbers->p, size) && is_below(point + size, set->numbers->p, size)
        && gost_curve_has_point(curve, point) && gost_curve_has_order_q(curve, point);
}

/* RFC 7091, 6.2. */
bool curve_verify(
    const gost_curve_set *set, const unsigned char *point, const unsigned char *digest, const unsigned char *signature) {
    const gost_curve *curve = curve_of(set);
    const uint8_t *q = set->numbers->q;
    size_t size = set->numbers->size;
    unsigned char s[LONGEST], r[LONGEST], e[LONGEST], v[LONGEST], z1[LONGEST], z2[LONGEST];
    unsigned char one[LONGEST] = {1};
    int borrow = 0;

    reverse(s, signature, size);
    reverse(r, signature + size, size);
    if (!curve || is_zero(s, size) || is_zero(r, size) || !is_below(s, q, size) || !is_below(r, q, size))
        return false;
    gost_scalar_multiply(curve, e, digest, one);
    if (is_zero(e, size))
        e[0] = 1;
    gost_scalar_invert(curve, v, e);
    gost_scalar_multiply(curve, z1, s, v);
    /* q − r */
    for (size_t i = 0; i < size; i++) {
        int difference = q[i] - r[i] - borrow;
        z2[i] = (unsigned char)difference;
        borrow = difference < 0;
    }
    gost_scalar_multiply(curve, z2, z2, v);
    return gost_curve_has_x_modulo_q(curve, r, z1, z2, point);
}
