/* SPDX-License-Identifier: Apache-2.0 */
// Public keys and signatures. All numbers here are public.

#include "Scalars.h"

bool gost_is_point(const gost_domain *domain, const uint8_t *point) {
    const gost_curve_numbers *numbers = domain->set->numbers;
    size_t size = numbers->size;

    return gost_public_answer(is_below(point, numbers->p, size)) && gost_public_answer(is_below(point + size, numbers->p, size))
        && gost_curve_has_point(domain->curve, point) && gost_curve_has_order_q(domain->curve, point);
}

/// −a modulo q, for a above 0 and below q.
static void negate(const gost_domain *domain, uint8_t *result, const uint8_t *a) {
    const uint8_t *q = domain->set->numbers->q;
    int borrow = 0;

    for (size_t i = 0; i < domain->set->numbers->size; i++) {
        int difference = q[i] - a[i] - borrow;
        result[i] = (uint8_t)difference;
        borrow = difference < 0;
    }
}

bool gost_verify(const gost_domain *domain, const uint8_t *point, const gost_prepared_point *prepared,
                 const uint8_t *digest, const uint8_t *signature) {
    size_t size = domain->set->numbers->size;
    uint8_t s[gost_number_largest], r[gost_number_largest], e[gost_number_largest], v[gost_number_largest];
    uint8_t z1[gost_number_largest], z2[gost_number_largest];

    reverse(s, signature, size);
    reverse(r, signature + size, size);
    if (!gost_is_number(domain->set, s) || !gost_is_number(domain->set, r)) return false;
    make_e(domain, e, digest);
    gost_scalar_invert(domain->curve, v, e);
    gost_scalar_multiply(domain->curve, z1, s, v);
    negate(domain, z2, r);
    gost_scalar_multiply(domain->curve, z2, z2, v);
    return prepared ? gost_curve_prepared_has_x_modulo_q(domain->curve, r, z1, z2, prepared)
                    : gost_curve_has_x_modulo_q(domain->curve, r, z1, z2, point);
}
