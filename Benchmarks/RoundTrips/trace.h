/* SPDX-License-Identifier: Apache-2.0 */
/* The measuring tools of both programs: the emulator's trace, and a clock. */
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>
#include <time.h>

/* The lines of the trace that are commands. */
static int commands(const char *trace) {
    FILE *file = fopen(trace, "r");
    int count = 0, last = '\n', character;
    if (!file)
        return 0;
    while ((character = getc(file)) != EOF) {
        count += last == '\n' && character == '>';
        last = character;
    }
    fclose(file);
    return count;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

#endif
