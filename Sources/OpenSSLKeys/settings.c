/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of control commands and of the provider's section. The process has one set: a program may load engine or
 * provider in openssl.cnf and by itself, and the settings of each hold for both.
 */
#define _GNU_SOURCE
#include "keys.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char *module;
    struct secret *pin;
    /* In a token's form, padded with blanks; empty for none. */
    CK_UTF8CHAR serial[sizeof ((CK_TOKEN_INFO *)NULL)->serialNumber + 1];
    UI_METHOD *method;
    void *data;
    bool is_login_forced;
} settings;
#define SET(field, value) state_lock(), settings.field = (value), state_unlock()

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

void settings_set_interface(UI_METHOD *method) { SET(method, method); }
void settings_set_data(void *data) { SET(data, data); }
void settings_set_login(bool is_forced) { SET(is_login_forced, is_forced); }

bool settings_login(void) {
    bool is_forced;

    state_lock();
    is_forced = settings.is_login_forced;
    state_unlock();
    return is_forced;
}

/* Kanal's library: beside the engine's own directory, or in the loader's path. p11-kit needs the whole path. */
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
