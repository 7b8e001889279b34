/* SPDX-License-Identifier: Apache-2.0 */
/// The parameter sets of GOST R 34.10 and GOST 28147-89 that have an object identifier, and constants.
#ifndef GOST_PARAMETERS_H
#define GOST_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

#include "GOSTCurves.h"

/// The parameter sets of GOST R 34.10.
typedef enum GOST_CLOSED {
    gost_curve_test_2001,
    gost_curve_cryptopro_a,
    gost_curve_cryptopro_b,
    gost_curve_cryptopro_c,
    gost_curve_cryptopro_xch_a,
    gost_curve_cryptopro_xch_b,
    gost_curve_tc26_256_a,
    gost_curve_tc26_256_b,
    gost_curve_tc26_256_c,
    gost_curve_tc26_256_d,
    gost_curve_tc26_512_test,
    gost_curve_tc26_512_a,
    gost_curve_tc26_512_b,
    gost_curve_tc26_512_c,
} gost_curve_name;
enum { gost_curve_count = gost_curve_tc26_512_c + 1 };

/// A parameter set of GOST R 34.10.
typedef struct {
    /// Its name in its standard.
    const char *name;
    /// Its object identifier in DER, tag and length included.
    const uint8_t *oid;
    size_t oid_length;
    /// Sets that differ in the identifier alone have the same numbers, at one address.
    const gost_curve_numbers *numbers;
} gost_curve_set;

const gost_curve_set *gost_curve_set_at(gost_curve_name name);

/// The set with this identifier in DER; NULL if there is none.
const gost_curve_set *gost_curve_set_of(const uint8_t *oid, size_t length);

/// The algorithms of keys of GOST R 34.10 in X.509 and PKCS #8.
typedef enum GOST_CLOSED {
    /// id-GostR3410-2001 (RFC 4491, 2.3.2).
    gost_key_of_2001,
    /// id-tc26-gost3410-12-256 (RFC 9215, 4).
    gost_key_of_2012_256,
    /// id-tc26-gost3410-12-512 (RFC 9215, 4).
    gost_key_of_2012_512,
} gost_key_algorithm;

/// Whether readers accept a key with these parameters, which are object identifiers in DER, tag and length included.
///
/// A key of 2001 can be on the curves of 2001, a key of 2012 on all curves of its length. The hash function of a key
/// follows from its algorithm; so any GOST hash function may be named, as by BouncyCastle 1.72 that of 2001 with keys of
/// 2012 on its curves, or none (`hash_length` 0).
int gost_key_has_parameters(
    gost_key_algorithm algorithm, const uint8_t *curve, size_t curve_length, const uint8_t *hash, size_t hash_length);

/// The sets of substitution rows of GOST 28147-89.
typedef enum GOST_CLOSED {
    gost_sbox_test_28147,
    gost_sbox_cryptopro_a,
    gost_sbox_cryptopro_b,
    gost_sbox_cryptopro_c,
    gost_sbox_cryptopro_d,
    gost_sbox_tc26_z,
    gost_sbox_test_341194,
    gost_sbox_cryptopro_341194,
} gost_sbox_name;
enum { gost_sbox_count = gost_sbox_cryptopro_341194 + 1 };

/// Substitution rows of GOST 28147-89.
typedef struct {
    /// The name in its standard.
    const char *name;
    /// The object identifier in DER, tag and length included.
    const uint8_t *oid;
    size_t oid_length;
    /// Rows K1…K8: what each puts for 0, 1, …, 15; 128 octets.
    const uint8_t *rows;
} gost_sbox_set;

const gost_sbox_set *gost_sbox_set_at(gost_sbox_name name);

/// Finds the rows with this identifier in DER.
bool gost_sbox_named(const uint8_t *oid, size_t length, gost_sbox_name *name);

/// C_1…C_12 of GOST R 34.11-2012 (RFC 6986, 6.5), eight words each, the least significant first.
const uint64_t *gost_streebog_constants(void);

/// C_1…C_32 of Kuznyechik (RFC 7801, 4.3), sixteen octets each.
const uint8_t *gost_kuznyechik_constants(void);

#endif
