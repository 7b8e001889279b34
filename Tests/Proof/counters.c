/* SPDX-License-Identifier: Apache-2.0 */
// Claims for CBMC about all counters: each block of a batch gets its own, and the one that is left is that of the block
// which follows. Compiled with BLOCKS, the number of blocks, and with KUZNYECHIK for `kuznyechik`.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Without instructions of any processor.
#undef __x86_64__
#ifdef KUZNYECHIK
#include "Kuznyechik/Batches.h"
#else
#include "Modes28147.h"
#endif

uint64_t nondet_uint64(void);
uint32_t nondet_uint32(void);
size_t nondet_size(void);

static gost_counter any_counter(void) {
    gost_counter c = {nondet_uint64(), nondet_uint64(), (gost_part)(nondet_uint32() % 3)};
    return c;
}

/// The counter after n blocks, of two halves of so many bits.
static gost_counter after(gost_counter c, uint64_t n, unsigned bits) {
    uint64_t ones = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    if (c.part == gost_part_left) c.left = (c.left + n) & ones;
    else {
        uint64_t right = (c.right + n) & ones;
        if (c.part == gost_part_whole && right < n) c.left = (c.left + 1) & ones;
        c.right = right;
    }
    return c;
}

#ifdef KUZNYECHIK

/// Of 128 bits, in ``advanced``.
void kuznyechik(void) {
    gost_counter c = any_counter();
    uint64_t n = nondet_uint64();
    __CPROVER_assume(n < (uint64_t)1 << 63);
    gost_counter given = advanced(c, n), wanted = after(c, n, 64);
    __CPROVER_assert(given.left == wanted.left && given.right == wanted.right, "the counter is n more");
}

#else

void explicit_bzero(void *to, size_t size) { (void)to, (void)size; }

static gost_counter begin;
static size_t seen;

/// In place of the rounds: looks at the blocks that they get.
static void look(const table *rows, const schedule *keys, blocks *b, size_t count) {
    (void)rows, (void)keys;
    size_t i = nondet_size();
    __CPROVER_assume(i < count);
    gost_counter wanted = after(begin, seen + i, 32);
    __CPROVER_assert(b->n1[i] == wanted.right && b->n2[i] == wanted.left, "the block is its counter");
    seen += count;
}

/// Of 64 bits, in ``ctr``.
void magma(void) {
    uint8_t rows[128];
    uint32_t key[32];
    gost_28147 cipher = {rows, key, gost_order_big};
    gost_counter c = any_counter();
    c.left &= 0xFFFFFFFF, c.right &= 0xFFFFFFFF;
    begin = c;
    static uint8_t output[8 * (BLOCKS)], input[8 * (BLOCKS)];
    ctr(look, &cipher, gost_order_big, &c, input, output, BLOCKS);
    gost_counter wanted = after(begin, BLOCKS, 32);
    __CPROVER_assert(seen == BLOCKS, "each block is enciphered");
    __CPROVER_assert(c.left == wanted.left && c.right == wanted.right, "the counter is that of the next block");
}

/// N3 and N4 after n steps: modulo 2^32, and modulo 2^32 − 1, of which 2^32 − 1 is the zero (RFC 5830, 6.1).
static uint64_t after_steps(uint64_t counter, size_t n) {
    uint64_t n4 = (counter >> 32) + n * 0x01010104;
    for (int i = 0; i < 2; i++) n4 -= n4 > 0xFFFFFFFF ? 0xFFFFFFFF : 0;
    return n4 << 32 | (uint32_t)(counter + n * 0x01010101);
}

static uint64_t steps_begin;

static void look_at_steps(const table *rows, const schedule *keys, blocks *b, size_t count) {
    (void)rows, (void)keys;
    size_t i = nondet_size();
    __CPROVER_assume(i < count);
    uint64_t wanted = after_steps(steps_begin, seen + i + 1);
    __CPROVER_assert(b->n1[i] == (uint32_t)wanted && b->n2[i] == wanted >> 32, "the block is its counter");
    seen += count;
}

/// The gamma mode, in ``cnt``.
void gamma_mode(void) {
    uint8_t rows[128];
    uint32_t key[32];
    gost_28147 cipher = {rows, key, gost_order_little};
    static uint8_t output[8 * (BLOCKS)], input[8 * (BLOCKS)];
    uint64_t counter = nondet_uint64();
    steps_begin = counter;
    cnt(look_at_steps, &cipher, gost_order_little, &counter, input, output, BLOCKS);
    __CPROVER_assert(seen == BLOCKS && counter == after_steps(steps_begin, BLOCKS), "the counter is that of the last block");
}

#endif
