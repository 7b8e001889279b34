/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libcrypto that has loaded the provider, whatever its version: it is not linked, because a process with OpenSSL 4 has
 * none of OpenSSL 3, and one that was linked would be another than the caller. Each function of the list is a jump through
 * a pointer, which is set before anything else is done.
 */
#define _GNU_SOURCE
#include "libcrypto.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* The file that has a function of OpenSSL's core: libcrypto, or a program that it is a part of. Its addresses. */
struct file {
    void *library;
    uintptr_t begin, end;
};

/* By the headers that begin it: dl_iterate_phdr(3) takes a lock that a child forked meanwhile would find held for ever. */
static void find_addresses(struct file *file, const void *base) {
    const ElfW(Ehdr) *header = base;
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)((const char *)base + header->e_phoff);
    uintptr_t lowest = UINTPTR_MAX, highest = 0;

    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    for (int i = 0; i < header->e_phnum; i++, part++)
        if (part->p_type == PT_LOAD) {
            uintptr_t begin = part->p_vaddr & ~(uintptr_t)(part->p_align ? part->p_align - 1 : 0);
            lowest = begin < lowest ? begin : lowest;
            highest = part->p_vaddr + part->p_memsz > highest ? part->p_vaddr + part->p_memsz : highest;
        }
    file->begin = (uintptr_t)base;
    file->end = highest > lowest ? file->begin + (highest - lowest) : file->begin;
}

static struct file find_file(void (*function)(void)) {
    struct file file = {0};
    Dl_info place;

    if (!dladdr((void *)function, &place) || !place.dli_fname || !place.dli_fbase)
        return file;
    find_addresses(&file, place.dli_fbase);
    file.library = dlopen(place.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!file.library)
        file.library = dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
    return file;
}

static void *known;

/*
 * Without a lock, for a child that is forked meanwhile would find it held for ever. Threads that come at once find the same, and
 * each has stored all of it before it goes on.
 */
const char *libcrypto_find(void (*function)(void)) {
    struct file file = find_file(function);
    void *library = file.library, *other = NULL, *found[FUNCTIONS];
    const char *missing = NULL;

    if (!library)
        return "libcrypto";
    for (size_t i = 0; !missing && i < FUNCTIONS; i++) {
        found[i] = dlsym(library, functions[i].name);
        if (!found[i])
            missing = functions[i].name;
        else if ((uintptr_t)found[i] < file.begin || (uintptr_t)found[i] >= file.end)
            missing = "the functions of the OpenSSL that loads it, but those of another one: a program that has OpenSSL inside "
                      "has to export its functions (-rdynamic)";
    }
    if (!missing && !__atomic_compare_exchange_n(&known, &other, library, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (other != library)
            missing = "a single libcrypto in the process: another libcrypto has loaded this provider";
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
