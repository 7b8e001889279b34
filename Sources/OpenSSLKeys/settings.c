/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What control commands or the provider's section have set. The process has one set: a program may load either in
 * openssl.cnf and by itself, and what either of them says holds for both.
 */
#define _GNU_SOURCE
#include "keys.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char *module;
    struct secret *pin;
    /* As a token has it, filled up with blanks; empty for none. */
    CK_UTF8CHAR serial[sizeof ((CK_TOKEN_INFO *)NULL)->serialNumber + 1];
    UI_METHOD *method;
    void *data;
    int verbose;
    bool is_login_forced;
} settings;

void settings_set_module(const char *path) {
    char *copy = path ? OPENSSL_strdup(path) : NULL, *old;

    state_lock();
    old = settings.module;
    settings.module = copy;
    state_unlock();
    OPENSSL_free(old);
}

struct secret *settings_forget_pin(void) {
    struct secret *old = settings.pin;

    settings.pin = NULL;
    settings.serial[0] = 0;
    return old;
}

void settings_set_pin(struct secret *pin) {
    struct secret *old;

    state_lock();
    old = settings.pin;
    settings.pin = pin;
    state_unlock();
    secret_free(old);
}

int settings_set_serial(const char *serial) {
    size_t length = strlen(serial), room = sizeof settings.serial - 1;

    if (length > room)
        return FAIL(REASON_CONTROL, "SERIAL has more than %zu characters; it is the serial number of a token", room);
    state_lock();
    memset(settings.serial, ' ', room);
    memcpy(settings.serial, serial, length);
    if (length == 0)
        settings.serial[0] = 0;
    state_unlock();
    return 1;
}

enum serial settings_serial(const CK_TOKEN_INFO *info) {
    enum serial serial;

    state_lock();
    serial = settings.serial[0] == 0                                                            ? SERIAL_NONE
        : memcmp(settings.serial, info->serialNumber, sizeof info->serialNumber) == 0 ? SERIAL_SAME
                                                                                                : SERIAL_OTHER;
    state_unlock();
    return serial;
}

void settings_set_interface(UI_METHOD *method) {
    state_lock();
    settings.method = method;
    state_unlock();
}

void settings_set_data(void *data) {
    state_lock();
    settings.data = data;
    state_unlock();
}

void settings_set_verbose(int level) {
    state_lock();
    settings.verbose = level < 0 ? settings.verbose + 1 : level;
    state_unlock();
}

void settings_set_login(bool is_forced) {
    state_lock();
    settings.is_login_forced = is_forced;
    state_unlock();
}

bool settings_login(void) {
    bool is_forced;

    state_lock();
    is_forced = settings.is_login_forced;
    state_unlock();
    return is_forced;
}

/* Kanal's library: beside the engine's own directory, or where the loader looks. p11-kit wants the whole path. */
static char *find_kanal(void) {
    static const char name[] = "libkanal-pkcs11.so";
    char beside[PATH_MAX], path[PATH_MAX];
    struct link_map *map = NULL;
    Dl_info own;
    void *library;
    bool is_found = false;

    if (dladdr((void *)find_kanal, &own) && own.dli_fname) {
        const char *slash = strrchr(own.dli_fname, '/');
        int length = slash ? (int)(slash - own.dli_fname) : 0;
        int written = snprintf(beside, sizeof beside, "%.*s/../%s", length, own.dli_fname, name);
        is_found = slash && written > 0 && (size_t)written < sizeof beside && realpath(beside, path);
    }
    loader_lock();
    if (!is_found && !process_root_has_changed() && (library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != NULL) {
        is_found = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && realpath(map->l_name, path);
        dlclose(library);
    }
    loader_unlock();
    return OPENSSL_strdup(is_found ? path : name);
}

char *settings_module(void) {
    char *path;

    state_lock();
    path = settings.module ? OPENSSL_strdup(settings.module) : NULL;
    state_unlock();
    return path ? path : find_kanal();
}

struct secret *settings_pin(void) {
    struct secret *pin;

    state_lock();
    pin = settings.pin ? secret_copy(settings.pin) : NULL;
    state_unlock();
    return pin;
}

void settings_lock_pin(void) { secret_lock(settings.pin); }

struct asking settings_asking(void) {
    struct asking asking;

    state_lock();
    asking = (struct asking){.method = settings.method, .data = settings.data};
    state_unlock();
    return asking;
}

void settings_note(const char *format, ...) {
    struct text text = {0}, printable = {0};
    va_list arguments;
    int verbose;

    state_lock();
    verbose = settings.verbose;
    state_unlock();
    if (verbose == 0)
        return;
    va_start(arguments, format);
    text_add_list(&text, format, arguments);
    va_end(arguments);
    text_add_printable(&printable, text.characters);
    fprintf(stderr, "kanal: %s\n", printable.characters);
}
