/* SPDX-License-Identifier: Apache-2.0 */
// A jump through a pointer for each function of libcrypto.inc, in one file of each program: it has FIRST, to which the
// pointers lead at first, and PREFIX, which the names of the jumps begin with.
#include <dlfcn.h>
#include <stddef.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define TARGET(name) "kanal_target_of_" #name

#if defined(__x86_64__)
#define JUMP(name) "endbr64\n lea " TARGET(name) "(%rip), %r11\n jmp *(%r11)\n"
#elif defined(__aarch64__)
// "hint 34" marks where an indirect call may go (BTI); to other processors it does nothing.
#define JUMP(name) \
    "hint #34\n adrp x16, " TARGET(name) "\n add x16, x16, :lo12:" TARGET(name) "\n ldr x17, [x16]\n br x17\n"
#else
#error "say how to jump through a pointer without touching arguments"
#endif

#define FUNCTION(name) \
    HIDDEN extern void (*kanal_target_of_##name)(void); \
    HIDDEN void (*kanal_target_of_##name)(void) = FIRST; \
    __asm__(".pushsection .text\n.globl " PREFIX #name "\n.hidden " PREFIX #name "\n.type " PREFIX #name ", @function\n" \
            PREFIX #name ": " JUMP(name) ".popsection\n");
#include "include/libcrypto.inc"
#undef FUNCTION

#define FUNCTION(name) {#name, &kanal_target_of_##name},
static const struct {
    const char *name;
    void (**target)(void);
} jumps[] = {
#include "include/libcrypto.inc"
};
#undef FUNCTION
enum { JUMPS = sizeof jumps / sizeof *jumps };

// Finds all functions in a library. NULL, or the name of the first function that is missing.
static const char *missing_function(void *library, void *found[JUMPS]) {
    for (size_t i = 0; i < JUMPS; i++)
        if (!(found[i] = dlsym(library, jumps[i].name)))
            return jumps[i].name;
    return NULL;
}

static void lead_jumps(void *const found[JUMPS]) {
    for (size_t i = 0; i < JUMPS; i++)
        __atomic_store_n(jumps[i].target, (void (*)(void))found[i], __ATOMIC_RELEASE);
}
