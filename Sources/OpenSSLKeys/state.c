/* SPDX-License-Identifier: Apache-2.0 */
/* The locks of all lists and settings, and of the loader. A fork waits for both, and a child has fresh ones. */
#define _GNU_SOURCE
#include "keys.h"

#include <time.h>

/* Recursive, since a child that was forked while the handlers were registered has them twice. */
static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t state = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Libraries may fork while they are loaded or released. */
static pthread_mutex_t loader = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void loader_lock(void) { pthread_mutex_lock(&loader); }
void loader_unlock(void) { pthread_mutex_unlock(&loader); }
void state_lock(void) { pthread_mutex_lock(&state); }
void state_unlock(void) { pthread_mutex_unlock(&state); }
void state_changed(void) { pthread_cond_broadcast(&changed); }

bool state_wait(void) {
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    return pthread_cond_timedwait(&changed, &state, &until) == 0;
}

/* The child's locks have the number of another thread. */
void state_renew(void) {
    pthread_cond_init(&changed, NULL);
    state = fresh;
    loader = fresh;
}
