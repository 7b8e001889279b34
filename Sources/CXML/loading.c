/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "CProcess.h"
#include "CXML.h"
#include "functions.h"

// The library that comes with the header that this was compiled with, first.
static const char *const names[] = {"libxml2.so.2", "libxml2.so.16"};
enum { NAMES = sizeof names / sizeof *names };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct libxml2 functions;
static int is_loaded;

static int take(void *library) {
    struct libxml2 found;
#define FUNCTION(name) \
    if (!(found.name = (__typeof__(found.name))dlsym(library, #name))) return 0;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    functions = found;
    return 1;
}

// After chroot(2) whoever can write there would choose the library. A library without a function is not used, and another
// one of the same machine may have it.
static int load(void) {
    if (process_root_has_changed()) return 0;
    for (size_t i = 0; i < NAMES; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        if (take(library)) {
            functions.xmlInitParser();
            return 1;
        }
        dlclose(library);
    }
    return 0;
}

const struct libxml2 *libxml2(void) {
    if (!__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&mutex);
        if (!is_loaded && load()) __atomic_store_n(&is_loaded, 1, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&mutex);
        if (!__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE)) return NULL;
    }
    return &functions;
}

int CXML_load(void) { return libxml2() != NULL; }
