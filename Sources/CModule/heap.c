/* SPDX-License-Identifier: Apache-2.0 */
// What Swift gives back to the heap. An array that held a secret for a moment, and each copy that somebody made of it, is
// overwritten here: the linker puts this function in the place of the runtime's (Package.swift), for no code of the
// library can know of all copies.

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void __wrap_swift_slowDealloc(void *memory, size_t size, size_t alignment_mask);

void __wrap_swift_slowDealloc(void *memory, size_t size, size_t alignment_mask) {
    (void)size, (void)alignment_mask;
    if (memory != NULL)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}
