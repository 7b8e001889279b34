/* SPDX-License-Identifier: Apache-2.0 */
// The parameter sets that have an object identifier. Some share their numbers and differ in the identifier alone.

#include "GOSTParameters.h"

#include "Numbers.h"

#include <string.h>

const uint8_t gost_zero[64] = {0};

#define SET(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const gost_curve_set curve_sets[gost_curve_count] = {
    // For the example of GOST R 34.10-2001 only (RFC 4357, 11.4).
    [gost_curve_test_2001] = {
        "id-GostR3410-2001-TestParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x00),
        &gost_numbers_test_2001},
    // RFC 4357, 11.4.
    [gost_curve_cryptopro_a] = {
        "id-GostR3410-2001-CryptoPro-A-ParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01),
        &gost_numbers_cryptopro_a},
    // RFC 4357, 11.4.
    [gost_curve_cryptopro_b] = {
        "id-GostR3410-2001-CryptoPro-B-ParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x02),
        &gost_numbers_cryptopro_b},
    // RFC 4357, 11.4.
    [gost_curve_cryptopro_c] = {
        "id-GostR3410-2001-CryptoPro-C-ParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x03),
        &gost_numbers_cryptopro_c},
    // For key agreement; the numbers of gost_curve_cryptopro_a (RFC 4357, 11.4).
    [gost_curve_cryptopro_xch_a] = {
        "id-GostR3410-2001-CryptoPro-XchA-ParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x24, 0x00),
        &gost_numbers_cryptopro_a},
    // For key agreement; the numbers of gost_curve_cryptopro_c (RFC 4357, 11.4).
    [gost_curve_cryptopro_xch_b] = {
        "id-GostR3410-2001-CryptoPro-XchB-ParamSet",
        SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x24, 0x01),
        &gost_numbers_cryptopro_c},
    // RFC 7836, A.2. Cofactor 4.
    [gost_curve_tc26_256_a] = {
        "id-tc26-gost-3410-2012-256-paramSetA",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x01),
        &gost_numbers_tc26_256_a},
    // The numbers of gost_curve_cryptopro_a (RFC 9215).
    [gost_curve_tc26_256_b] = {
        "id-tc26-gost-3410-2012-256-paramSetB",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x02),
        &gost_numbers_cryptopro_a},
    // The numbers of gost_curve_cryptopro_b (RFC 9215).
    [gost_curve_tc26_256_c] = {
        "id-tc26-gost-3410-2012-256-paramSetC",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x03),
        &gost_numbers_cryptopro_b},
    // The numbers of gost_curve_cryptopro_c (RFC 9215).
    [gost_curve_tc26_256_d] = {
        "id-tc26-gost-3410-2012-256-paramSetD",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x04),
        &gost_numbers_cryptopro_c},
    // For the example of GOST R 34.10-2012 only (RFC 9215, E).
    [gost_curve_tc26_512_test] = {
        "id-tc26-gost-3410-2012-512-paramSetTest",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x00),
        &gost_numbers_tc26_512_test},
    // RFC 7836, A.1.
    [gost_curve_tc26_512_a] = {
        "id-tc26-gost-3410-2012-512-paramSetA",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x01),
        &gost_numbers_tc26_512_a},
    // RFC 7836, A.1.
    [gost_curve_tc26_512_b] = {
        "id-tc26-gost-3410-2012-512-paramSetB",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x02),
        &gost_numbers_tc26_512_b},
    // RFC 7836, A.2. Cofactor 4.
    [gost_curve_tc26_512_c] = {
        "id-tc26-gost-3410-2012-512-paramSetC",
        SET(0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x03),
        &gost_numbers_tc26_512_c},
};

const gost_curve_set *gost_curve_set_at(gost_curve_name name) { return &curve_sets[name]; }

const gost_curve_set *gost_curve_set_of(const uint8_t *oid, size_t length) {
    for (size_t i = 0; i < gost_curve_count; i++)
        if (curve_sets[i].oid_length == length && memcmp(curve_sets[i].oid, oid, length) == 0) return &curve_sets[i];
    return NULL;
}
