/* SPDX-License-Identifier: Apache-2.0 */
// Memory for the time when the system gives none. Swift has no answer to an allocation that fails but the end of the
// process, which is the host's. So the library keeps a reserve, from which a call that has begun takes what it still
// needs, and begins no call while the reserve is not whole.
#ifndef CRESERVE_H
#define CRESERVE_H

#include <stdbool.h>
#include <stddef.h>

// The bytes of a whole reserve.
enum { RESERVE_SIZE = 2 << 20 };

// Whether a call can begin on this thread: the reserve is whole, or was made so, and the thread has its variables.
bool reserve_is_whole(void);

// Whether a call can begin that gives memory back: at least half of the reserve is left.
bool reserve_has_half(void);

// Whether the system would give so many bytes now. No promise: other threads take some, too.
bool reserve_is_beside(size_t size);

// `alignment` is a power of two. NULL without room.
void *reserve_take(size_t size, size_t alignment);

// Whether memory is the reserve's.
bool reserve_holds(const void *memory);

// The bytes that memory of the reserve has room for.
size_t reserve_room(const void *memory);

// Overwrites memory of the reserve, and gives it back.
void reserve_give(void *memory);

#endif
