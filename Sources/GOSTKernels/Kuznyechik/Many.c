/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801), many blocks at once: octet m of every block stands in register m.

#include "GOSTKernels.h"

#if defined(__x86_64__)
#include "Few.h"
#include "../Substitution.h"
#include "../Substitution256.h"

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni"), min_vector_width(512)))
#define INLINE static inline __attribute__((always_inline))

/// How many blocks a batch has.
enum { batch256 = 32, batch512 = 64 };

/// From how many blocks on a batch takes less time than block after block, though it is not full.
enum { enough = 9 };

/// Writes `body` for every octet of a block. The indices have to be constants for the registers to be registers.
#define EACH(body)                                                                                                     \
    body(0) body(1) body(2) body(3) body(4) body(5) body(6) body(7)                                                    \
    body(8) body(9) body(10) body(11) body(12) body(13) body(14) body(15)

#define EACH_BACK(body)                                                                                                \
    body(15) body(14) body(13) body(12) body(11) body(10) body(9) body(8)                                              \
    body(7) body(6) body(5) body(4) body(3) body(2) body(1) body(0)

/// The octet `i` places after the one at `place` of the shift register of L, which is a ring.
#define AFTER(place, i) x[((place) + 1 + (i)) & 15]

// AVX-512: a look-up in four registers for S, a product with a matrix of bits for each coefficient of L.

AVX512 INLINE __m512i lookup512(const __m512i table[4], __m512i x) {
    __m512i low = _mm512_permutex2var_epi8(table[0], x, table[1]);
    __m512i high = _mm512_permutex2var_epi8(table[2], x, table[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}

AVX512 INLINE __m512i xor3(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/// Multiplies every octet by a constant of GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0, that is given as a matrix of bits.
AVX512 INLINE __m512i multiply512(__m512i x, uint64_t matrix) {
    return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)matrix), 0);
}

/// One step of the shift register (RFC 7801, 4.2), which adds to the octet at `place`. It undoes itself.
#define MIX512(place)                                                                                                  \
    {                                                                                                                  \
        __m512i by148 = multiply512(_mm512_xor_si512(AFTER(place, 0), AFTER(place, 14)), 0xC64A952A55AA92E3);          \
        __m512i by32 = multiply512(_mm512_xor_si512(AFTER(place, 1), AFTER(place, 13)), 0xD868D0A04081DA6C);           \
        __m512i by133 = multiply512(_mm512_xor_si512(AFTER(place, 2), AFTER(place, 12)), 0x77983162C48866BB);          \
        __m512i by16 = multiply512(_mm512_xor_si512(AFTER(place, 3), AFTER(place, 11)), 0xB0D0A0408102B4D8);           \
        __m512i by194 = multiply512(_mm512_xor_si512(AFTER(place, 4), AFTER(place, 10)), 0x5AEFDEBC78F0BB2D);          \
        __m512i by192 = multiply512(_mm512_xor_si512(AFTER(place, 5), AFTER(place, 9)), 0xDA6EDCB870E01BED);           \
        __m512i by251 = multiply512(AFTER(place, 7), 0x53F5EAD5AB57FDA9);                                              \
        __m512i by1 = xor3(AFTER(place, 6), AFTER(place, 8), x[place]);                                                \
        x[place] = xor3(xor3(by1, by32, by133), xor3(by16, by194, by192), _mm512_xor_si512(by251, by148));             \
    }

/// Exchanges rows and columns of 16 blocks in every quarter of the registers: four times a perfect shuffle of them all.
AVX512 INLINE void transpose512(__m512i x[16]) {
    for (int i = 0; i < 4; i++) {
        __m512i y[16];
#define SHUFFLE(m)                                                                                                     \
    y[m] = (m) % 2 == 0 ? _mm512_unpacklo_epi8(x[(m) / 2], x[(m) / 2 + 8])                                             \
                        : _mm512_unpackhi_epi8(x[(m) / 2], x[(m) / 2 + 8]);
        EACH(SHUFFLE)
#define COPY(m) x[m] = y[m];
        EACH(COPY)
    }
}

#define LOAD512(m) x[m] = _mm512_loadu_si512(blocks + 64 * (m));
#define STORE512(m) _mm512_storeu_si512(blocks + 64 * (m), x[m]);
#define ADD512(m) x[m] = _mm512_xor_si512(x[m], _mm512_set1_epi8((char)key[m]));
#define LOOKUP512(m) x[m] = lookup512(table, x[m]);

AVX512 static void encrypt512(const uint8_t *keys, uint8_t *blocks) {
    __m512i table[4], x[16];
    for (int i = 0; i < 4; i++) table[i] = _mm512_load_si512(gost_pi + 64 * i);
    EACH(LOAD512)
    transpose512(x);
    const uint8_t *key = keys;
    for (int round = 0; round < 9; round++, key += 16) {
        EACH(ADD512)
        EACH(LOOKUP512)
        EACH_BACK(MIX512)
    }
    EACH(ADD512)
    transpose512(x);
    EACH(STORE512)
}

AVX512 static void decrypt512(const uint8_t *keys, uint8_t *blocks) {
    __m512i table[4], x[16];
    for (int i = 0; i < 4; i++) table[i] = _mm512_load_si512(gost_pi_inverse + 64 * i);
    EACH(LOAD512)
    transpose512(x);
    const uint8_t *key = keys + 16 * 9;
    EACH(ADD512)
    for (int round = 0; round < 9; round++) {
        key -= 16;
        EACH(MIX512)
        EACH(LOOKUP512)
        EACH(ADD512)
    }
    transpose512(x);
    EACH(STORE512)
}

// AVX2: 32 blocks in sixteen registers, of which a part has to stand in memory.

/// Multiplies every octet by t in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
AVX2 INLINE __m256i times_t(__m256i x) {
    __m256i carries = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    return _mm256_xor_si256(_mm256_add_epi8(x, x), _mm256_and_si256(carries, _mm256_set1_epi8((char)0xC3)));
}

#define PAIR256(place, i) _mm256_xor_si256(AFTER(place, i), AFTER(place, 14 - (i)))

/// Multiplies every octet by 148, the lower and the upper digit by a look-up each.
AVX2 INLINE __m256i times_148(__m256i x) {
    static const gost_table low = GOST_TWICE(
        0x00, 0x94, 0xEB, 0x7F, 0x15, 0x81, 0xFE, 0x6A, 0x2A, 0xBE, 0xC1, 0x55, 0x3F, 0xAB, 0xD4, 0x40);
    static const gost_table high = GOST_TWICE(
        0x00, 0x54, 0xA8, 0xFC, 0x93, 0xC7, 0x3B, 0x6F, 0xE5, 0xB1, 0x4D, 0x19, 0x76, 0x22, 0xDE, 0x8A);
    const __m256i digit = _mm256_set1_epi8(0x0F);
    return gost_look_up256(&low, x & digit) ^ gost_look_up256(&high, _mm256_srli_epi32(x, 4) & digit);
}

/// One step of the shift register, by the bits of the coefficients 32, 133, 16, 194, 192, 1, 251, …, the highest first. It
/// undoes itself. The step before has just made an octet that is to be multiplied by 148, which therefore comes last and
/// takes the shorter way.
#define MIX256(place)                                                                                                  \
    {                                                                                                                  \
        __m256i by133 = PAIR256(place, 2), by194 = PAIR256(place, 4), by251 = AFTER(place, 7);                         \
        __m256i high = by194 ^ PAIR256(place, 5) ^ by251;                                                              \
        __m256i sum = times_t(by133 ^ high) ^ high;                                                                    \
        sum = times_t(sum) ^ PAIR256(place, 1) ^ by251;                                                                \
        sum = times_t(sum) ^ PAIR256(place, 3) ^ by251;                                                                \
        sum = times_t(sum) ^ by251;                                                                                    \
        sum = times_t(sum) ^ by133;                                                                                    \
        sum = times_t(sum) ^ by194 ^ by251;                                                                            \
        sum = times_t(sum) ^ by133 ^ PAIR256(place, 6) ^ by251 ^ x[place];                                             \
        x[place] = sum ^ times_148(PAIR256(place, 0));                                                                 \
    }

AVX2 INLINE void transpose256(__m256i x[16]) {
    for (int i = 0; i < 4; i++) {
        __m256i y[16];
#define SHUFFLE256(m)                                                                                                  \
    y[m] = (m) % 2 == 0 ? _mm256_unpacklo_epi8(x[(m) / 2], x[(m) / 2 + 8])                                             \
                        : _mm256_unpackhi_epi8(x[(m) / 2], x[(m) / 2 + 8]);
        EACH(SHUFFLE256)
        EACH(COPY)
    }
}

#define LOAD256(m) x[m] = _mm256_loadu_si256((const __m256i *)(blocks + 32 * (m)));
#define STORE256(m) _mm256_storeu_si256((__m256i *)(blocks + 32 * (m)), x[m]);
#define ADD256(m) x[m] ^= _mm256_set1_epi8((char)key[m]);
#define SUBSTITUTE256(m) x[m] = gost_substitute256(x[m]);

AVX2 static void encrypt256(const uint8_t *keys, uint8_t *blocks) {
    __m256i x[16];
    EACH(LOAD256)
    transpose256(x);
    const uint8_t *key = keys;
    for (int round = 0; round < 9; round++, key += 16) {
        EACH(ADD256)
        EACH(SUBSTITUTE256)
        EACH_BACK(MIX256)
    }
    EACH(ADD256)
    transpose256(x);
    EACH(STORE256)
}

// What is the same for both.

/// A way to encipher or decipher, with its set of instructions.
typedef struct {
    gost_path path;
    /// The blocks of a batch, and how many make it worth while.
    size_t batch, enough;
    /// Enciphers or deciphers one batch in place.
    void (*core)(const uint8_t *keys, uint8_t *blocks);
} way;

/// Enciphers or deciphers at most a batch. There is room in `blocks` for a whole one.
static void transform_in_place(const way *way, const uint8_t *keys, uint8_t *blocks, size_t count) {
    if (count >= way->enough) way->core(keys, blocks);
    else gost_kuznyechik_few(way->path, keys, blocks, blocks, count);
}

static void transform(const way *way, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    size_t batch_size = 16 * way->batch;
    for (; count >= way->batch; count -= way->batch, input += batch_size, output += batch_size) {
        memmove(output, input, batch_size);
        way->core(keys, output);
    }
    if (count == 0) return;
    _Alignas(64) uint8_t blocks[16 * batch512] = {0};
    memcpy(blocks, input, 16 * count);
    transform_in_place(way, keys, blocks, count);
    memcpy(output, blocks, 16 * count);
    explicit_bzero(blocks, sizeof blocks);
}

/// The counter after `n` more, `n` less than 2^63. A carry is added, not asked for.
INLINE gost_counter advanced(gost_counter counter, uint64_t n) {
    uint64_t left_counts = -(uint64_t)(counter.part == gost_part_left);
    uint64_t carries = counter.part == gost_part_whole;
    uint64_t right = counter.right + (n & ~left_counts);
    uint64_t left = counter.left + (n & left_counts) + ((counter.right & ~right) >> 63 & carries);
    return (gost_counter){left, right, counter.part};
}

/// Counter mode. Compiled into functions of each set, for the counters and the sums to use its instructions.
INLINE void ctr(const way *way, const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output,
                size_t count) {
    _Alignas(64) uint8_t gamma[16 * batch512];
    while (count > 0) {
        size_t n = count < way->batch ? count : way->batch;
        for (size_t i = 0; i < way->batch; i++) {
            gost_counter c = advanced(*counter, i);
            uint64_t words[2] = {__builtin_bswap64(c.left), __builtin_bswap64(c.right)};
            memcpy(gamma + 16 * i, words, 16);
        }
        transform_in_place(way, keys, gamma, n);
        for (size_t i = 0; i < 16 * n; i += 16) {
            __m128i text = _mm_loadu_si128((const __m128i *)(input + i));
            _mm_storeu_si128((__m128i *)(output + i), text ^ _mm_load_si128((const __m128i *)(gamma + i)));
        }
        *counter = advanced(*counter, n);
        count -= n, input += 16 * n, output += 16 * n;
    }
    explicit_bzero(gamma, sizeof gamma);
}

static const way encryption256 = {gost_path_avx2, batch256, enough, encrypt256};
static const way encryption512 = {gost_path_avx512, batch512, enough, encrypt512};
static const way decryption512 = {gost_path_avx512, batch512, 1, decrypt512};

AVX2 static void ctr256(const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output,
                        size_t count) {
    ctr(&encryption256, keys, counter, input, output, count);
}

AVX512 static void ctr512(const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output,
                          size_t count) {
    ctr(&encryption512, keys, counter, input, output, count);
}

bool gost_kuznyechik_encrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    if (path != gost_path_avx2 && path != gost_path_avx512) return false;
    transform(path == gost_path_avx512 ? &encryption512 : &encryption256, keys, input, output, count);
    return true;
}

bool gost_kuznyechik_decrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    if (path != gost_path_avx512) return false;
    transform(&decryption512, keys, input, output, count);
    return true;
}

bool gost_kuznyechik_ctr(gost_path path, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                         uint8_t *output, size_t count) {
    if (path != gost_path_avx2 && path != gost_path_avx512) return false;
    (path == gost_path_avx512 ? ctr512 : ctr256)(keys, counter, input, output, count);
    return true;
}

#else

bool gost_kuznyechik_encrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    (void)path, (void)keys, (void)input, (void)output, (void)count;
    return false;
}

bool gost_kuznyechik_decrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    (void)path, (void)keys, (void)input, (void)output, (void)count;
    return false;
}

bool gost_kuznyechik_ctr(gost_path path, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                         uint8_t *output, size_t count) {
    (void)path, (void)keys, (void)counter, (void)input, (void)output, (void)count;
    return false;
}

#endif
