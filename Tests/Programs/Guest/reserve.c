/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates and frees memory of the reserve at random, with all sizes and alignments: no two blocks share a byte, each
 * keeps its content, released memory is empty, and the reserve is whole when all is released. Built with
 * Sources/CReserve/reserve.c.
 */
#include <CReserve.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 400, ROUNDS = 60000 };

static struct {
    unsigned char *memory;
    size_t size;
    unsigned char mark;
} blocks[BLOCKS];

static uint32_t random_number(void) {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void fail(const char *what, int round) {
    fprintf(stderr, "%s in round %d\n", what, round);
    exit(1);
}

static void give(int i, int round) {
    for (size_t k = 0; k < blocks[i].size; k++)
        if (blocks[i].memory[k] != blocks[i].mark) fail("a block was written by another one", round);
    unsigned char *memory = blocks[i].memory;
    size_t size = blocks[i].size;
    reserve_give(memory);
    for (size_t k = 0; k < size; k++)
        if (memory[k] != 0) fail("a secret is left", round);
    blocks[i].memory = NULL;
}

int main(void) {
    int taken = 0, refused = 0;
    char *outside = malloc(10);
    if (!reserve_is_whole() || reserve_holds(outside)) fail("a new reserve is not whole", 0);
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)(random_number() % BLOCKS);
        if (blocks[i].memory) {
            give(i, round);
            continue;
        }
        size_t alignment = (size_t)1 << random_number() % 13;
        size_t size = random_number() % ((size_t)1 << random_number() % 20);
        unsigned char *memory = reserve_take(size, alignment);
        if (!memory) {
            refused++;
            continue;
        }
        if ((uintptr_t)memory % alignment != 0 || (uintptr_t)memory % 16 != 0) fail("a wrong alignment", round);
        if (!reserve_holds(memory) || reserve_room(memory) < size) fail("a block is not held", round);
        blocks[i].memory = memory;
        blocks[i].size = size;
        blocks[i].mark = (unsigned char)(1 + random_number() % 255);
        memset(memory, blocks[i].mark, size);
        taken++;
        /* As at the begin of a call: the reserve may move on to another area. */
        if (random_number() % 1000 == 0) reserve_is_whole();
    }
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].memory) give(i, ROUNDS);
    if (reserve_take(RESERVE_SIZE, 16) || reserve_take(SIZE_MAX, 16)) fail("more is given than there is", ROUNDS);
    void *all = reserve_take(RESERVE_SIZE - 16, 16);
    if (!all) fail("free blocks do not become one", ROUNDS);
    reserve_give(all);
    if (!reserve_is_whole() || !reserve_has_half()) fail("the reserve is not whole again", ROUNDS);
    if (taken == 0 || refused == 0) fail("nothing was tried", ROUNDS);
    free(outside);
    return 0;
}
