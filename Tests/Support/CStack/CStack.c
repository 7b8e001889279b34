/* SPDX-License-Identifier: Apache-2.0 */
#include "CStack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { stack_size = 256 * 1024, paint = 0xA5 };

/// The remains of a run.
struct trace {
    uint8_t stack[stack_size];
    uint64_t registers[9];
    uint8_t vectors[32][64];
};

struct trace stack_found;
static struct trace traces[stack_values][stack_rounds];
static _Alignas(64) uint8_t stack[stack_size];
static ucontext_t here, there;
static void (*current)(void *);
static void *current_context;

#define STORE(name, n) "mov %%" #name ", " #n "*8+%c0+stack_found(%%rip)\n"
#define STORE_VECTOR(size, n) "vmovups %%" #size #n ", " #n "*64+%c0+stack_found(%%rip)\n"
#define LOAD_VECTOR(size, n) "vmovups " #n "*64+%c0+stack_found(%%rip), %%" #size #n "\n"
#define LOWER(one, size) \
    one(size, 0) one(size, 1) one(size, 2) one(size, 3) one(size, 4) one(size, 5) one(size, 6) one(size, 7) \
    one(size, 8) one(size, 9) one(size, 10) one(size, 11) one(size, 12) one(size, 13) one(size, 14) one(size, 15)
#define UPPER(one, size) \
    one(size, 16) one(size, 17) one(size, 18) one(size, 19) one(size, 20) one(size, 21) one(size, 22) one(size, 23) \
    one(size, 24) one(size, 25) one(size, 26) one(size, 27) one(size, 28) one(size, 29) one(size, 30) one(size, 31)
#define VECTORS(one) \
    if (__builtin_cpu_supports("avx512f")) __asm__ __volatile__( \
        LOWER(one, zmm) UPPER(one, zmm) : : "i"(offsetof(struct trace, vectors)) : "memory"); \
    else if (__builtin_cpu_supports("avx")) __asm__ __volatile__( \
        LOWER(one, ymm) : : "i"(offsetof(struct trace, vectors)) : "memory")

/// Runs the work at the top of the painted stack, and keeps the registers that a call may change.
static void run(void) {
#ifdef __x86_64__
    VECTORS(LOAD_VECTOR);
#endif
    current(current_context);
#ifdef __x86_64__
    __asm__ __volatile__(STORE(rax, 0) STORE(rcx, 1) STORE(rdx, 2) STORE(rsi, 3) STORE(rdi, 4) STORE(r8, 5)
                         STORE(r9, 6) STORE(r10, 7) STORE(r11, 8)
                         : : "i"(offsetof(struct trace, registers)) : "memory");
    VECTORS(STORE_VECTOR);
#endif
}

void stack_observe(int value, int round, void (*work)(void *), void *context) {
    // The registers that a call preserves have the values of the first time, not the caller's present ones.
    static ucontext_t fresh;
    static bool is_fresh;
    if (!is_fresh) getcontext(&fresh);
    is_fresh = true;
    current = work;
    current_context = context;
    memset(stack, paint, sizeof stack);
    memset(&stack_found, 0, sizeof stack_found);
    there = fresh;
    there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    there.uc_link = &here;
    makecontext(&there, run, 0);
    swapcontext(&here, &there);
    memcpy(stack_found.stack, stack, sizeof stack);
    memcpy(&traces[value][round], &stack_found, sizeof stack_found);
}

/// Whether the byte at `offset` of the traces reveals the secret.
static bool tells(size_t offset) {
    bool differs = false;
    for (int value = 0; value < stack_values; value++) {
        uint8_t octet = ((const uint8_t *)&traces[value][0])[offset];
        for (int round = 1; round < stack_rounds; round++) {
            if (((const uint8_t *)&traces[value][round])[offset] != octet) return false;
        }
        differs = differs || octet != ((const uint8_t *)&traces[0][0])[offset];
    }
    return differs;
}

static size_t leaks_of(const char *where, size_t start, size_t size) {
    size_t count = 0, first = 0, last = 0;
    for (size_t i = 0; i < size; i++) {
        if (!tells(start + i)) continue;
        if (count++ == 0) first = i;
        last = i;
    }
    if (count) printf("  %s: %zu bytes tell the secret, from %zu to %zu\n", where, count, first, last);
    return count;
}

size_t stack_leaks(void) {
    return leaks_of("stack", offsetof(struct trace, stack), stack_size)
        + leaks_of("registers", offsetof(struct trace, registers), sizeof stack_found.registers)
        + leaks_of("vectors", offsetof(struct trace, vectors), sizeof stack_found.vectors);
}

size_t stack_depth(void) {
    size_t untouched = stack_size;
    for (int value = 0; value < stack_values; value++) {
        for (int round = 0; round < stack_rounds; round++) {
            size_t i = 0;
            while (i < untouched && traces[value][round].stack[i] == paint) i++;
            untouched = i;
        }
    }
    return stack_size - untouched;
}
