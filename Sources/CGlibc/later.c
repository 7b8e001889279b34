/* SPDX-License-Identifier: Apache-2.0 */
#include <CGlibc.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Functions that glibc has from 2.38 on, by names that its headers cannot redirect: a Swift runtime that was compiled
// there asks for them. Those of C23 differ from the earlier ones in binary numbers alone, which the runtime does not read.
#define HIDDEN __attribute__((visibility("hidden"), used))

long earlier_strtol(const char *, char **, int) __asm__("strtol");
unsigned long earlier_strtoul(const char *, char **, int) __asm__("strtoul");
long long earlier_strtoll(const char *, char **, int) __asm__("strtoll");
unsigned long long earlier_strtoull(const char *, char **, int) __asm__("strtoull");
int earlier_vsscanf(const char *, const char *, va_list) __asm__("vsscanf");

HIDDEN long __isoc23_strtol(const char *text, char **end, int base) { return earlier_strtol(text, end, base); }
HIDDEN unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return earlier_strtoul(text, end, base);
}
HIDDEN long long __isoc23_strtoll(const char *text, char **end, int base) { return earlier_strtoll(text, end, base); }
HIDDEN unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return earlier_strtoull(text, end, base);
}

HIDDEN int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = earlier_vsscanf(text, format, values);
    va_end(values);
    return count;
}

HIDDEN size_t later_strlcpy(char *target, const char *source, size_t room) __asm__("strlcpy");
size_t later_strlcpy(char *target, const char *source, size_t room) {
    size_t length = strlen(source);
    if (room > 0) {
        size_t count = length < room ? length : room - 1;
        memcpy(target, source, count);
        target[count] = 0;
    }
    return length;
}

HIDDEN size_t later_strlcat(char *target, const char *source, size_t room) __asm__("strlcat");
size_t later_strlcat(char *target, const char *source, size_t room) {
    size_t length = strnlen(target, room);
    return length + later_strlcpy(target + length, source, room - length);
}
