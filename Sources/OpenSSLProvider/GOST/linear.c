/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transformation L of Kuznyechik (RFC 7801, 4.2), for the constants of its key schedule, and what no kernel does: deciphering
 * with AVX2, and all of it without. What a substitution puts is found by a look at all its values, and a product by a look at all columns of a
 * matrix, so that no address depends on a block.
 */
#include "linear.h"

#include "../../GOSTKernels/Substitution.h"

#include <pthread.h>
#include <string.h>

enum { SIZE = 16 };
typedef uint8_t octets __attribute__((vector_size(SIZE)));

static uint8_t constants[32][SIZE];
/* What L and its inverse make of each bit. */
static octets mixed[8 * SIZE], unmixed[8 * SIZE];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static uint8_t multiply(uint8_t a, uint8_t b) {
    uint8_t product = 0;

    for (; b; b >>= 1) {
        product ^= b & 1 ? a : 0;
        a = (uint8_t)(a << 1) ^ (a & 0x80 ? 0xC3 : 0);
    }
    return product;
}

/* l of RFC 7801, 4.1.2, of so many bytes from the first on. */
static uint8_t sum(const uint8_t *block, int count) {
    static const uint8_t l[SIZE] = {148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1};
    uint8_t sum = 0;

    for (int i = 0; i < count; i++)
        sum ^= multiply(block[i], l[i]);
    return sum;
}

static void forward(uint8_t block[SIZE]) {
    for (int step = 0; step < SIZE; step++) {
        uint8_t first = sum(block, SIZE);
        memmove(block + 1, block, SIZE - 1);
        block[0] = first;
    }
}

/* The last byte has the coefficient 1. */
static void backward(uint8_t block[SIZE]) {
    for (int step = 0; step < SIZE; step++) {
        uint8_t first = block[0];
        memmove(block, block + 1, SIZE - 1);
        block[SIZE - 1] = first ^ sum(block, SIZE - 1);
    }
}

static void make(void) {
    for (int i = 0; i < 32; i++) {
        constants[i][SIZE - 1] = (uint8_t)(i + 1);
        forward(constants[i]);
    }
    for (int bit = 0; bit < 8 * SIZE; bit++) {
        uint8_t block[SIZE] = {0}, other[SIZE] = {0};
        block[bit / 8] = other[bit / 8] = (uint8_t)(1 << bit % 8);
        forward(block);
        memcpy(&mixed[bit], block, SIZE);
        backward(other);
        memcpy(&unmixed[bit], other, SIZE);
    }
}

const uint8_t *linear_constants(void) {
    pthread_once(&made, make);
    return &constants[0][0];
}

static octets multiplied(const octets columns[8 * SIZE], octets block) {
    octets result = {0};

    for (int bit = 0; bit < 8 * SIZE; bit++)
        result ^= columns[bit] & (uint8_t)-(block[bit / 8] >> bit % 8 & 1);
    return result;
}

static octets substituted(const uint8_t values[256], octets block) {
    octets result = {0};

    for (int value = 0; value < 256; value++)
        result |= (octets)(block == (uint8_t)value) & values[value];
    return result;
}

void linear_schedule(uint8_t *keys) {
    octets left, right, sum, constant;

    pthread_once(&made, make);
    memcpy(&left, keys, SIZE);
    memcpy(&right, keys + SIZE, SIZE);
    for (int step = 0; step < 32; step++) {
        memcpy(&constant, constants[step], SIZE);
        sum = multiplied(mixed, substituted(gost_pi, left ^ constant)) ^ right;
        right = left;
        left = sum;
        if (step % 8 == 7) {
            memcpy(keys + (step / 4 + 1) * SIZE, &left, SIZE);
            memcpy(keys + (step / 4 + 2) * SIZE, &right, SIZE);
        }
    }
}

void linear_encrypt(const uint8_t *keys, const unsigned char *in, unsigned char *out, size_t count) {
    octets block, key;

    pthread_once(&made, make);
    for (; count > 0; count--, in += SIZE, out += SIZE) {
        memcpy(&block, in, SIZE);
        for (int round = 0; round < 9; round++) {
            memcpy(&key, keys + round * SIZE, SIZE);
            block = multiplied(mixed, substituted(gost_pi, block ^ key));
        }
        memcpy(&key, keys + 9 * SIZE, SIZE);
        block ^= key;
        memcpy(out, &block, SIZE);
    }
}

void linear_decrypt(const uint8_t *keys, const unsigned char *in, unsigned char *out, size_t count) {
    octets block, key;

    pthread_once(&made, make);
    for (; count > 0; count--, in += SIZE, out += SIZE) {
        memcpy(&block, in, SIZE);
        memcpy(&key, keys + 9 * SIZE, SIZE);
        block ^= key;
        for (int round = 8; round >= 0; round--) {
            memcpy(&key, keys + round * SIZE, SIZE);
            block = substituted(gost_pi_inverse, multiplied(unmixed, block)) ^ key;
        }
        memcpy(out, &block, SIZE);
    }
}
