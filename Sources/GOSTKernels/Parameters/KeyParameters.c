/* SPDX-License-Identifier: Apache-2.0 */
// The parameters of keys that readers accept, for the Swift one and OpenSSL's.

#include "GOSTParameters.h"

#include <string.h>

#define SET(...) {(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})}

// The parameter sets of the hash functions, all of RFC 4357, 11.3, and RFC 9215, 3.
static const struct {
    const uint8_t *oid;
    size_t length;
} hashes[] = {
    // id-GostR3411-94-TestParamSet, id-GostR3411-94-CryptoProParamSet
    SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x00),
    SET(0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01),
    // id-tc26-gost3411-12-256, id-tc26-gost3411-12-512
    SET(0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02),
    SET(0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03),
};

static int is_hash(const uint8_t *oid, size_t length) {
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (hashes[i].length == length && memcmp(hashes[i].oid, oid, length) == 0) return 1;
    return 0;
}

int gost_key_has_parameters(
    gost_key_algorithm algorithm, const uint8_t *curve, size_t curve_length, const uint8_t *hash, size_t hash_length) {
    // The arc of CryptoPro, 1.2.643.2.2.
    static const uint8_t of_2001[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02};
    const gost_curve_set *set = gost_curve_set_of(curve, curve_length);
    size_t size = algorithm == gost_key_of_2012_512 ? 64 : 32;

    if (!set || set->numbers->size != size || (hash_length != 0 && !is_hash(hash, hash_length))) return 0;
    return algorithm != gost_key_of_2001 || memcmp(set->oid, of_2001, sizeof of_2001) == 0;
}
