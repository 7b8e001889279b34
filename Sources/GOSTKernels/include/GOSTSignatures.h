/* SPDX-License-Identifier: Apache-2.0 */
/// Keys, signatures and agreements of GOST R 34.10.
///
/// Numbers, coordinates and digests have the least significant octet first, and the length of the curve's numbers. A signature is
/// s ‖ r, the most significant octet first, as PKCS #11 and X.509 have it. What takes a private number is constant time in it, but
/// for its answer, and clears the stack and the registers that it has used.
#ifndef GOST_SIGNATURES_H
#define GOST_SIGNATURES_H

#include "GOSTHashes.h"

/// The most octets of a number, and those of random octets for a nonce or a key.
enum { gost_number_largest = 64, gost_noise_size = 64 };

/// A parameter set, and the curve that was prepared of its numbers with a table.
typedef struct {
    gost_path path;
    const gost_curve_set *set;
    const gost_curve *curve;
} gost_domain;

/// Whether a number is above 0 and below q.
bool gost_is_number(const gost_curve_set *set, const uint8_t *number);

/// Whether coordinates are those of a point of order q.
bool gost_is_point(const gost_domain *domain, const uint8_t *point);

/// Makes a private number of random octets; false if these yield none.
bool gost_generate(gost_path path, const gost_curve_set *set, const uint8_t noise[gost_noise_size], uint8_t *number);

/// The product of `count` numbers modulo q; false if one of them is not above 0 and below q.
bool gost_unmask(const gost_domain *domain, const uint8_t *factors, size_t count, uint8_t *number);

/// Signs a digest (RFC 7091, 6.1). The nonce is HMAC by Streebog of 512 bits of the random octets, the set's identifier and the
/// digest under the private number, so that neither a broken random source alone nor a repeated digest reveals it.
bool gost_sign(const gost_domain *domain, const uint8_t *number, const uint8_t *digest,
               const uint8_t noise[gost_noise_size], uint8_t *signature);

/// Signs a digest with a nonce above 0 and below q; false if r or s is 0.
bool gost_sign_with_nonce(const gost_domain *domain, const uint8_t *number, const uint8_t *digest, const uint8_t *nonce,
                          uint8_t *signature);

/// Verifies a signature (RFC 7091, 6.2). There may be a prepared point.
bool gost_verify(const gost_domain *domain, const uint8_t *point, const gost_prepared_point *prepared,
                 const uint8_t *digest, const uint8_t *signature);

/// VKO (RFC 7836, 4.3; RFC 4357, 5.2): the digest of the point m/q · UKM · d · Q. UKM is public; 0 counts as 1. False if it is
/// empty, longer than a number, or a multiple of q.
bool gost_vko(const gost_domain *domain, const uint8_t *number, const uint8_t *point, const uint8_t *ukm,
              size_t ukm_length, gost_hash_name hash, uint8_t *secret);

/// KEG (RFC 9189, 8.3.1): two keys of 32 octets of UKM of 32.
bool gost_keg(const gost_domain *domain, const uint8_t *number, const uint8_t *point, const uint8_t ukm[32],
              uint8_t keys[64]);

#endif
