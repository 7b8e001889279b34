/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CReserve.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Before each block. Blocks follow one another through an area; behind the last one everything is zero.
struct block {
    // With this header, a multiple of its size; 0 behind the last block.
    size_t size;
    size_t is_taken;
};

// The memory of a reserve. One in which something is left, because an object of a call lives on, is not whole again until
// that is given back; another area takes its place then.
struct area {
    char *start;
    // The number of blocks that are taken, and of their bytes with headers.
    size_t blocks, taken;
};

enum { AREAS = 64 };

// The first area is there when the library is. Its pages take no memory before they are used.
static _Alignas(4096) char first[RESERVE_SIZE];
static struct area areas[AREAS] = {{first, 0, 0}};
// Areas are added, and never removed.
static unsigned count = 1;
static struct area *current = &areas[0];
static bool is_whole = true;
// Whether anything was ever taken: until then no memory needs to be looked up.
static bool was_used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// ---- Areas ----

static size_t whole_blocks(size_t size) {
    return (size + sizeof(struct block) - 1) / sizeof(struct block) * sizeof(struct block);
}

static struct block *next(struct block *block) { return (struct block *)((char *)block + block->size); }

static char *end_of(const struct area *area) { return area->start + RESERVE_SIZE; }

// The bytes from a free block up to the next taken one, or to the end. Free blocks among them become one.
static size_t join(struct area *area, struct block *block) {
    for (;;) {
        struct block *follower = next(block);
        if ((char *)follower >= end_of(area) || follower->size == 0) {
            block->size = (size_t)(end_of(area) - (char *)block);
            return block->size;
        }
        if (follower->is_taken) return block->size;
        block->size += follower->size;
    }
}

static void *take_from(struct area *area, size_t size, size_t alignment) {
    if (size > RESERVE_SIZE || alignment > RESERVE_SIZE) return NULL;
    size_t wanted = whole_blocks(size > 0 ? size : 1) + sizeof(struct block);
    for (char *place = area->start; place < end_of(area); place = (char *)next((struct block *)place)) {
        struct block *block = (struct block *)place;
        if (block->is_taken) continue;
        size_t room = join(area, block);
        // The part before an aligned address stays a free block.
        size_t gap = -(uintptr_t)(block + 1) & (alignment - 1);
        if (gap + wanted > room) continue;
        if (gap > 0) {
            block->size = gap;
            block = next(block);
            room -= gap;
        }
        block->size = room;
        if (room > wanted) {
            block->size = wanted;
            *next(block) = (struct block){room - wanted, 0};
        }
        block->is_taken = 1;
        area->blocks++;
        area->taken += block->size;
        return block + 1;
    }
    return NULL;
}

static struct area *area_of(const void *memory) {
    for (unsigned i = 0; i < __atomic_load_n(&count, __ATOMIC_ACQUIRE); i++)
        if ((const char *)memory >= areas[i].start && (const char *)memory < end_of(&areas[i])) return &areas[i];
    return NULL;
}

// Makes an area current that nothing is taken from.
static bool renew(void) {
    for (unsigned i = 0; i < count && current->blocks > 0; i++)
        if (areas[i].blocks == 0) current = &areas[i];
    if (current->blocks == 0) return true;
    if (count == AREAS) return false;
    void *start = mmap(NULL, RESERVE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return false;
    areas[count].start = start;
    current = &areas[count];
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    return true;
}

// ---- Threads and forks ----

// The C library ends the process if memory runs out for the thread's variables of this library, which the first use of
// one on a thread needs. So that is tried before.
static pthread_key_t has_variables;
static bool has_key;
static __thread volatile char variable;
enum { VARIABLES_SIZE = 4096 };

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void prepare_process(void) {
    pthread_atfork(lock, unlock, unlock);
    has_key = pthread_key_create(&has_variables, NULL) == 0;
}

static bool prepare_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    if (!has_key || pthread_getspecific(has_variables)) return true;
    if (!reserve_is_beside(VARIABLES_SIZE)) return false;
    variable = 1;
    pthread_setspecific(has_variables, &mutex);
    return true;
}

// ---- Entry points ----

bool reserve_is_beside(size_t size) {
    void *memory = malloc(size);
    bool is_beside = memory && !reserve_holds(memory);
    free(memory);
    return is_beside;
}

bool reserve_is_whole(void) {
    if (!prepare_thread()) return false;
    if (__atomic_load_n(&is_whole, __ATOMIC_RELAXED)) return true;
    lock();
    bool is_renewed = renew();
    __atomic_store_n(&is_whole, is_renewed, __ATOMIC_RELAXED);
    unlock();
    return is_renewed;
}

bool reserve_has_half(void) {
    if (reserve_is_whole()) return true;
    if (!prepare_thread()) return false;
    lock();
    bool has_half = current->taken <= RESERVE_SIZE / 2;
    unlock();
    return has_half;
}

void *reserve_take(size_t size, size_t alignment) {
    lock();
    void *memory = take_from(current, size, alignment < sizeof(struct block) ? sizeof(struct block) : alignment);
    if (memory) {
        __atomic_store_n(&was_used, true, __ATOMIC_RELAXED);
        __atomic_store_n(&is_whole, false, __ATOMIC_RELAXED);
    }
    unlock();
    return memory;
}

bool reserve_holds(const void *memory) {
    return __atomic_load_n(&was_used, __ATOMIC_RELAXED) && area_of(memory) != NULL;
}

size_t reserve_room(const void *memory) { return ((const struct block *)memory - 1)->size - sizeof(struct block); }

void reserve_give(void *memory) {
    struct area *area = area_of(memory);
    struct block *block = (struct block *)memory - 1;
    explicit_bzero(memory, reserve_room(memory));
    lock();
    block->is_taken = 0;
    area->blocks--;
    area->taken -= block->size;
    unlock();
}
