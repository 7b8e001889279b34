// The compression function of GOST R 34.11-2012 (RFC 6986, 8).

#include "GOSTKernels.h"

#if defined(__x86_64__)
#include "Products256.h"
#include "Substitution.h"
#include "Substitution256.h"

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni"), min_vector_width(512)))
#define INLINE static inline __attribute__((always_inline))

/// Multiplication by the elements of the matrix of L in GF(2^8), where t^8 + t^4 + t^3 + t^2 + 1 = 0, as matrices of
/// bits: what octet j of a row adds to octet k of its product is at [j][k].
_Alignas(64) static const uint64_t multiplications[8][8] = {
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

/// Adds a block to Σ modulo 2^512.
INLINE void add(uint64_t *sum, const uint8_t *block) {
    unsigned long long carry = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        sum[i] = __builtin_addcll(sum[i], word, carry, &carry);
    }
}

// AVX-512: a vector of 512 bits is one register. S is a look-up in four registers. L multiplies octet j of every row by
// eight elements at once, each in a word of its own: the product comes out with octet k of row i as octet i of word k.
// Vectors are kept in that order, which makes P part of how L picks octets.

typedef struct {
    __m512i table[4], column[8], multiplication[8];
} lps512;

AVX512 INLINE lps512 load_lps512(void) {
    lps512 t;
    for (int i = 0; i < 4; i++) t.table[i] = _mm512_load_si512(gost_pi + 64 * i);
    for (int j = 0; j < 8; j++) {
        // Octets j, 8 + j, …, 56 + j, once for every word.
        t.column[j] = _mm512_set1_epi64((long long)(0x3830282018100800 + 0x0101010101010101 * (uint64_t)j));
        t.multiplication[j] = _mm512_load_si512(multiplications[j]);
    }
    return t;
}

AVX512 INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

AVX512 INLINE __m512i lps(const lps512 *t, __m512i x) {
    __m512i low = _mm512_permutex2var_epi8(t->table[0], x, t->table[1]);
    __m512i high = _mm512_permutex2var_epi8(t->table[2], x, t->table[3]);
    x = _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
    __m512i p[8];
    for (int j = 0; j < 8; j++) {
        p[j] = _mm512_gf2p8affine_epi64_epi8(_mm512_permutexvar_epi8(t->column[j], x), t->multiplication[j], 0);
    }
    return xor3(xor3(p[0], p[1], p[2]), xor3(p[3], p[4], p[5]), _mm512_xor_si512(p[6], p[7]));
}

/// Exchanges octet k of row i and octet i of row k.
AVX512 INLINE __m512i transpose(__m512i x) {
    const __m512i order = _mm512_set_epi64(
        0x3F372F271F170F07, 0x3E362E261E160E06, 0x3D352D251D150D05, 0x3C342C241C140C04,
        0x3B332B231B130B03, 0x3A322A221A120A02, 0x3931292119110901, 0x3830282018100800);
    return _mm512_permutexvar_epi8(order, x);
}

/// g_N(h, m) = E(LPS(h + N), m) + h + m, all transposed.
AVX512 INLINE __m512i g512(const lps512 *t, __m512i hash, __m512i block, __m512i counter, const __m512i *constants) {
    __m512i key = lps(t, _mm512_xor_si512(hash, counter));
    __m512i state = block;
    for (int round = 0; round < 12; round++) {
        state = lps(t, _mm512_xor_si512(state, key));
        key = lps(t, _mm512_xor_si512(key, constants[round]));
    }
    return xor3(_mm512_xor_si512(state, key), hash, block);
}

AVX512 INLINE void load_constants(__m512i *to, const uint64_t *from) {
    for (int i = 0; i < 12; i++) to[i] = transpose(_mm512_loadu_si512(from + 8 * i));
}

AVX512 static void avx512_compress(uint64_t *hash, const uint64_t *block, uint64_t counter, const uint64_t *constants) {
    lps512 t = load_lps512();
    __m512i c[12];
    load_constants(c, constants);
    __m512i n = transpose(_mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)counter)));
    __m512i h = transpose(_mm512_loadu_si512(hash)), m = transpose(_mm512_loadu_si512(block));
    _mm512_storeu_si512(hash, transpose(g512(&t, h, m, n, c)));
}

AVX512 static void avx512_update(uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data, size_t count,
                                 const uint64_t *constants) {
    lps512 t = load_lps512();
    __m512i c[12];
    load_constants(c, constants);
    __m512i h = transpose(_mm512_loadu_si512(hash));
    for (size_t i = 0; i < count; i++) {
        __m512i n = transpose(_mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)*length)));
        h = g512(&t, h, transpose(_mm512_loadu_si512(data + 64 * i)), n, c);
        *length += 512;
        add(sum, data + 64 * i);
    }
    _mm512_storeu_si512(hash, transpose(h));
}

// AVX2: the enciphered vector and the round key, each in two registers, go through LPS together. A lane of the product
// has the octets of the one in its lower half and those of the other in its upper half, as one table serves both.

typedef struct {
    __m256i state[2], key[2];
} vectors256;

/// Octets j of all rows of both vectors times the elements of L for rows k and k + 4, added to `sum[k]`.
AVX2 INLINE void multiply256(__m256i sum[4], __m256i octets, int j, int half) {
    for (int k = 0; k < 4; k++) {
        __m256i products = _mm256_load_si256((const __m256i *)gost_products[j][half][k]);
        sum[k] = _mm256_xor_si256(sum[k], _mm256_shuffle_epi8(products, octets));
    }
}

/// Four rows of both vectors, `first` the number of the first, as the halves that π makes of them.
AVX2 INLINE void multiply_rows256(__m256i sum[4], __m256i state, __m256i key, int half, int first) {
    __m256i even = _mm256_unpacklo_epi64(state, key), odd = _mm256_unpackhi_epi64(state, key);
    multiply256(sum, _mm256_permute2x128_si256(even, even, 0x00), first, half);
    multiply256(sum, _mm256_permute2x128_si256(odd, odd, 0x00), first + 1, half);
    multiply256(sum, _mm256_permute2x128_si256(even, even, 0x11), first + 2, half);
    multiply256(sum, _mm256_permute2x128_si256(odd, odd, 0x11), first + 3, half);
}

AVX2 INLINE void lps256(vectors256 *v) {
    __m256i sum[4] = {0};
    for (int i = 0; i < 2; i++) {
        __m256i state[2], key[2];
        gost_halves256(v->state[i], &state[0], &state[1]);
        gost_halves256(v->key[i], &key[0], &key[1]);
        for (int half = 0; half < 2; half++) multiply_rows256(sum, state[half], key[half], half, 4 * i);
    }
    // P: octet i of row k becomes octet k of row i. The last step joins octets 0…3 and 4…7 of a row.
    const __m256i join = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i state01 = _mm256_unpacklo_epi8(sum[0], sum[1]), state23 = _mm256_unpacklo_epi8(sum[2], sum[3]);
    __m256i key01 = _mm256_unpackhi_epi8(sum[0], sum[1]), key23 = _mm256_unpackhi_epi8(sum[2], sum[3]);
    v->state[0] = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(state01, state23), join);
    v->state[1] = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(state01, state23), join);
    v->key[0] = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(key01, key23), join);
    v->key[1] = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(key01, key23), join);
}

AVX2 static void avx2_compress(uint64_t *hash, const void *block, uint64_t counter, const uint64_t *constants) {
    __m256i *h = (__m256i *)hash;
    const __m256i *c = (const __m256i *)constants, *m = block;
    // First the key alone.
    vectors256 v = {{0}, {_mm256_loadu_si256(h), _mm256_loadu_si256(h + 1)}};
    v.key[0] = _mm256_xor_si256(v.key[0], _mm256_set_epi64x(0, 0, 0, (long long)counter));
    lps256(&v);
    for (int i = 0; i < 2; i++) v.state[i] = _mm256_loadu_si256(m + i);
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 2; i++) {
            v.state[i] = _mm256_xor_si256(v.state[i], v.key[i]);
            v.key[i] = _mm256_xor_si256(v.key[i], _mm256_loadu_si256(c + 2 * round + i));
        }
        lps256(&v);
    }
    for (int i = 0; i < 2; i++) {
        __m256i sum = _mm256_xor_si256(_mm256_loadu_si256(h + i), _mm256_loadu_si256(m + i));
        sum = _mm256_xor_si256(sum, _mm256_xor_si256(v.state[i], v.key[i]));
        _mm256_storeu_si256(h + i, sum);
    }
}

static void avx2_update(uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data, size_t count,
                        const uint64_t *constants) {
    for (size_t i = 0; i < count; i++, data += 64) {
        avx2_compress(hash, data, *length, constants);
        *length += 512;
        add(sum, data);
    }
}

bool gost_streebog_compress(gost_path path, uint64_t *hash, const uint64_t *block, uint64_t counter,
                            const uint64_t *constants) {
    switch (path) {
    case gost_path_avx2: avx2_compress(hash, block, counter, constants); return true;
    case gost_path_avx512: avx512_compress(hash, block, counter, constants); return true;
    default: return false;
    }
}

bool gost_streebog_update(gost_path path, uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data,
                          size_t count, const uint64_t *constants) {
    switch (path) {
    case gost_path_avx2: avx2_update(hash, length, sum, data, count, constants); return true;
    case gost_path_avx512: avx512_update(hash, length, sum, data, count, constants); return true;
    default: return false;
    }
}

#else

bool gost_streebog_compress(gost_path path, uint64_t *hash, const uint64_t *block, uint64_t counter,
                            const uint64_t *constants) {
    (void)path, (void)hash, (void)block, (void)counter, (void)constants;
    return false;
}

bool gost_streebog_update(gost_path path, uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data,
                          size_t count, const uint64_t *constants) {
    (void)path, (void)hash, (void)length, (void)sum, (void)data, (void)count, (void)constants;
    return false;
}

#endif
