/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <string.h>

// GOST 28147-89 (RFC 5830).

static uint32_t substituted(const uint8_t rows[128], uint32_t x) {
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++) sum |= (uint32_t)rows[16 * i + (x >> 4 * i & 15)] << 4 * i;
    return sum << 11 | sum >> 21;
}

static void magma_round(const struct magma *cipher, uint32_t key, uint32_t *n1, uint32_t *n2) {
    uint32_t sum = *n2 ^ substituted(cipher->rows, *n1 + key);
    *n2 = *n1;
    *n1 = sum;
}

/// The key's words three times and then backwards, or the other way round.
static uint64_t magma_transform(const struct magma *cipher, uint64_t block, bool decrypt) {
    uint32_t n1 = (uint32_t)block, n2 = (uint32_t)(block >> 32);
    for (int i = 0; i < 32; i++) {
        bool forward = decrypt ? i < 8 : i < 24;
        magma_round(cipher, cipher->key[forward ? i % 8 : 7 - i % 8], &n1, &n2);
    }
    return (uint64_t)n1 << 32 | n2;
}

uint64_t magma_encrypt(const struct magma *cipher, uint64_t block) { return magma_transform(cipher, block, false); }
uint64_t magma_decrypt(const struct magma *cipher, uint64_t block) { return magma_transform(cipher, block, true); }

uint64_t magma_imit(const struct magma *cipher, uint64_t block) {
    uint32_t n1 = (uint32_t)block, n2 = (uint32_t)(block >> 32);
    for (int i = 0; i < 16; i++) magma_round(cipher, cipher->key[i % 8], &n1, &n2);
    return (uint64_t)n2 << 32 | n1;
}

uint64_t next_cnt(uint64_t counter) {
    uint32_t n3 = (uint32_t)counter + 0x01010101;
    uint64_t n4 = (counter >> 32) + 0x01010104;
    if (n4 >> 32) n4 = (uint32_t)(n4 + 1);
    return n4 << 32 | n3;
}

void magma_mesh(struct magma *cipher, uint64_t *counter) {
    static const uint64_t constant[4] = {
        0x2304C96422720069, 0xC42AE94696DB3A8D, 0x1207ED0094ACFE18, 0x2BA94CEFC2DC86C0};
    uint32_t key[8];
    for (int i = 0; i < 4; i++) {
        uint64_t part = magma_decrypt(cipher, constant[i]);
        key[2 * i] = (uint32_t)part;
        key[2 * i + 1] = (uint32_t)(part >> 32);
    }
    memcpy(cipher->key, key, sizeof key);
    *counter = magma_encrypt(cipher, *counter);
}

// GOST R 34.11-94 (RFC 5831).

/// A(y4 ‖ y3 ‖ y2 ‖ y1) = (y1 + y2) ‖ y4 ‖ y3 ‖ y2.
static void transform_a(uint8_t y[32]) {
    uint8_t first[8];
    for (int i = 0; i < 8; i++) first[i] = y[i] ^ y[8 + i];
    memmove(y, y + 8, 24);
    memcpy(y + 24, first, 8);
}

/// P: byte i + 4 * k of the result is byte 8 * i + k.
static void transform_p(const uint8_t w[32], uint32_t key[8]) {
    for (int k = 0; k < 8; k++) {
        key[k] = 0;
        for (int i = 0; i < 4; i++) key[k] |= (uint32_t)w[8 * i + k] << 8 * i;
    }
}

/// ψ, once for each of `times`.
static void transform_psi(uint8_t y[32], int times) {
    for (int i = 0; i < times; i++) {
        uint8_t sum[2];
        for (int j = 0; j < 2; j++) sum[j] = y[j] ^ y[2 + j] ^ y[4 + j] ^ y[6 + j] ^ y[24 + j] ^ y[30 + j];
        memmove(y, y + 2, 30);
        memcpy(y + 30, sum, 2);
    }
}

static void sum(uint8_t *to, const uint8_t *other, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] ^= other[i];
}

void hash94(const uint8_t rows[128], uint8_t hash[32], const uint8_t block[32]) {
    static const uint8_t c3[32] = {
        0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF, 0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00,
        0x00, 0xFF, 0xFF, 0x00, 0xFF, 0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0x00, 0xFF};
    uint8_t u[32], v[32], s[32];
    memcpy(u, hash, 32);
    memcpy(v, block, 32);
    for (int i = 0; i < 4; i++) {
        if (i > 0) {
            transform_a(u);
            if (i == 2) sum(u, c3, 32);
            transform_a(v);
            transform_a(v);
        }
        struct magma cipher;
        uint8_t w[32];
        memcpy(cipher.rows, rows, 128);
        memcpy(w, u, 32);
        sum(w, v, 32);
        transform_p(w, cipher.key);
        uint64_t part;
        memcpy(&part, hash + 8 * i, 8);
        part = magma_encrypt(&cipher, part);
        memcpy(s + 8 * i, &part, 8);
    }
    transform_psi(s, 12);
    sum(s, block, 32);
    transform_psi(s, 1);
    sum(s, hash, 32);
    transform_psi(s, 61);
    memcpy(hash, s, 32);
}

// The substitution of RFC 6986, 6.2 and RFC 7801, 4.1.1.

static const uint8_t pi[256] = {
    252, 238, 221, 17,  207, 110, 49,  22,  251, 196, 250, 218, 35,  197, 4,   77,  233, 119, 240, 219, 147, 46,
    153, 186, 23,  54,  241, 187, 20,  205, 95,  193, 249, 24,  101, 90,  226, 92,  239, 33,  129, 28,  60,  66,
    139, 1,   142, 79,  5,   132, 2,   174, 227, 106, 143, 160, 6,   11,  237, 152, 127, 212, 211, 31,  235, 52,
    44,  81,  234, 200, 72,  171, 242, 42,  104, 162, 253, 58,  206, 204, 181, 112, 14,  86,  8,   12,  118, 18,
    191, 114, 19,  71,  156, 183, 93,  135, 21,  161, 150, 41,  16,  123, 154, 199, 243, 145, 120, 111, 157, 158,
    178, 177, 50,  117, 25,  61,  255, 53,  138, 126, 109, 84,  198, 128, 195, 189, 13,  87,  223, 245, 36,  169,
    62,  168, 67,  201, 215, 121, 214, 246, 124, 34,  185, 3,   224, 15,  236, 222, 122, 148, 176, 188, 220, 232,
    40,  80,  78,  51,  10,  74,  167, 151, 96,  115, 30,  0,   98,  68,  26,  184, 56,  130, 100, 159, 38,  65,
    173, 69,  70,  146, 39,  94,  85,  47,  140, 163, 165, 125, 105, 213, 149, 59,  7,   88,  179, 64,  134, 172,
    29,  247, 48,  55,  107, 228, 136, 217, 231, 137, 225, 27,  131, 73,  76,  63,  248, 254, 141, 83,  170, 144,
    202, 216, 133, 97,  32,  113, 103, 164, 45,  43,  9,   91,  203, 155, 37,  208, 190, 229, 108, 82,  89,  166,
    116, 210, 230, 244, 180, 192, 209, 102, 175, 194, 57,  75,  99,  182,
};

// Kuznyechik (RFC 7801).

/// The product in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
static uint8_t product(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (; b; b >>= 1, a = (uint8_t)(a << 1 ^ (a >> 7) * 0xC3)) {
        if (b & 1) product ^= a;
    }
    return product;
}

/// The sum of all bytes times their coefficients, a_15 first. The products are kept.
static uint8_t linear(const uint8_t a[16]) {
    static const uint8_t factors[16] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};
    static uint8_t products[16][256];
    if (products[15][1] == 0) {
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < 256; j++) products[i][j] = product((uint8_t)j, factors[i]);
        }
    }
    uint8_t sum = 0;
    for (int i = 0; i < 16; i++) sum ^= products[i][a[i]];
    return sum;
}

static void transform_l(uint8_t a[16]) {
    for (int i = 0; i < 16; i++) {
        uint8_t first = linear(a);
        memmove(a + 1, a, 15);
        a[0] = first;
    }
}

static void transform_l_back(uint8_t a[16]) {
    for (int i = 0; i < 16; i++) {
        uint8_t first = a[0];
        memmove(a, a + 1, 15);
        a[15] = first;
        a[15] = linear(a);
    }
}

static void transform_s(uint8_t *a, size_t size) {
    for (size_t i = 0; i < size; i++) a[i] = pi[a[i]];
}

void kuznyechik_constants(uint8_t constants[32][16]) {
    memset(constants, 0, 32 * 16);
    for (int i = 0; i < 32; i++) {
        constants[i][15] = (uint8_t)(i + 1);
        transform_l(constants[i]);
    }
}

void kuznyechik_schedule(uint8_t keys[10][16]) {
    uint8_t constants[32][16], left[16], right[16];
    kuznyechik_constants(constants);
    memcpy(left, keys[0], 16);
    memcpy(right, keys[1], 16);
    for (int i = 0; i < 32; i++) {
        uint8_t image[16];
        memcpy(image, left, 16);
        sum(image, constants[i], 16);
        transform_s(image, 16);
        transform_l(image);
        sum(image, right, 16);
        memcpy(right, left, 16);
        memcpy(left, image, 16);
        if (i % 8 == 7) {
            memcpy(keys[i / 4 + 1], left, 16);
            memcpy(keys[i / 4 + 2], right, 16);
        }
    }
}

void kuznyechik_encrypt(const uint8_t keys[10][16], uint8_t block[16]) {
    for (int i = 0; i < 9; i++) {
        sum(block, keys[i], 16);
        transform_s(block, 16);
        transform_l(block);
    }
    sum(block, keys[9], 16);
}

void kuznyechik_decrypt(const uint8_t keys[10][16], uint8_t block[16]) {
    uint8_t inverse[256];
    for (int i = 0; i < 256; i++) inverse[pi[i]] = (uint8_t)i;
    sum(block, keys[9], 16);
    for (int i = 8; i >= 0; i--) {
        transform_l_back(block);
        for (int j = 0; j < 16; j++) block[j] = inverse[block[j]];
        sum(block, keys[i], 16);
    }
}

// GOST R 34.11-2012 (RFC 6986).

/// The rows of the matrix A (RFC 6986, 6.4).
static const uint64_t matrix[64] = {
    0x8e20faa72ba0b470, 0x47107ddd9b505a38, 0xad08b0e0c3282d1c, 0xd8045870ef14980e, 0x6c022c38f90a4c07,
    0x3601161cf205268d, 0x1b8e0b0e798c13c8, 0x83478b07b2468764, 0xa011d380818e8f40, 0x5086e740ce47c920,
    0x2843fd2067adea10, 0x14aff010bdd87508, 0x0ad97808d06cb404, 0x05e23c0468365a02, 0x8c711e02341b2d01,
    0x46b60f011a83988e, 0x90dab52a387ae76f, 0x486dd4151c3dfdb9, 0x24b86a840e90f0d2, 0x125c354207487869,
    0x092e94218d243cba, 0x8a174a9ec8121e5d, 0x4585254f64090fa0, 0xaccc9ca9328a8950, 0x9d4df05d5f661451,
    0xc0a878a0a1330aa6, 0x60543c50de970553, 0x302a1e286fc58ca7, 0x18150f14b9ec46dd, 0x0c84890ad27623e0,
    0x0642ca05693b9f70, 0x0321658cba93c138, 0x86275df09ce8aaa8, 0x439da0784e745554, 0xafc0503c273aa42a,
    0xd960281e9d1d5215, 0xe230140fc0802984, 0x71180a8960409a42, 0xb60c05ca30204d21, 0x5b068c651810a89e,
    0x456c34887a3805b9, 0xac361a443d1c8cd2, 0x561b0d22900e4669, 0x2b838811480723ba, 0x9bcf4486248d9f5d,
    0xc3e9224312c8c1a0, 0xeffa11af0964ee50, 0xf97d86d98a327728, 0xe4fa2054a80b329c, 0x727d102a548b194e,
    0x39b008152acb8227, 0x9258048415eb419d, 0x492c024284fbaec0, 0xaa16012142f35760, 0x550b8e9e21f7a530,
    0xa48b474f9ef5dc18, 0x70a6a56e2440598e, 0x3853dc371220a247, 0x1ca76e95091051ad, 0x0edd37c48a08a6d8,
    0x07e095624504536c, 0x8d70c431ac02a736, 0xc83862965601dd1b, 0x641c314b2b8ee083,
};

static void transform_lps(uint8_t a[64]) {
    uint8_t b[64];
    transform_s(a, 64);
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) b[8 * i + j] = a[8 * j + i];
    }
    for (int i = 0; i < 8; i++) {
        uint64_t word, image = 0;
        memcpy(&word, b + 8 * i, 8);
        for (int j = 0; j < 64; j++) {
            if (word >> (63 - j) & 1) image ^= matrix[j];
        }
        memcpy(a + 8 * i, &image, 8);
    }
}

void streebog(uint8_t hash[64], const uint8_t counter[64], const uint8_t block[64], const uint8_t constants[12][64]) {
    uint8_t key[64], state[64];
    memcpy(key, hash, 64);
    sum(key, counter, 64);
    transform_lps(key);
    memcpy(state, block, 64);
    for (int i = 0; i < 12; i++) {
        sum(state, key, 64);
        transform_lps(state);
        sum(key, constants[i], 64);
        transform_lps(key);
    }
    sum(hash, state, 64);
    sum(hash, key, 64);
    sum(hash, block, 64);
}

// Multilinear Galois mode (RFC 9058).

void add_product(uint8_t *total, const uint8_t *a, const uint8_t *b, size_t size) {
    uint8_t power[16];
    memcpy(power, a, size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        if (b[size - 1 - bit / 8] >> bit % 8 & 1) sum(total, power, size);
        // Times t, modulo t^64 + t^4 + t^3 + t + 1 or t^128 + t^7 + t^2 + t + 1.
        uint8_t beyond = power[0] >> 7;
        for (size_t i = 0; i < size; i++)
            power[i] = (uint8_t)(power[i] << 1 | (i + 1 < size ? power[i + 1] >> 7 : 0));
        if (beyond) power[size - 1] ^= size == 8 ? 0x1B : 0x87;
    }
}
