/* SPDX-License-Identifier: Apache-2.0 */
/* Points of GOST curves, by libcrypto: the check of the other side's key before a module computes with it. */
#include "engine.h"

#include "GOSTParameters.h"

static bool has_point(EC_GROUP *group, const BIGNUM *x, const BIGNUM *y, const BIGNUM *order, BN_CTX *numbers) {
    EC_POINT *point = EC_POINT_new(group), *multiple = EC_POINT_new(group);
    /* Coordinates of other curves are refused. */
    bool is_of_order = point && multiple && EC_POINT_set_affine_coordinates(group, point, x, y, numbers)
        && EC_POINT_mul(group, multiple, NULL, point, order, numbers) && EC_POINT_is_at_infinity(group, multiple);

    EC_POINT_free(point);
    EC_POINT_free(multiple);
    return is_of_order;
}

bool point_accepts(struct der curve, const unsigned char *point, size_t length) {
    const gost_curve_set *set = gost_curve_set_of(curve.bytes, curve.length);
    const gost_curve_numbers *known = set ? set->numbers : NULL;
    int size = known ? (int)known->size : 0;
    BN_CTX *numbers = known && 2 * known->size == length ? BN_CTX_new() : NULL;
    BIGNUM *p, *a, *b, *q, *x, *y;
    EC_GROUP *group = NULL;
    bool has;

    if (!numbers)
        return false;
    BN_CTX_start(numbers);
    p = BN_CTX_get(numbers);
    a = BN_CTX_get(numbers);
    b = BN_CTX_get(numbers);
    q = BN_CTX_get(numbers);
    x = BN_CTX_get(numbers);
    y = BN_CTX_get(numbers);
    ERR_set_mark();
    has = y && BN_lebin2bn(known->p, size, p) && BN_lebin2bn(known->a, size, a) && BN_lebin2bn(known->b, size, b)
        && BN_lebin2bn(known->q, size, q) && BN_lebin2bn(point, size, x) && BN_lebin2bn(point + size, size, y)
        && BN_cmp(x, p) < 0 && BN_cmp(y, p) < 0 && (group = EC_GROUP_new_curve_GFp(p, a, b, numbers)) != NULL
        && has_point(group, x, y, q, numbers);
    ERR_pop_to_mark();
    EC_GROUP_free(group);
    BN_CTX_end(numbers);
    BN_CTX_free(numbers);
    return has;
}
