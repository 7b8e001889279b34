/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libcrypto that has loaded the provider, whatever its version: it is not linked, because a process with OpenSSL 4 has
 * none of OpenSSL 3, and a linked one would be another than the caller. All jumps are set before the provider starts. COpenSSL/include/libcrypto.inc lists them.
 */
#define _GNU_SOURCE
#include "libcrypto.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JUMPS_OF_PROVIDER
#define FIRST (void (*)(void))abort
#define PREFIX ""
#include "../COpenSSL/jumps.h"

/* The file with a function of OpenSSL's core: libcrypto, or a program that contains it. Its addresses. */
struct file {
    void *library;
    uintptr_t begin, end;
};

/*
 * Reads the file's headers, since dl_iterate_phdr(3) holds a lock, and a child that is forked then would find it held
 * for ever.
 */
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
 * Without a lock, since a child that is forked then would find it held for ever. Concurrent threads find the same
 * functions, and each stores all of them before it continues.
 */
const char *libcrypto_find(void (*function)(void)) {
    struct file file = find_file(function);
    void *library = file.library, *other = NULL, *found[JUMPS];
    const char *missing = library ? missing_function(library, found) : "libcrypto";

    if (!library)
        return missing;
    for (size_t i = 0; !missing && i < JUMPS; i++)
        if ((uintptr_t)found[i] < file.begin || (uintptr_t)found[i] >= file.end)
            missing = "the functions of the OpenSSL that loads it, but those of another one: a program that has OpenSSL inside "
                      "has to export its functions (-rdynamic)";
    if (!missing && !__atomic_compare_exchange_n(&known, &other, library, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (other != library)
            missing = "a single libcrypto in the process: another libcrypto has loaded this provider";
    }
    if (!missing)
        lead_jumps(found);
    /* One handle is kept for the life of the file, which is never unmapped. */
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
