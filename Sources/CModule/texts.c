/* SPDX-License-Identifier: Apache-2.0 */
// Functions of the C library that allocate, for Swift's and C++'s runtimes, which free what these return. A program that
// has another allocator and opens this library with RTLD_DEEPBIND makes the C library allocate by that one, while
// malloc(3) and free(3) of this library are the C library's own. So these allocate here: the linker puts them in the
// places of the others (Package.swift), and a test looks for more of the kind.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

char *__wrap_strdup(const char *text);
int __wrap_vasprintf(char **result, const char *format, va_list arguments);
int __wrap_asprintf(char **result, const char *format, ...);
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *file);

char *__wrap_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

int __wrap_vasprintf(char **result, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *result = length < 0 ? NULL : malloc((size_t)length + 1);
    return *result == NULL ? -1 : vsnprintf(*result, (size_t)length + 1, format, arguments);
}

int __wrap_asprintf(char **result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = __wrap_vasprintf(result, format, arguments);
    va_end(arguments);
    return length;
}

// Of standard input, which is the host's: the library reads none.
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *file) {
    (void)line, (void)size, (void)end, (void)file;
    errno = ENOMEM;
    return -1;
}
