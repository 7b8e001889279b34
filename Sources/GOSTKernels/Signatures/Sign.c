/* SPDX-License-Identifier: Apache-2.0 */
// Private keys and signatures.

#include "Scalars.h"

/// Each attempt at a random number fails with a probability of at most one half.
enum { tries = 128 };

bool gost_is_number(const gost_curve_set *set, const uint8_t *number) {
    size_t size = set->numbers->size;
    return gost_public_answer((int)is_below(number, set->numbers->q, size) & (int)!is_zero(number, size));
}

/// Drops the bits above the highest of q.
static void shorten(const gost_curve_numbers *numbers, uint8_t *number) {
    uint8_t mask = 0xFF;

    while (mask >> 1 >= numbers->q[numbers->size - 1]) mask >>= 1;
    number[numbers->size - 1] &= mask;
}

/// A candidate for a nonce, or for a key if there is no digest.
static void make_candidate(gost_path path, const gost_curve_set *set, const uint8_t *key, size_t key_length, uint8_t attempt,
                           const uint8_t noise[gost_noise_size], const uint8_t *digest,
                           uint8_t candidate[gost_hash_largest]) {
    gost_hmac hmac;

    gost_hmac_begin(path, &hmac, gost_hash_streebog512, key, key_length);
    gost_hmac_update(&hmac, &attempt, 1);
    gost_hmac_update(&hmac, noise, gost_noise_size);
    gost_hmac_update(&hmac, set->oid, set->oid_length);
    if (digest) gost_hmac_update(&hmac, digest, set->numbers->size);
    gost_hmac_end(&hmac, candidate);
    shorten(set->numbers, candidate);
}

APART bool generate(gost_path path, const gost_curve_set *set, const uint8_t *noise, uint8_t *number) {
    uint8_t candidate[gost_hash_largest];
    bool is_found = false;

    for (int i = 0; i < tries && !is_found; i++) {
        make_candidate(path, set, noise, gost_noise_size, (uint8_t)i, noise, NULL, candidate);
        is_found = gost_is_number(set, candidate);
    }
    memcpy(number, candidate, set->numbers->size);
    return is_found;
}

bool gost_generate(gost_path path, const gost_curve_set *set, const uint8_t noise[gost_noise_size], uint8_t *number) {
    bool is_found = generate(path, set, noise, number);

    gost_clear_stack();
    return is_found;
}

APART bool unmask(const gost_domain *domain, const uint8_t *factors, size_t count, uint8_t *number) {
    size_t size = domain->set->numbers->size;
    bool are_numbers = true;

    memset(number, 0, size);
    number[0] = 1;
    for (size_t i = 0; i < count; i++) {
        are_numbers = gost_is_number(domain->set, factors + i * size) && are_numbers;
        gost_scalar_multiply(domain->curve, number, number, factors + i * size);
    }
    return are_numbers;
}

bool gost_unmask(const gost_domain *domain, const uint8_t *factors, size_t count, uint8_t *number) {
    bool are_numbers = unmask(domain, factors, count, number);

    gost_clear_stack();
    return are_numbers;
}

/// c = k·P, r = X of c modulo q, s = r·d + k·e.
APART bool sign_with_nonce(const gost_domain *domain, const uint8_t *d, const uint8_t *digest, const uint8_t *k,
                           uint8_t *signature) {
    size_t size = domain->set->numbers->size;
    uint8_t e[gost_number_largest], point[2 * gost_number_largest];
    uint8_t r[gost_number_largest], rd[gost_number_largest], s[gost_number_largest];

    if (!gost_curve_multiply_base(domain->curve, point, k)) return false;
    make_e(domain, e, digest);
    reduce(domain, r, point);
    gost_scalar_multiply(domain->curve, rd, r, d);
    gost_scalar_multiply(domain->curve, s, e, k);
    gost_scalar_add(domain->curve, s, s, rd);
    if (gost_public_answer((int)is_zero(r, size) | (int)is_zero(s, size))) return false;
    reverse(signature, s, size);
    reverse(signature + size, r, size);
    return true;
}

bool gost_sign_with_nonce(const gost_domain *domain, const uint8_t *number, const uint8_t *digest, const uint8_t *nonce,
                          uint8_t *signature) {
    bool is_signed = sign_with_nonce(domain, number, digest, nonce, signature);

    gost_clear_stack();
    return is_signed;
}

APART bool sign(const gost_domain *domain, const uint8_t *number, const uint8_t *digest,
                const uint8_t *noise, uint8_t *signature) {
    uint8_t k[gost_hash_largest];

    for (int i = 0; i < tries; i++) {
        make_candidate(domain->path, domain->set, number, domain->set->numbers->size, (uint8_t)i, noise, digest, k);
        if (gost_is_number(domain->set, k) && sign_with_nonce(domain, number, digest, k, signature)) return true;
    }
    return false;
}

bool gost_sign(const gost_domain *domain, const uint8_t *number, const uint8_t *digest,
               const uint8_t noise[gost_noise_size], uint8_t *signature) {
    bool is_signed = sign(domain, number, digest, noise, signature);

    gost_clear_stack();
    return is_signed;
}
