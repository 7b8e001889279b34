/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the programs: they count the broken rules, name each, and measure time.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>
#include <time.h>

#include <rtpkcs11.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int wrong;

static inline void require(int holds, const char *what) {
    if (!holds) {
        wrong++;
        fprintf(stderr, "%s\n", what);
    }
}

static inline void expect(CK_RV code, CK_RV wanted, const char *what) {
    if (code != wanted) {
        wrong++;
        fprintf(stderr, "%s: 0x%lX instead of 0x%lX\n", what, code, wanted);
    }
}

/* Returns the time in milliseconds. */
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

#endif
