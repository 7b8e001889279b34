/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHOSTPROCESS_H
#define CHOSTPROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>

extern int getresuid(unsigned int *real, unsigned int *effective, unsigned int *saved);
extern int getresgid(unsigned int *real, unsigned int *effective, unsigned int *saved);

// Whether the kernel gave the program more rights than those of the user who started it (AT_SECURE, getauxval(3)): it
// is set-user-ID or set-group-ID, or its file has capabilities. This stays true whatever user the process becomes
// later. Also whether the calling thread works as a user or group for a while, seteuid(2), and can take other rights
// back.
static inline bool process_is_privileged(void) {
    unsigned int real, effective, saved;
    int code = errno;
    errno = 0;
    bool result = getauxval(AT_SECURE) != 0 || errno != 0
        || getresuid(&real, &effective, &saved) != 0 || real != effective || saved != effective
        || getresgid(&real, &effective, &saved) != 0 || real != effective || saved != effective;
    errno = code;
    return result;
}

// O_PATH of open(2), which the header shows to GNU programs only: a descriptor that can be neither read nor written.
static const int path_only = __O_PATH;

// wcwidth(3), which the header shows to X/Open programs only: how many columns of a terminal a character takes, and -1
// if the locale does not know it.
extern int wcwidth(__WCHAR_TYPE__ character);

// Functions that the headers show to GNU programs only: a connection and a pipe that no other program inherits, a child
// without any descriptor from `from` on, and the begin of writing a part of a file to the disk. `actions` is a
// posix_spawn_file_actions_t.
struct sockaddr;
extern int accept4(int descriptor, struct sockaddr *address, unsigned int *length, int flags);
extern int pipe2(int descriptors[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
extern int sync_file_range(int descriptor, __off64_t from, __off64_t count, unsigned int flags);
// SYNC_FILE_RANGE_WRITE of sync_file_range(2).
static const unsigned int sync_file_range_write = 2;
extern int dladdr1(const void *address, void *place, void **extra, int flags);

// The path of the shared library that this code is a part of, as the loader has it; empty for the program itself, and
// NULL if the loader does not know.
static inline const char *loaded_from(void) {
    // Dl_info of dladdr(3), and RTLD_DL_LINKMAP.
    struct { const char *file; void *base; const char *name; void *address; } place;
    void *map = 0;
    if (!dladdr1((const void *)loaded_from, &place, &map, 2) || !map) return 0;
    return ((const struct link_map *)map)->l_name;
}

#endif
