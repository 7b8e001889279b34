/* SPDX-License-Identifier: Apache-2.0 */
// What a computation leaves on the stack and in registers.
//
// A variable that is overwritten at its end leaves copies: registers that the compiler puts aside, saved registers of callers,
// intermediate results. So a secret operation runs in a function that is not inlined, and its caller then calls one of these,
// which takes up the same part of the stack and overwrites it. Tests/Programs/Curves/stack.c compares what is left.

#include "Curve.h"

#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

// The registers that a call may change, on x86-64 those for integers.
#if defined(__x86_64__)
#define REGISTERS "all-gpr"
#else
#define REGISTERS "all"
#endif
#define CLEARS __attribute__((noinline, no_stack_protector, zero_call_used_regs(REGISTERS)))

/// The vector registers of x86-64. The C library copies memory by the upper sixteen of AVX-512, where there are these.
INLINE void clear_vectors(void) {
#if defined(__x86_64__)
#define LOWER(n) "xorps %%xmm" #n ", %%xmm" #n "\n"
#define UPPER(n) "vpxorq %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
    if (CPU_FEATURE_ACTIVE(AVX)) __asm__ __volatile__("vzeroupper");
    __asm__ __volatile__(LOWER(0) LOWER(1) LOWER(2) LOWER(3) LOWER(4) LOWER(5) LOWER(6) LOWER(7) LOWER(8) LOWER(9)
                         LOWER(10) LOWER(11) LOWER(12) LOWER(13) LOWER(14) LOWER(15)
                         : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                         "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    // Processors with BW have VL, which the instructions are of; to ask for the highest bit is undefined in C.
    if (CPU_FEATURE_ACTIVE(AVX512BW))
        __asm__ __volatile__(UPPER(16) UPPER(17) UPPER(18) UPPER(19) UPPER(20) UPPER(21) UPPER(22) UPPER(23) UPPER(24)
                             UPPER(25) UPPER(26) UPPER(27) UPPER(28) UPPER(29) UPPER(30) UPPER(31) : :);
#endif
}

/// Overwrites an array of which nothing is read; the compiler cannot leave it out.
#define OVERWRITE(array) \
    memset(array, 0, sizeof array); \
    __asm__ __volatile__("" : : "m"(array))

CLEARS void gost_clear_stack(void) {
    word used[gost_stack_depth / sizeof(word)];
    OVERWRITE(used);
    clear_vectors();
}

CLEARS void gost_clear_little(void) {
    word used[little_depth / sizeof(word)];
    OVERWRITE(used);
    clear_vectors();
}
