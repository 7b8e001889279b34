/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPCSC_H
#define CPCSC_H

#include <winscard.h>
#include <dlfcn.h>

// libpcsclite, opened when it is first needed. So a program runs without it, too. dlopen(3) also binds it as the
// program is bound, whatever RTLD_DEEPBIND the program opened this library with: libpcsclite frees memory that the C
// library has allocated by itself, perhaps with a different allocator.

#define PCSC_FUNCTIONS(each) \
    each(SCardBeginTransaction) each(SCardConnect) each(SCardControl) each(SCardDisconnect) each(SCardEndTransaction) \
    each(SCardEstablishContext) each(SCardGetAttrib) each(SCardGetStatusChange) each(SCardIsValidContext) \
    each(SCardListReaders) each(SCardReconnect) each(SCardReleaseContext) each(SCardStatus) each(SCardTransmit)

struct pcsc_functions {
#define PCSC_FUNCTION(name) __typeof__(name) *_Nonnull name;
    PCSC_FUNCTIONS(PCSC_FUNCTION)
#undef PCSC_FUNCTION
};

// All functions; NULL if libpcsclite or one of them is missing. It is called once, and the result stays.
static inline const struct pcsc_functions *_Nullable pcsc_open(void) {
    static struct pcsc_functions table;
    void *library = dlopen("libpcsclite.so.1", RTLD_NOW | RTLD_LOCAL), *found;
    if (!library) return 0;
#define PCSC_FUNCTION(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    __builtin_memcpy(&table.name, &found, sizeof found);
    PCSC_FUNCTIONS(PCSC_FUNCTION)
#undef PCSC_FUNCTION
    return &table;
}

#endif
