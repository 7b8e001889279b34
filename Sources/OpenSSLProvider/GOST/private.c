/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private keys of GOST R 34.10: generation, signatures, agreements. Functions that compute with a private number are
 * not inlined, and their callers clear the stack that they have used.
 */
#include "curve.h"

#include <string.h>

#define APART __attribute__((noinline))
/* Each attempt at a random number fails with a probability of at most one half. */
enum { TRIES = 128 };

/* Without a branch, and as secret as the number until it is published. */
static bool is_reduced(const unsigned char *number, const gost_curve_numbers *numbers) {
    unsigned char bits = 0;
    int borrow = 0;

    for (size_t i = 0; i < numbers->size; i++) {
        borrow = (number[i] - numbers->q[i] - borrow) >> 8 & 1;
        bits |= number[i];
    }
    return borrow & ((bits + 0xFF) >> 8);
}

bool private_is_number(const gost_curve_set *set, const unsigned char *number) {
    return gost_public_answer(is_reduced(number, set->numbers));
}

/* Drops the bits above the highest of q. */
static void shorten(const gost_curve_numbers *numbers, unsigned char *number) {
    unsigned char mask = 0xFF;

    while (mask >> 1 >= numbers->q[numbers->size - 1])
        mask >>= 1;
    number[numbers->size - 1] &= mask;
}

/* A candidate for a nonce or a key: HMAC by Streebog of 512 bits. */
static void make_candidate(
    const gost_curve_set *set, const unsigned char *key, size_t key_length, unsigned char attempt,
    const unsigned char noise[CURVE_NOISE], const unsigned char *digest, unsigned char candidate[64]) {
    gost_hmac hmac;

    gost_hmac_begin(gost_best_path(), &hmac, gost_hash_streebog512, key, key_length);
    gost_hmac_update(&hmac, &attempt, 1);
    gost_hmac_update(&hmac, noise, CURVE_NOISE);
    gost_hmac_update(&hmac, set->oid, set->oid_length);
    if (digest)
        gost_hmac_update(&hmac, digest, set->numbers->size);
    gost_hmac_end(&hmac, candidate);
    shorten(set->numbers, candidate);
}

static APART bool generate(const gost_curve_set *set, const unsigned char *noise, unsigned char *number) {
    unsigned char candidate[64];
    bool is_found = false;

    for (int i = 0; i < TRIES && !is_found; i++) {
        make_candidate(set, noise, CURVE_NOISE, (unsigned char)i, noise, NULL, candidate);
        is_found = private_is_number(set, candidate);
    }
    memcpy(number, candidate, set->numbers->size);
    return is_found;
}

bool private_generate(const gost_curve_set *set, const unsigned char noise[CURVE_NOISE], unsigned char *number) {
    bool is_found = generate(set, noise, number);

    gost_clear_stack();
    return is_found;
}

static APART bool unmask(
    const gost_curve_set *set, const gost_curve *curve, const unsigned char *factors, size_t count, unsigned char *number) {
    size_t size = set->numbers->size;
    bool are_numbers = true;

    memset(number, 0, size);
    number[0] = 1;
    for (size_t i = 0; i < count; i++) {
        are_numbers = private_is_number(set, factors + i * size) && are_numbers;
        gost_scalar_multiply(curve, number, number, factors + i * size);
    }
    return are_numbers;
}

bool private_unmask(const gost_curve_set *set, const unsigned char *factors, size_t count, unsigned char *number) {
    const gost_curve *curve = curve_of(set);
    bool done = curve && unmask(set, curve, factors, count, number);

    gost_clear_stack();
    return done;
}

bool private_point(const gost_curve_set *set, const unsigned char *number, unsigned char *point) {
    const gost_curve *curve = curve_of(set);

    return curve && gost_curve_multiply_base(curve, point, number);
}

/* ---- Signatures ---- */

static bool is_zero(const unsigned char *number, size_t size) {
    unsigned char bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= number[i];
    return gost_public_answer(bits == 0);
}

/* With this nonce; false if r or s is 0. */
static bool sign_once(
    const gost_curve *curve, size_t size, const unsigned char *d, const unsigned char *e, const unsigned char *k,
    unsigned char *signature) {
    unsigned char point[2 * CURVE_LONGEST], r[CURVE_LONGEST], rd[CURVE_LONGEST], s[CURVE_LONGEST];
    unsigned char one[CURVE_LONGEST] = {1};

    if (!gost_curve_multiply_base(curve, point, k))
        return false;
    gost_scalar_multiply(curve, r, point, one);
    gost_scalar_multiply(curve, rd, r, d);
    gost_scalar_multiply(curve, s, e, k);
    gost_scalar_add(curve, s, s, rd);
    if (is_zero(r, size) || is_zero(s, size))
        return false;
    for (size_t i = 0; i < size; i++) {
        signature[i] = s[size - 1 - i];
        signature[size + i] = r[size - 1 - i];
    }
    return true;
}

static APART bool sign(
    const gost_curve_set *set, const gost_curve *curve, const unsigned char *d, const unsigned char *digest,
    const unsigned char *noise, unsigned char *signature) {
    size_t size = set->numbers->size;
    unsigned char e[CURVE_LONGEST], k[CURVE_LONGEST];
    unsigned char one[CURVE_LONGEST] = {1};
    bool is_signed = false;

    gost_scalar_multiply(curve, e, digest, one);
    if (is_zero(e, size))
        e[0] = 1;
    for (int i = 0; i < TRIES && !is_signed; i++) {
        make_candidate(set, d, size, (unsigned char)i, noise, digest, k);
        if (private_is_number(set, k))
            is_signed = sign_once(curve, size, d, e, k, signature);
    }
    return is_signed;
}

bool private_sign(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *digest,
    const unsigned char noise[CURVE_NOISE], unsigned char *signature) {
    const gost_curve *curve = curve_of(set);
    bool is_signed = curve && sign(set, curve, number, digest, noise, signature);

    gost_clear_stack();
    return is_signed;
}

/* ---- Agreements ---- */

/* m/q·UKM modulo q, where UKM of 0 counts as 1; false for a multiple of q. */
static bool make_factor(
    const gost_curve *curve, const gost_curve_numbers *numbers, const unsigned char *ukm, size_t ukm_length,
    unsigned char factor[CURVE_LONGEST]) {
    unsigned char cofactor[CURVE_LONGEST] = {numbers->form == gost_form_edwards ? 4 : 1};
    unsigned char given[CURVE_LONGEST] = {0};

    if (ukm_length == 0 || ukm_length > numbers->size)
        return false;
    memcpy(given, ukm, ukm_length);
    if (is_zero(given, numbers->size))
        given[0] = 1;
    gost_scalar_multiply(curve, factor, given, cofactor);
    return !is_zero(factor, numbers->size);
}

static APART bool agree(
    const gost_curve_set *set, const gost_curve *curve, const unsigned char *d, const unsigned char *point,
    const unsigned char *ukm, size_t ukm_length, gost_hash_name kind, unsigned char *secret) {
    unsigned char factor[CURVE_LONGEST], shared[2 * CURVE_LONGEST];
    gost_hash hash;

    if (!make_factor(curve, set->numbers, ukm, ukm_length, factor))
        return false;
    gost_scalar_multiply(curve, factor, factor, d);
    if (!gost_curve_multiply(curve, shared, factor, point))
        return false;
    gost_hash_begin(gost_best_path(), &hash, kind);
    gost_hash_update(&hash, shared, 2 * set->numbers->size);
    gost_hash_end(&hash, secret);
    return true;
}

bool private_agree(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *point, const unsigned char *ukm,
    size_t ukm_length, gost_hash_name kind, unsigned char *secret) {
    const gost_curve *curve = curve_of(set);
    bool done = curve && agree(set, curve, number, point, ukm, ukm_length, kind, secret);

    gost_clear_stack();
    return done;
}

static APART bool keg(
    const gost_curve_set *set, const gost_curve *curve, const unsigned char *d, const unsigned char *point,
    const unsigned char *ukm, unsigned char *keys) {
    unsigned char number[16], secret[32];

    for (int i = 0; i < 16; i++)
        number[i] = ukm[15 - i];
    if (set->numbers->size == 64)
        return agree(set, curve, d, point, number, sizeof number, gost_hash_streebog512, keys);
    if (!agree(set, curve, d, point, number, sizeof number, gost_hash_streebog256, secret))
        return false;
    gost_kdf_tree_keys(gost_best_path(), secret, ukm + 16, keys);
    return true;
}

bool private_keg(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *point, const unsigned char ukm[32],
    unsigned char keys[64]) {
    const gost_curve *curve = curve_of(set);
    bool done = curve && keg(set, curve, number, point, ukm, keys);

    gost_clear_stack();
    return done;
}
