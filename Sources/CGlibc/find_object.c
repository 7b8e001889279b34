/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <CGlibc.h>
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

// glibc 2.35 and later declare the structure. A compiler for an earlier one makes code that does not ask for it.
#ifdef DLFO_EH_SEGMENT_TYPE
#if DLFO_STRUCT_HAS_EH_DBASE || DLFO_STRUCT_HAS_EH_COUNT
#error "say where the additional members of dl_find_object come from"
#endif

struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

// Whether a loaded file has the address; the table of its frames is in the result then.
static int look(struct dl_phdr_info *file, size_t size, void *context) {
    const struct search *search = context;
    uintptr_t first = UINTPTR_MAX, end = 0, table = 0;
    int has_address = 0;
    (void)size;
    for (size_t i = 0; i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &file->dlpi_phdr[i];
        uintptr_t start = file->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == DLFO_EH_SEGMENT_TYPE) table = start;
        if (segment->p_type != PT_LOAD) continue;
        has_address |= search->address - start < segment->p_memsz;
        if (start < first) first = start;
        if (start + segment->p_memsz > end) end = start + segment->p_memsz;
    }
    if (!has_address || !table) return 0;
    search->result->dlfo_map_start = (void *)first;
    search->result->dlfo_map_end = (void *)end;
    search->result->dlfo_eh_frame = (void *)table;
    return 1;
}

// libgcc_eh finds no frame if this finds none, and does not ask dl_iterate_phdr(3) by itself.
int __wrap__dl_find_object(void *address, struct dl_find_object *result) {
    struct search search = {(uintptr_t)address, result};
    memset(result, 0, sizeof *result);
    return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
#endif
