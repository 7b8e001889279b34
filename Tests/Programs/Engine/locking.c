/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module around another one, whose path is LIBRARY, that prints on standard error the flags with which it was initialised,
 * and, at the program's end, how many threads were in it at the same time, how many objects were found, and how often
 * attributes were read. With REFUSES in the environment it cannot
 * lock, with TAKEN another part of the program has initialised it.
 */
#include "around.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int inside, most, found, read_count;

static CK_RV initialize(void *arguments) {
    CK_C_INITIALIZE_ARGS threads = {.flags = CKF_OS_LOCKING_OK}, *given = arguments;
    CK_RV code;

    fprintf(stderr, "C_Initialize: %lu\n", given ? given->flags : 0);
    if (given && getenv("REFUSES"))
        return CKR_CANT_LOCK;
    code = inner->C_Initialize(&threads);
    return code == CKR_OK && getenv("TAKEN") ? CKR_CRYPTOKI_ALREADY_INITIALIZED : code;
}

__attribute__((destructor)) static void end(void) {
    fprintf(stderr, "at once: %d\nfound: %d\nread: %d\n", most, found, read_count);
}

static void enter(void) {
    struct timespec moment = {0, 100000};
    int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST), old = __atomic_load_n(&most, __ATOMIC_SEQ_CST);

    while (now > old && !__atomic_compare_exchange_n(&most, &old, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
    nanosleep(&moment, NULL);
}

static CK_RV leave(CK_RV code) {
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    return code;
}

/* The functions that a program with many threads calls, and what they are called with. */
#define FUNCTIONS(ENTRY) \
    ENTRY(C_OpenSession, (CK_SLOT_ID a, CK_FLAGS b, void *c, CK_NOTIFY d, CK_SESSION_HANDLE *e), (a, b, c, d, e)) \
    ENTRY(C_CloseSession, (CK_SESSION_HANDLE a), (a)) \
    ENTRY(C_FindObjectsInit, (CK_SESSION_HANDLE a, CK_ATTRIBUTE *b, CK_ULONG c), (a, b, c)) \
    ENTRY(C_FindObjects, (CK_SESSION_HANDLE a, CK_OBJECT_HANDLE *b, CK_ULONG c, CK_ULONG *d), (a, b, c, d)) \
    ENTRY(C_FindObjectsFinal, (CK_SESSION_HANDLE a), (a)) \
    ENTRY(C_GetAttributeValue, (CK_SESSION_HANDLE a, CK_OBJECT_HANDLE b, CK_ATTRIBUTE *c, CK_ULONG d), (a, b, c, d)) \
    ENTRY(C_SignInit, (CK_SESSION_HANDLE a, CK_MECHANISM *b, CK_OBJECT_HANDLE c), (a, b, c)) \
    ENTRY(C_Sign, (CK_SESSION_HANDLE a, CK_BYTE *b, CK_ULONG c, CK_BYTE *d, CK_ULONG *e), (a, b, c, d, e))

#define DEFINE(function, parameters, arguments) \
    static CK_RV counted_##function parameters { \
        enter(); \
        return leave(inner->function arguments); \
    }
FUNCTIONS(DEFINE)

static CK_RV find_objects(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG room, CK_ULONG *count) {
    CK_RV code = counted_C_FindObjects(session, objects, room, count);

    if (code == CKR_OK)
        __atomic_add_fetch(&found, (int)*count, __ATOMIC_SEQ_CST);
    return code;
}

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    __atomic_add_fetch(&read_count, 1, __ATOMIC_SEQ_CST);
    return counted_C_GetAttributeValue(session, object, attributes, count);
}

static void replace(void) {
    outer.C_Initialize = initialize;
#define REPLACE(function, parameters, arguments) outer.function = counted_##function;
    FUNCTIONS(REPLACE)
    outer.C_FindObjects = find_objects;
    outer.C_GetAttributeValue = get_attribute_value;
}
