/* SPDX-License-Identifier: Apache-2.0 */
// Interposes the C library's functions that change the file system, for the test program and all that it links.
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local struct {
    bool armed, dies, reached;
    int left, error;
} fault;

void fail_change(int step, int error, bool dies) {
    fault.armed = true;
    fault.dies = dies;
    fault.reached = false;
    fault.left = step;
    fault.error = error;
}

bool end_failing(void) {
    fault.armed = false;
    return fault.reached;
}

// The outcome of the next change.
static enum { SUCCEEDS, FAILS_HERE, FAILS } next(void) {
    if (!fault.armed || (fault.reached && !fault.dies)) return SUCCEEDS;
    if (!fault.reached && fault.left-- > 0) return SUCCEEDS;
    bool here = !fault.reached;
    fault.reached = true;
    errno = fault.error;
    return here ? FAILS_HERE : FAILS;
}

ssize_t write(int file, const void *bytes, size_t count) {
    switch (next()) {
    case SUCCEEDS:
        return syscall(SYS_write, file, bytes, count);
    case FAILS_HERE:
        syscall(SYS_write, file, bytes, count / 2);
        errno = fault.error;
        return -1;
    default:
        return -1;
    }
}

int openat(int directory, const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
        if (next() != SUCCEEDS) return -1;
    }
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

int fsync(int file) { return next() == SUCCEEDS ? (int)syscall(SYS_fsync, file) : -1; }

int fchmod(int file, mode_t mode) { return next() == SUCCEEDS ? (int)syscall(SYS_fchmod, file, mode) : -1; }

int mkdirat(int directory, const char *path, mode_t mode) {
    return next() == SUCCEEDS ? (int)syscall(SYS_mkdirat, directory, path, mode) : -1;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int directory, const char *path, int flags) {
    return next() == SUCCEEDS ? (int)syscall(SYS_unlinkat, directory, path, flags) : -1;
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    return next() == SUCCEEDS ? (int)syscall(SYS_linkat, from, old, to, new, flags) : -1;
}

int renameat(int from, const char *old, int to, const char *new) {
    return next() == SUCCEEDS ? (int)syscall(SYS_renameat2, from, old, to, new, 0) : -1;
}
