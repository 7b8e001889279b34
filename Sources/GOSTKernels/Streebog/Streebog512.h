/* SPDX-License-Identifier: Apache-2.0 */
// The compression function of GOST R 34.11-2012 (RFC 6986, 8) with AVX-512.
//
// A vector of 512 bits is one register. S is a look-up in four registers. L multiplies byte j of every row by eight
// elements at once, each in a word of its own: the product comes out with byte k of row i as byte i of word k. Vectors
// are kept in that order, which makes P part of how L picks bytes.
#ifndef GOST_STREEBOG_512_H
#define GOST_STREEBOG_512_H

#include <immintrin.h>

#include "../Path.h"
#include "../Substitution.h"

/// Multiplication by the elements of the matrix of L in GF(2^8), where t^8 + t^4 + t^3 + t^2 + 1 = 0, as matrices of
/// bits: what byte j of a row adds to byte k of its product is at [j][k].
_Alignas(64) static const uint64_t multiplications512[8][8] = {
    {0x63C7ECBA162C58B1, 0xAE5C1682AA55AB57, 0x0205091120408001, 0x29538E3542850A14,
     0x65CBF28166CC9932, 0x9932FC6059B366CC, 0x70E0B11357AE5CB8, 0x0C183D76E0C18306},
    {0x3060F0D193264C98, 0x56AC0F49C58A152B, 0xFFFE03F80F1F3F7F, 0x122559A151A24489,
     0x254BB343A2448912, 0x050B132240800102, 0x43874CDBF4E8D0A1, 0x2A54832C72E5CA95},
    {0xA85008B9DAB56AD4, 0x9D3BEB4A0913274E, 0x18317AECC183060C, 0x428548D3E4C89021,
     0x172E4A831122458B, 0x2245A970C2840811, 0x3D7AC9AF63C78F1E, 0x9F3EE25B2953A74F},
    {0x122559A151A24489, 0x4A94628F54A952A5, 0x102050B071E2C488, 0x3060F0D193264C98,
     0x0D1A397EF0E1C386, 0x82048B95A850A041, 0xC081C3464C983060, 0x75EBA231172E5DBA},
    {0xB8705809AB57AE5C, 0x274EBA5282040913, 0x73E7BC0A67CE9C39, 0xDAB5B0BBAD5BB66D,
     0x82048B95A850A041, 0x0D1A397EF0E1C386, 0x8912ACD02851A244, 0x8103868C983060C0},
    {0xD4A884DC6DDAB56A, 0xC386CE5F7CF8F0E1, 0x428548D3E4C89021, 0x18317AECC183060C,
     0x4B96668744891225, 0x9224DB25D9B264C9, 0x468C5FF9B468D1A3, 0x0A14234D90214285},
    {0x0205091120408001, 0xD2A49AE71D3A74E9, 0x63C7ECBA162C58B1, 0xB06172551B366CD8,
     0x0102040810204080, 0xE1C3672FBE7CF8F0, 0xBA7551188B172E5D, 0x0409172A50A04182},
    {0x0C183D76E0C18306, 0x2347AD78D2A44891, 0x0409172A50A04182, 0xFAF510DA4F9F3E7D,
     0xC183C74E5CB870E0, 0x43874CDBF4E8D0A1, 0x050B132240800102, 0x63C7ECBA162C58B1},
};

/// A vector of 512 bits: byte k of row i as byte i of word k.
typedef __m512i vector512;

typedef struct {
    __m512i table[4], column[8], multiplication[8];
    vector512 constants[12];
} tables512;

AVX512 INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

AVX512 INLINE vector512 lps512(const tables512 *t, vector512 x) {
    __m512i low = _mm512_permutex2var_epi8(t->table[0], x, t->table[1]);
    __m512i high = _mm512_permutex2var_epi8(t->table[2], x, t->table[3]);
    x = _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
    __m512i p[8];
    for (int j = 0; j < 8; j++) {
        p[j] = _mm512_gf2p8affine_epi64_epi8(_mm512_permutexvar_epi8(t->column[j], x), t->multiplication[j], 0);
    }
    return xor3(xor3(p[0], p[1], p[2]), xor3(p[3], p[4], p[5]), _mm512_xor_si512(p[6], p[7]));
}

/// Exchanges byte k of row i and byte i of row k.
AVX512 INLINE vector512 transpose512(__m512i x) {
    const __m512i order = _mm512_set_epi64(
        0x3F372F271F170F07, 0x3E362E261E160E06, 0x3D352D251D150D05, 0x3C342C241C140C04,
        0x3B332B231B130B03, 0x3A322A221A120A02, 0x3931292119110901, 0x3830282018100800);
    return _mm512_permutexvar_epi8(order, x);
}

AVX512 INLINE vector512 load512(const void *from) { return transpose512(_mm512_loadu_si512(from)); }
AVX512 INLINE void store512(void *to, vector512 x) { _mm512_storeu_si512(to, transpose512(x)); }

AVX512 INLINE tables512 prepare512(const uint64_t *constants) {
    tables512 t;
    for (int i = 0; i < 4; i++) t.table[i] = _mm512_load_si512(gost_pi + 64 * i);
    for (int j = 0; j < 8; j++) {
        // Bytes j, 8 + j, …, 56 + j, once for every word.
        t.column[j] = _mm512_set1_epi64((long long)(0x3830282018100800 + 0x0101010101010101 * (uint64_t)j));
        t.multiplication[j] = _mm512_load_si512(multiplications512[j]);
    }
    for (int i = 0; i < 12; i++) t.constants[i] = load512(constants + 8 * i);
    return t;
}

/// g_N(h, m) = E(LPS(h + N), m) + h + m.
AVX512 INLINE vector512 compress512(const tables512 *t, vector512 hash, const void *message, uint64_t counter) {
    vector512 block = load512(message);
    vector512 n = transpose512(_mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)counter)));
    vector512 key = lps512(t, _mm512_xor_si512(hash, n)), state = block;
    for (int round = 0; round < 12; round++) {
        state = lps512(t, _mm512_xor_si512(state, key));
        key = lps512(t, _mm512_xor_si512(key, t->constants[round]));
    }
    return xor3(_mm512_xor_si512(state, key), hash, block);
}

#endif
