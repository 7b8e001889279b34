/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a token has refused: PINs, and its own way. It is memory that a process shares with those that are forked from
 * it: a PIN that has become wrong costs one try, however many workers of a server have it.
 */
#include "keys.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct refusals *refusals_new(void) {
    struct refusals *refusals;
    pthread_mutexattr_t shared;

    refusals = mmap(NULL, sizeof *refusals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (refusals == MAP_FAILED)
        return NULL;
    (void)mlock(refusals, sizeof *refusals);
    (void)madvise(refusals, sizeof *refusals, MADV_DONTDUMP);
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&refusals->presenting, &shared);
    pthread_mutexattr_destroy(&shared);
    return refusals;
}

/* Others may use it: it is only unmapped. */
void refusals_free(struct refusals *refusals) {
    if (refusals)
        munmap(refusals, sizeof *refusals);
}

void refusals_lock(struct refusals *refusals) {
    /* One that presented a PIN has ended; what it had found out stands. */
    if (pthread_mutex_lock(&refusals->presenting) == EOWNERDEAD)
        pthread_mutex_consistent(&refusals->presenting);
}

void refusals_unlock(struct refusals *refusals) { pthread_mutex_unlock(&refusals->presenting); }

bool refusals_have(const struct refusals *refusals, const struct secret *pin) {
    for (size_t i = 0; i < refusals->count && i < REFUSALS; i++)
        if (secret_equal(pin, &refusals->pins[i]))
            return true;
    return false;
}

/* The oldest makes room. */
void refusals_add(struct refusals *refusals, const struct secret *pin) {
    memcpy(&refusals->pins[refusals->count % REFUSALS], pin, sizeof *pin);
    refusals->count++;
}
