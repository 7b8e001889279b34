/* SPDX-License-Identifier: Apache-2.0 */
// The heap of all that is linked into the library, Swift's and C++'s runtimes too: the linker puts these functions in the
// places of the C library's and the runtime's (Package.swift).
//
// Where the C library has no memory, the reserve gives some (CReserve.h). And what Swift gives back is overwritten: an
// array that held a secret for a moment, and each copy that was made of it, for no code of the library can know of all.

#include <CReserve.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What the C library's functions promise.
enum { ALIGNMENT = 16 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **place, size_t alignment, size_t size);
void __real_free(void *memory);
size_t __real_malloc_usable_size(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **place, size_t alignment, size_t size);
void __wrap_free(void *memory);
size_t __wrap_malloc_usable_size(void *memory);
void __wrap_swift_slowDealloc(void *memory, size_t size, size_t alignment_mask);

void *__wrap_malloc(size_t size) {
    void *memory = __real_malloc(size);
    return memory ? memory : reserve_take(size, ALIGNMENT);
}

void *__wrap_calloc(size_t count, size_t size) {
    void *memory = __real_calloc(count, size);
    if (memory || (size > 0 && count > SIZE_MAX / size)) return memory;
    memory = reserve_take(count * size, ALIGNMENT);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size) {
    if (!reserve_holds(memory)) {
        void *grown = __real_realloc(memory, size);
        // Without a size it was released.
        if (grown || size == 0) return grown;
    }
    void *other = __wrap_malloc(size);
    if (!other || !memory) return other;
    size_t room = __wrap_malloc_usable_size(memory);
    memcpy(other, memory, room < size ? room : size);
    __wrap_free(memory);
    return other;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *memory = __real_aligned_alloc(alignment, size);
    return memory || errno == EINVAL ? memory : reserve_take(size, alignment);
}

int __wrap_posix_memalign(void **place, size_t alignment, size_t size) {
    int error = __real_posix_memalign(place, alignment, size);
    if (error != ENOMEM) return error;
    void *memory = reserve_take(size, alignment);
    if (memory) *place = memory;
    return memory ? 0 : error;
}

void __wrap_free(void *memory) {
    if (reserve_holds(memory))
        reserve_give(memory);
    else
        __real_free(memory);
}

size_t __wrap_malloc_usable_size(void *memory) {
    return reserve_holds(memory) ? reserve_room(memory) : __real_malloc_usable_size(memory);
}

void __wrap_swift_slowDealloc(void *memory, size_t size, size_t alignment_mask) {
    (void)size, (void)alignment_mask;
    if (memory != NULL) explicit_bzero(memory, __wrap_malloc_usable_size(memory));
    __wrap_free(memory);
}
