/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module MODULE load          one life of a module in a fresh process: dlopen, C_Initialize, two C_GetSlotList,
 *                             C_Finalize
 * module MODULE work LABEL    what calls cost with the token of this label
 *
 * Prints a figure a line: name, value, unit. Times are medians. Exit status: 0, or 1 if a call fails.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rtpkcs11.h>

enum { runs = 200, objects = 1000, sessions = 10000, calls = 1000000 };

static CK_FUNCTION_LIST *module;
static double times[runs];
static CK_OBJECT_HANDLE found[objects + 100];
static CK_SESSION_HANDLE open_sessions[sessions];

static void check(const char *call, CK_RV code) {
    if (code != CKR_OK) {
        fprintf(stderr, "%s: 0x%lX\n", call, code);
        exit(1);
    }
}

#define TRY(call) check(#call, module->call)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void report(const char *name) {
    qsort(times, runs, sizeof times[0], compare);
    printf("%s %.2f us\n", name, times[runs / 2]);
}

/* The median time of what follows, which sees its number as "run". */
#define MEASURE(name, ...) \
    do { \
        for (int run = 0; run < runs; run++) { \
            double begin = now(); \
            __VA_ARGS__; \
            times[run] = now() - begin; \
        } \
        report(name); \
    } while (0)

static long memory(const char *key) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long size = 0;
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, key, strlen(key)) == 0)
            size = strtol(line + strlen(key) + 1, NULL, 10);
    if (status)
        fclose(status);
    return size;
}

static void load(const char *path) {
    CK_RV (*get_list)(CK_FUNCTION_LIST **);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle || !(get_list = (CK_RV (*)(CK_FUNCTION_LIST **))dlsym(handle, "C_GetFunctionList"))) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    check("C_GetFunctionList", get_list(&module));
}

static void initialise(void) {
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    TRY(C_Initialize(&arguments));
}

static CK_ULONG list(CK_SLOT_ID *slots) {
    CK_ULONG count = 0;
    TRY(C_GetSlotList(CK_TRUE, NULL, &count));
    count = 64;
    TRY(C_GetSlotList(CK_TRUE, slots, &count));
    return count;
}

static CK_SLOT_ID find_slot(const char *label) {
    CK_SLOT_ID slots[64];
    CK_TOKEN_INFO info;
    CK_ULONG count = list(slots);
    for (CK_ULONG i = 0; i < count; i++)
        if (module->C_GetTokenInfo(slots[i], &info) == CKR_OK
            && strncmp((const char *)info.label, label, strlen(label)) == 0)
            return slots[i];
    fprintf(stderr, "no token \"%s\"\n", label);
    exit(1);
}

static CK_SESSION_HANDLE open_session(CK_SLOT_ID slot) {
    CK_SESSION_HANDLE session;
    TRY(C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session));
    return session;
}

static CK_ULONG search(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG count) {
    CK_ULONG number;
    TRY(C_FindObjectsInit(session, template, count));
    TRY(C_FindObjects(session, found, sizeof found / sizeof found[0], &number));
    TRY(C_FindObjectsFinal(session));
    return number;
}

static void measure_objects(CK_SESSION_HANDLE session) {
    CK_OBJECT_CLASS class = CKO_DATA;
    CK_BBOOL no = CK_FALSE;
    char label[16];
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_TOKEN, &no, sizeof no}, {CKA_PRIVATE, &no, sizeof no},
        {CKA_LABEL, label, 0}, {CKA_VALUE, label, 0}};
    CK_ULONG number;

    MEASURE("search_nothing", search(session, NULL, 0));
    for (int i = 0; i < objects; i++) {
        template[3].ulValueLen = template[4].ulValueLen = snprintf(label, sizeof label, "object %d", i);
        TRY(C_CreateObject(session, template, 5, &found[0]));
    }
    MEASURE("search_1000", search(session, NULL, 0));
    MEASURE("search_1_of_1000", if (search(session, template + 3, 1) != 1) exit(1));
    TRY(C_FindObjectsInit(session, NULL, 0));
    double begin = now();
    TRY(C_FindObjects(session, found, sizeof found / sizeof found[0], &number));
    printf("find_objects_1000 %.2f us\n", now() - begin);
    TRY(C_FindObjectsFinal(session));
    for (CK_ULONG i = 0; i < number; i++)
        module->C_DestroyObject(session, found[i]);
}

static void measure_sessions(CK_SLOT_ID slot, const char *when) {
    char name[64];
    CK_SESSION_INFO session_info;
    CK_TOKEN_INFO token_info;
    CK_SESSION_HANDLE session = open_session(slot);

    snprintf(name, sizeof name, "open_close_%s", when);
    MEASURE(name, CK_SESSION_HANDLE another = open_session(slot); TRY(C_CloseSession(another)));
    snprintf(name, sizeof name, "session_info_%s", when);
    MEASURE(name, TRY(C_GetSessionInfo(session, &session_info)));
    snprintf(name, sizeof name, "token_info_%s", when);
    MEASURE(name, TRY(C_GetTokenInfo(slot, &token_info)));
    TRY(C_CloseSession(session));
}

static void measure_digest(CK_SESSION_HANDLE session) {
    static CK_BYTE data[16384];
    CK_BYTE digest[64];
    CK_ULONG length;
    CK_MECHANISM mechanism = {CKM_GOSTR3411_12_512, NULL, 0};

    if (module->C_DigestInit(session, &mechanism) != CKR_OK)
        return;
    length = sizeof digest;
    TRY(C_Digest(session, data, 1, digest, &length));
    MEASURE("streebog_512_16KiB", TRY(C_DigestInit(session, &mechanism)); length = sizeof digest;
            TRY(C_Digest(session, data, sizeof data, digest, &length)));
}

static void measure_growth(CK_SESSION_HANDLE session) {
    CK_BYTE data[32] = {0}, digest[32];
    CK_ULONG length;
    CK_MECHANISM mechanism = {CKM_SHA256, NULL, 0};
    CK_SESSION_INFO info;
    long before = 0;

    for (int i = 0; i < calls; i++) {
        if (i == calls / 100)
            before = memory("VmRSS:");
        if (i % 2) {
            TRY(C_DigestInit(session, &mechanism));
            length = sizeof digest;
            TRY(C_Digest(session, data, sizeof data, digest, &length));
        } else {
            TRY(C_GetSessionInfo(session, &info));
        }
    }
    printf("growth %ld KiB\n", memory("VmRSS:") - before);
}

int main(int count, char **arguments) {
    CK_SLOT_ID slots[64], slot;
    CK_SESSION_HANDLE session;

    if (count == 3 && strcmp(arguments[2], "load") == 0) {
        double start = now();
        load(arguments[1]);
        initialise();
        list(slots);
        TRY(C_Finalize(NULL));
        printf("load %.2f us\npeak %ld KiB\n", now() - start, memory("VmHWM:"));
        return 0;
    }
    if (count != 4 || strcmp(arguments[2], "work") != 0)
        return 1;

    load(arguments[1]);
    MEASURE("life", initialise(); list(slots); TRY(C_Finalize(NULL)));
    initialise();
    MEASURE("slot_list", list(slots));
    slot = find_slot(arguments[3]);
    session = open_session(slot);
    measure_objects(session);
    measure_digest(session);
    measure_growth(session);
    measure_sessions(slot, "alone");
    for (int i = 0; i < sessions; i++)
        open_sessions[i] = open_session(slot);
    measure_sessions(slot, "among_10000");
    double start = now();
    for (int i = 0; i < sessions; i++)
        TRY(C_CloseSession(open_sessions[i]));
    printf("close_of_10000 %.2f us\n", (now() - start) / sessions);
    TRY(C_Finalize(NULL));
    return 0;
}
