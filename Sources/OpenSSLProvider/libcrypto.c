/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libcrypto that has loaded the provider, whatever its version: it is not linked, because a process with OpenSSL 4 has
 * none of OpenSSL 3, and one that was linked would be another than the caller. Each function of the list is a jump through
 * a pointer, which is set before anything else is done.
 */
#define _GNU_SOURCE
#include "libcrypto.h"

#include <dlfcn.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define JUMP(name) #name ": endbr64\n jmp *kanal_target_of_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) \
    #name ": hint #34\n adrp x16, kanal_target_of_" #name "\n ldr x17, [x16, :lo12:kanal_target_of_" #name "]\n br x17\n"
#else
#error "say how to jump through a pointer without touching arguments"
#endif

#define HIDDEN __attribute__((visibility("hidden")))

#define FUNCTION(name) \
    HIDDEN extern void (*kanal_target_of_##name)(void); \
    HIDDEN void (*kanal_target_of_##name)(void) = (void (*)(void))abort; \
    __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" JUMP(name));
#include "libcrypto.inc"
#undef FUNCTION

#define FUNCTION(name) {#name, &kanal_target_of_##name},
static const struct {
    const char *name;
    void (**target)(void);
} functions[] = {
#include "libcrypto.inc"
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The file that has a function of OpenSSL's core: libcrypto, or a program that it is a part of. */
static void *find_library(void (*function)(void)) {
    Dl_info place;
    void *library = NULL;

    if (dladdr((void *)function, &place) && place.dli_fname)
        library = dlopen(place.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    return library ? library : dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
}

static void *known;

/*
 * Without a lock, for a child that is forked meanwhile would find it held for ever. Threads that come at once find the same, and
 * each has stored all of it before it goes on.
 */
const char *libcrypto_find(void (*function)(void)) {
    void *library = find_library(function), *other = NULL, *found[FUNCTIONS];
    const char *missing = NULL;

    if (!library)
        return "libcrypto";
    for (size_t i = 0; !missing && i < FUNCTIONS; i++) {
        found[i] = dlsym(library, functions[i].name);
        if (!found[i])
            missing = functions[i].name;
    }
    if (!missing && !__atomic_compare_exchange_n(&known, &other, library, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (other != library)
            missing = "one libcrypto in the process: another one has this provider";
    }
    for (size_t i = 0; !missing && i < FUNCTIONS; i++)
        __atomic_store_n(functions[i].target, (void (*)(void))found[i], __ATOMIC_RELEASE);
    /* One handle is kept as long as the file, which is never unmapped. */
    if (missing || other)
        dlclose(library);
    return missing;
}

bool libcrypto_has_engine(int number) {
    const void *(*find)(void **engine, int number) = (const void *(*)(void **, int))dlsym(known, "EVP_PKEY_asn1_find");
    int (*release)(void *engine) = (int (*)(void *))dlsym(known, "ENGINE_finish");
    void *engine = NULL;
    const void *methods = find && release ? find(&engine, number) : NULL;

    if (engine)
        release(engine);
    return methods != NULL;
}
