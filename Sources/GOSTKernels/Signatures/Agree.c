/* SPDX-License-Identifier: Apache-2.0 */
// Agreements.

#include "Scalars.h"

/// m/q·UKM modulo q, where UKM of 0 counts as 1; false for a multiple of q. All of it is public.
static bool make_factor(const gost_domain *domain, const uint8_t *ukm, size_t ukm_length,
                        uint8_t factor[gost_number_largest]) {
    const gost_curve_numbers *numbers = domain->set->numbers;
    uint8_t cofactor[gost_number_largest] = {numbers->form == gost_form_edwards ? 4 : 1};
    uint8_t given[gost_number_largest] = {0};

    if (ukm_length == 0 || ukm_length > numbers->size) return false;
    memcpy(given, ukm, ukm_length);
    if (gost_public_answer(is_zero(given, numbers->size))) given[0] = 1;
    gost_scalar_multiply(domain->curve, factor, given, cofactor);
    return !gost_public_answer(is_zero(factor, numbers->size));
}

APART bool agree(const gost_domain *domain, const uint8_t *d, const uint8_t *point, const uint8_t *ukm, size_t ukm_length,
                 gost_hash_name name, uint8_t *secret) {
    uint8_t factor[gost_number_largest], shared[2 * gost_number_largest];
    gost_hash hash;

    if (!make_factor(domain, ukm, ukm_length, factor)) return false;
    gost_scalar_multiply(domain->curve, factor, factor, d);
    if (!gost_curve_multiply(domain->curve, shared, factor, point)) return false;
    gost_hash_begin(domain->path, &hash, name);
    gost_hash_update(&hash, shared, 2 * domain->set->numbers->size);
    gost_hash_end(&hash, secret);
    return true;
}

bool gost_vko(const gost_domain *domain, const uint8_t *number, const uint8_t *point, const uint8_t *ukm,
              size_t ukm_length, gost_hash_name hash, uint8_t *secret) {
    bool is_done = agree(domain, number, point, ukm, ukm_length, hash, secret);

    gost_clear_stack();
    return is_done;
}

/// On curves of 512 bits VKO of 512 bits, on those of 256 a tree of VKO of 256. UKM is its first half as a number, the seed what
/// follows.
APART bool keg(const gost_domain *domain, const uint8_t *d, const uint8_t *point, const uint8_t *ukm, uint8_t *keys) {
    uint8_t number[16], secret[32];

    reverse(number, ukm, sizeof number);
    if (domain->set->numbers->size == 64)
        return agree(domain, d, point, number, sizeof number, gost_hash_streebog512, keys);
    if (!agree(domain, d, point, number, sizeof number, gost_hash_streebog256, secret)) return false;
    gost_kdf_tree_keys(domain->path, secret, ukm + sizeof number, keys);
    return true;
}

bool gost_keg(const gost_domain *domain, const uint8_t *number, const uint8_t *point, const uint8_t ukm[32],
              uint8_t keys[64]) {
    bool is_done = keg(domain, number, point, ukm, keys);

    gost_clear_stack();
    return is_done;
}
