/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and signatures of GOST R 34.10 by the kernels. Numbers, coordinates and digests have the least significant byte
 * first, and the length of the curve's numbers; a signature is s and r, the most significant byte first.
 */
#ifndef KANAL_PROVIDER_CURVE_H
#define KANAL_PROVIDER_CURVE_H

#include "GOSTHashes.h"

enum { CURVE_LONGEST = 64, CURVE_NOISE = 64 };

/* Prepares the tables of a curve, once. False if there is no memory. */
bool curve_prepare(const gost_curve_set *set);

/* ---- curve.c: public values ---- */

/* Whether the coordinates belong to a point of order q. */
bool curve_has_point(const gost_curve_set *set, const unsigned char *point);
bool curve_verify(
    const gost_curve_set *set, const unsigned char *point, const unsigned char *digest, const unsigned char *signature);
/* The tables, for curve.c and private.c; NULL if there is no memory. */
const gost_curve *curve_of(const gost_curve_set *set);

/* ---- private.c: constant time in private keys, and nothing of them is left on the stack ---- */

/* Whether a number is above 0 and below q. */
bool private_is_number(const gost_curve_set *set, const unsigned char *number);
/* Makes such a number of noise, which is random; false if this noise yields none. */
bool private_generate(const gost_curve_set *set, const unsigned char noise[CURVE_NOISE], unsigned char *number);
/* The product of numbers modulo q, as masked keys have them; false if one of them is not above 0 and below q. */
bool private_unmask(const gost_curve_set *set, const unsigned char *factors, size_t count, unsigned char *number);
/* The point that belongs to a number. */
bool private_point(const gost_curve_set *set, const unsigned char *number, unsigned char *point);
/* RFC 7091, 6.1. The nonce depends on the noise, the key and the digest. */
bool private_sign(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *digest,
    const unsigned char noise[CURVE_NOISE], unsigned char *signature);
/* VKO (RFC 7836, 4.3; RFC 4357, 5.2), by this hash function. UKM is public; false if it is a multiple of q. */
bool private_agree(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *point, const unsigned char *ukm,
    size_t ukm_length, gost_hash_name kind, unsigned char *secret);
/* KEG (RFC 9189, 8.3.1): two keys of 32 bytes from UKM of 32. */
bool private_keg(
    const gost_curve_set *set, const unsigned char *number, const unsigned char *point, const unsigned char ukm[32],
    unsigned char keys[64]);

#endif
