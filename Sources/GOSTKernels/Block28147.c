// GOST 28147-89 (RFC 5830) and Magma (RFC 8891), many blocks at once: the halves N1 of a batch stand in one array, the
// halves N2 in another, and a vector takes one word of every block. A row of the S-box is a table of sixteen octets in a
// register, which a byte permutation looks up without memory.

#include "GOSTKernels.h"

#include <string.h>

/// How many blocks a batch has.
enum { batch = 64 };

typedef struct {
    _Alignas(64) uint32_t n1[batch];
    _Alignas(64) uint32_t n2[batch];
} blocks;

/// The round keys in the order of their use (RFC 5830, 5).
typedef struct {
    uint32_t words[32];
} schedule;

/// Enciphers the first `count` blocks of a batch.
typedef void core(const uint8_t *rows, const schedule *keys, blocks *b, size_t count);

#define INLINE static inline __attribute__((always_inline))

/// K1…K8 three times and K8…K1 once, or the other way round to decipher.
INLINE schedule make_schedule(const uint32_t *key, bool decrypt) {
    schedule keys;
    for (int i = 0; i < 32; i++) {
        bool ascends = decrypt ? i < 8 : i < 24;
        keys.words[i] = key[4 * (ascends ? i % 8 : 7 - i % 8)];
    }
    return keys;
}

INLINE uint64_t load(const uint8_t *from, gost_order order) {
    uint64_t number;
    memcpy(&number, from, 8);
    return order == gost_order_big ? __builtin_bswap64(number) : number;
}

INLINE void store(uint8_t *to, uint64_t number, gost_order order) {
    if (order == gost_order_big) number = __builtin_bswap64(number);
    memcpy(to, &number, 8);
}

/// The block's number after the last round, where the halves change places once more.
INLINE uint64_t result(const blocks *b, size_t i) {
    return (uint64_t)b->n1[i] << 32 | b->n2[i];
}

INLINE void add_gamma(const blocks *b, const uint8_t *input, uint8_t *output, size_t count, gost_order order) {
    for (size_t i = 0; i < count; i++) {
        uint8_t gamma[8];
        store(gamma, result(b, i), order);
        uint64_t text, sum;
        memcpy(&text, input + 8 * i, 8);
        memcpy(&sum, gamma, 8);
        sum ^= text;
        memcpy(output + 8 * i, &sum, 8);
    }
}

INLINE void wipe(blocks *b, schedule *keys) {
    explicit_bzero(b, sizeof *b);
    explicit_bzero(keys, sizeof *keys);
}

INLINE void transform(core *encrypt, const gost_28147 *cipher, bool decrypt, gost_order order, const uint8_t *input,
                      uint8_t *output, size_t count) {
    schedule keys = make_schedule(cipher->key, decrypt);
    blocks b = {0};
    for (size_t done = 0; done < count; done += batch) {
        size_t n = count - done < batch ? count - done : batch;
        for (size_t i = 0; i < n; i++) {
            uint64_t number = load(input + 8 * (done + i), order);
            b.n1[i] = (uint32_t)number;
            b.n2[i] = (uint32_t)(number >> 32);
        }
        encrypt(cipher->rows, &keys, &b, n);
        for (size_t i = 0; i < n; i++) store(output + 8 * (done + i), result(&b, i), order);
    }
    wipe(&b, &keys);
}

/// The sum modulo 2^32 − 1, of which 2^32 − 1 is the zero (RFC 5830, 6.1).
INLINE uint32_t add_modulo(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return sum + (sum < a);
}

INLINE void cnt(core *encrypt, const gost_28147 *cipher, gost_order order, uint64_t *counter, const uint8_t *input,
                uint8_t *output, size_t count) {
    schedule keys = make_schedule(cipher->key, false);
    blocks b = {0};
    uint32_t n3 = (uint32_t)*counter, n4 = (uint32_t)(*counter >> 32);
    uint32_t steps[batch];
    steps[0] = 0x01010104;
    for (size_t i = 1; i < batch; i++) steps[i] = add_modulo(steps[i - 1], 0x01010104);
    for (size_t done = 0; done < count; done += batch) {
        size_t n = count - done < batch ? count - done : batch;
        for (size_t i = 0; i < batch; i++) {
            b.n1[i] = n3 + (uint32_t)(i + 1) * 0x01010101;
            b.n2[i] = add_modulo(n4, steps[i]);
        }
        n3 = b.n1[n - 1];
        n4 = b.n2[n - 1];
        encrypt(cipher->rows, &keys, &b, n);
        add_gamma(&b, input + 8 * done, output + 8 * done, n, order);
    }
    *counter = (uint64_t)n4 << 32 | n3;
    wipe(&b, &keys);
}

INLINE void ctr(core *encrypt, const gost_28147 *cipher, gost_order order, gost_counter *counter, const uint8_t *input,
                uint8_t *output, size_t count) {
    schedule keys = make_schedule(cipher->key, false);
    blocks b = {0};
    uint32_t left = (uint32_t)counter->left, right = (uint32_t)counter->right;
    // All ones for what counts: the left half by the carry, by itself, or not.
    uint32_t carries = -(uint32_t)(counter->part == gost_part_whole);
    uint32_t left_counts = -(uint32_t)(counter->part == gost_part_left);
    for (size_t done = 0; done < count; done += batch) {
        uint32_t n = count - done < batch ? (uint32_t)(count - done) : batch;
        for (uint32_t i = 0; i < batch; i++) b.n1[i] = right + (i & ~left_counts);
        for (uint32_t i = 0; i < batch; i++) {
            b.n2[i] = left + (i & left_counts) + ((right & ~b.n1[i]) >> 31 & carries);
        }
        uint32_t next = right + (n & ~left_counts);
        left += (n & left_counts) + ((right & ~next) >> 31 & carries);
        right = next;
        encrypt(cipher->rows, &keys, &b, n);
        add_gamma(&b, input + 8 * done, output + 8 * done, n, order);
    }
    counter->left = left;
    counter->right = right;
    wipe(&b, &keys);
}

/// The kernels of one path: `encrypt` and the modes over it, compiled for the same instructions, one octet order at a
/// time so that the inner loops do not ask for it.
#define MODES(path, encrypt, attributes)                                                                               \
    attributes static void path##_transform(const gost_28147 *c, bool decrypt, const uint8_t *in, uint8_t *out,        \
                                            size_t count) {                                                            \
        if (c->order == gost_order_big) transform(encrypt, c, decrypt, gost_order_big, in, out, count);                \
        else transform(encrypt, c, decrypt, gost_order_little, in, out, count);                                        \
    }                                                                                                                  \
    attributes static void path##_cnt(const gost_28147 *c, uint64_t *n, const uint8_t *in, uint8_t *out,               \
                                      size_t count) {                                                                  \
        if (c->order == gost_order_big) cnt(encrypt, c, gost_order_big, n, in, out, count);                            \
        else cnt(encrypt, c, gost_order_little, n, in, out, count);                                                    \
    }                                                                                                                  \
    attributes static void path##_ctr(const gost_28147 *c, gost_counter *n, const uint8_t *in, uint8_t *out,               \
                                      size_t count) {                                                                  \
        if (c->order == gost_order_big) ctr(encrypt, c, gost_order_big, n, in, out, count);                            \
        else ctr(encrypt, c, gost_order_little, n, in, out, count);                                                    \
    }

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni"), min_vector_width(512)))

// AVX-512: octet j of a word has the rows 2j + 1 and 2j + 2. Four rows fill a register of 64 octets, and the two high
// bits of an index say which of them its octet takes.

typedef struct {
    __m512i low, high;
} rows512;

AVX512 INLINE rows512 load_rows512(const uint8_t *rows) {
    _Alignas(64) uint8_t low[64], high[64];
    for (int i = 0; i < 64; i++) {
        low[i] = rows[32 * (i / 16) + i % 16];
        high[i] = (uint8_t)(rows[32 * (i / 16) + 16 + i % 16] << 4);
    }
    return (rows512){_mm512_load_si512(low), _mm512_load_si512(high)};
}

/// The substitution of every digit and the rotation by eleven.
AVX512 INLINE __m512i substitute512(__m512i x, rows512 rows) {
    const __m512i digit = _mm512_set1_epi32(0x0F0F0F0F), place = _mm512_set1_epi32(0x30201000);
    enum { and_or = 0xEA }; // (a & b) | c
    __m512i low = _mm512_ternarylogic_epi32(x, digit, place, and_or);
    __m512i high = _mm512_ternarylogic_epi32(_mm512_srli_epi32(x, 4), digit, place, and_or);
    low = _mm512_permutexvar_epi8(low, rows.low);
    high = _mm512_permutexvar_epi8(high, rows.high);
    return _mm512_rol_epi32(_mm512_or_si512(low, high), 11);
}

/// Enciphers 16 blocks in each of `n` pairs of registers, which do not wait for each other.
AVX512 INLINE void rounds512(rows512 rows, const schedule *keys, blocks *b, int n) {
    __m512i n1[4], n2[4];
    for (int i = 0; i < n; i++) {
        n1[i] = _mm512_load_si512(b->n1 + 16 * i);
        n2[i] = _mm512_load_si512(b->n2 + 16 * i);
    }
    for (int round = 0; round < 32; round += 2) {
        __m512i first = _mm512_set1_epi32((int)keys->words[round]);
        __m512i second = _mm512_set1_epi32((int)keys->words[round + 1]);
        for (int i = 0; i < n; i++) {
            n2[i] = _mm512_xor_si512(n2[i], substitute512(_mm512_add_epi32(n1[i], first), rows));
        }
        for (int i = 0; i < n; i++) {
            n1[i] = _mm512_xor_si512(n1[i], substitute512(_mm512_add_epi32(n2[i], second), rows));
        }
    }
    for (int i = 0; i < n; i++) {
        _mm512_store_si512(b->n1 + 16 * i, n1[i]);
        _mm512_store_si512(b->n2 + 16 * i, n2[i]);
    }
}

AVX512 INLINE void encrypt512(const uint8_t *rows, const schedule *keys, blocks *b, size_t count) {
    rows512 r = load_rows512(rows);
    if (count <= 16) rounds512(r, keys, b, 1);
    else rounds512(r, keys, b, 4);
}

MODES(avx512, encrypt512, AVX512)

// AVX2: the permutation stays within 16 octets and has one row for them all. The octets of four registers are therefore
// sorted, so that register j has octet j of every word, and sorted back.

typedef struct {
    __m256i low[4], high[4];
} rows256;

/// Collects octet j of every word in the j-th quarter of each 16 octets; its own inverse.
AVX2 INLINE __m256i collect256(__m256i x) {
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(
                                      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
}

/// Quarter j of register i goes to quarter i of register j.
AVX2 INLINE void transpose256(__m256i x[4]) {
    __m256i a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpackhi_epi32(x[0], x[1]);
    __m256i c = _mm256_unpacklo_epi32(x[2], x[3]), d = _mm256_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm256_unpacklo_epi64(a, c);
    x[1] = _mm256_unpackhi_epi64(a, c);
    x[2] = _mm256_unpacklo_epi64(b, d);
    x[3] = _mm256_unpackhi_epi64(b, d);
}

/// One round of 32 blocks: adds the key to `from`, substitutes, rotates and adds to `to`.
AVX2 INLINE void round256(const rows256 *rows, uint32_t key, const __m256i from[4], __m256i to[4]) {
    const __m256i digit = _mm256_set1_epi8(0x0F), k = _mm256_set1_epi32((int)key);
    __m256i x[4];
    for (int i = 0; i < 4; i++) x[i] = collect256(_mm256_add_epi32(from[i], k));
    transpose256(x);
    for (int j = 0; j < 4; j++) {
        __m256i low = _mm256_and_si256(x[j], digit), high = _mm256_and_si256(_mm256_srli_epi32(x[j], 4), digit);
        x[j] = _mm256_xor_si256(_mm256_shuffle_epi8(rows->low[j], low), _mm256_shuffle_epi8(rows->high[j], high));
    }
    transpose256(x);
    for (int i = 0; i < 4; i++) {
        __m256i sum = collect256(x[i]);
        __m256i rotated = _mm256_or_si256(_mm256_slli_epi32(sum, 11), _mm256_srli_epi32(sum, 21));
        to[i] = _mm256_xor_si256(to[i], rotated);
    }
}

AVX2 INLINE void encrypt256(const uint8_t *rows, const schedule *keys, blocks *b, size_t count) {
    rows256 r;
    for (int j = 0; j < 4; j++) {
        __m128i low = _mm_loadu_si128((const __m128i *)(rows + 32 * j));
        __m128i high = _mm_slli_epi16(_mm_loadu_si128((const __m128i *)(rows + 32 * j + 16)), 4);
        r.low[j] = _mm256_broadcastsi128_si256(low);
        r.high[j] = _mm256_broadcastsi128_si256(high);
    }
    for (size_t start = 0; start < count; start += 32) {
        __m256i n1[4], n2[4];
        for (int i = 0; i < 4; i++) {
            n1[i] = _mm256_load_si256((const __m256i *)(b->n1 + start + 8 * i));
            n2[i] = _mm256_load_si256((const __m256i *)(b->n2 + start + 8 * i));
        }
        for (int round = 0; round < 32; round += 2) {
            round256(&r, keys->words[round], n1, n2);
            round256(&r, keys->words[round + 1], n2, n1);
        }
        for (int i = 0; i < 4; i++) {
            _mm256_store_si256((__m256i *)(b->n1 + start + 8 * i), n1[i]);
            _mm256_store_si256((__m256i *)(b->n2 + start + 8 * i), n2[i]);
        }
    }
}

MODES(avx2, encrypt256, AVX2)

#elif defined(__aarch64__)
#include <arm_neon.h>

// arm64: a table instruction takes 64 octets, so that four rows stand in four registers as on AVX-512.

INLINE uint32x4_t substitute_neon(uint32x4_t x, uint8x16x4_t low, uint8x16x4_t high) {
    const uint8x16_t place = vreinterpretq_u8_u32(vdupq_n_u32(0x30201000)), digit = vdupq_n_u8(0x0F);
    uint8x16_t octets = vreinterpretq_u8_u32(x);
    uint8x16_t l = vqtbl4q_u8(low, vorrq_u8(vandq_u8(octets, digit), place));
    uint8x16_t h = vqtbl4q_u8(high, vorrq_u8(vshrq_n_u8(octets, 4), place));
    uint32x4_t sum = vreinterpretq_u32_u8(vorrq_u8(l, h));
    return vsriq_n_u32(vshlq_n_u32(sum, 11), sum, 21);
}

INLINE void encrypt_neon(const uint8_t *rows, const schedule *keys, blocks *b, size_t count) {
    uint8x16x4_t low, high;
    for (int j = 0; j < 4; j++) {
        low.val[j] = vld1q_u8(rows + 32 * j);
        high.val[j] = vshlq_n_u8(vld1q_u8(rows + 32 * j + 16), 4);
    }
    for (size_t start = 0; start < count; start += 16) {
        uint32x4_t n1[4], n2[4];
        for (int i = 0; i < 4; i++) {
            n1[i] = vld1q_u32(b->n1 + start + 4 * i);
            n2[i] = vld1q_u32(b->n2 + start + 4 * i);
        }
        for (int round = 0; round < 32; round += 2) {
            uint32x4_t first = vdupq_n_u32(keys->words[round]), second = vdupq_n_u32(keys->words[round + 1]);
            for (int i = 0; i < 4; i++) n2[i] = veorq_u32(n2[i], substitute_neon(vaddq_u32(n1[i], first), low, high));
            for (int i = 0; i < 4; i++) n1[i] = veorq_u32(n1[i], substitute_neon(vaddq_u32(n2[i], second), low, high));
        }
        for (int i = 0; i < 4; i++) {
            vst1q_u32(b->n1 + start + 4 * i, n1[i]);
            vst1q_u32(b->n2 + start + 4 * i, n2[i]);
        }
    }
}

MODES(neon, encrypt_neon, )

#endif

/// Calls the kernel `name` of `path` and answers true, or answers false if there is none.
#if defined(__x86_64__)
#define DISPATCH(path, name, ...)                                                                                      \
    switch (path) {                                                                                                    \
    case gost_path_avx2: avx2_##name(__VA_ARGS__); return true;                                                        \
    case gost_path_avx512: avx512_##name(__VA_ARGS__); return true;                                                    \
    default: return false;                                                                                             \
    }
#elif defined(__aarch64__)
#define DISPATCH(path, name, ...)                                                                                      \
    if (path != gost_path_neon) return false;                                                                          \
    neon_##name(__VA_ARGS__);                                                                                          \
    return true;
#else
#define DISPATCH(path, name, ...) return false;
#endif

bool gost_28147_encrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, false, input, output, count)
}

bool gost_28147_decrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, true, input, output, count)
}

bool gost_28147_cnt(gost_path path, const gost_28147 *cipher, uint64_t *counter, const uint8_t *input, uint8_t *output,
                    size_t count) {
    DISPATCH(path, cnt, cipher, counter, input, output, count)
}

bool gost_28147_ctr(gost_path path, const gost_28147 *cipher, gost_counter *counter, const uint8_t *input,
                    uint8_t *output, size_t count) {
    DISPATCH(path, ctr, cipher, counter, input, output, count)
}
