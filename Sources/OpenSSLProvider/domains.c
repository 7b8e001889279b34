/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of parameter sets with their tables, made at the first use. */
#include "provider.h"

#include <stdlib.h>

bool domain_of(const gost_curve_set *set, gost_domain *domain) {
    static gost_curve *curves[gost_curve_count];
    size_t place = 0;
    gost_curve *curve, *made;

    /* Sets with the same numbers share the first one's. */
    while (gost_curve_set_at((gost_curve_name)place)->numbers != set->numbers)
        place++;
    *domain = (gost_domain){gost_best_path(), set, __atomic_load_n(&curves[place], __ATOMIC_ACQUIRE)};
    if (domain->curve)
        return true;
    made = aligned_alloc(64, (gost_curve_size(true) + 63) / 64 * 64);
    if (!made || !gost_curve_prepare(made, set->numbers, true)) {
        free(made);
        return false;
    }
    /* Of several threads, the first to make it wins. */
    curve = NULL;
    if (__atomic_compare_exchange_n(&curves[place], &curve, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        curve = made;
    else
        free(made);
    domain->curve = curve;
    return true;
}
