/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules
 *
 * Rules without a token: the arguments of C_Initialize, the state of the library, NULL and nonsense for every function,
 * and a forked child. Names every broken rule; the exit status is their number.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kanal.h>
#include <pkcs11v3.h>

#include "functions.h"

/* Any function, called with arguments of the size of a register. */
typedef CK_RV (*function)(CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG, CK_ULONG,
                          CK_ULONG, CK_ULONG);

struct entry {
    const char *name;
    function call;
};

#define ENTRY(name, n) {#name, (function)name},
static const struct entry functions[] = {
    STANDARD_FUNCTIONS(ENTRY) FUNCTIONS_OF_3_0(ENTRY) EXTENDED_FUNCTIONS(ENTRY)
        KANAL_FUNCTIONS(ENTRY)};
enum { COUNT = sizeof functions / sizeof *functions };

static int wrong;

static void expect(CK_RV code, CK_RV wanted, const char *what) {
    if (code != wanted) {
        wrong++;
        printf("%s: 0x%lX instead of 0x%lX\n", what, code, wanted);
    }
}

static int is(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

/* Functions that need no library, and those that begin and end it. */
static int stands_alone(const char *name) {
    return is(name, "C_Initialize") || is(name, "C_Finalize") || is(name, "C_GetFunctionList")
        || is(name, "C_GetInterface") || is(name, "C_GetInterfaceList") || is(name, "C_EX_GetFunctionListExtended") || is(name, "C_EX_FreeBuffer");
}

static CK_RV call(const struct entry *entry, CK_ULONG first, CK_ULONG other) {
    return entry->call(first, other, other, other, other, other, other, other, other, other, other);
}

static void not_initialized(const char *when) {
    int i;
    for (i = 0; i < COUNT; i++)
        if (!stands_alone(functions[i].name)
            && call(&functions[i], 0, 0) != CKR_CRYPTOKI_NOT_INITIALIZED)
            printf("%s %s: not CKR_CRYPTOKI_NOT_INITIALIZED\n", functions[i].name, when), wrong++;
    expect(C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED, when);
}

static CK_RV callback(void) {
    return CKR_OK;
}

static CK_RV initialize(CK_FLAGS flags, int callbacks, void *reserved) {
    CK_C_INITIALIZE_ARGS arguments;
    CK_RV code;

    memset(&arguments, 0, sizeof arguments);
    arguments.flags = flags;
    arguments.pReserved = reserved;
    if (callbacks > 0)
        arguments.CreateMutex = (CK_CREATEMUTEX)callback;
    if (callbacks > 1) {
        arguments.DestroyMutex = (CK_DESTROYMUTEX)callback;
        arguments.LockMutex = (CK_LOCKMUTEX)callback;
        arguments.UnlockMutex = (CK_UNLOCKMUTEX)callback;
    }
    code = C_Initialize(&arguments);
    if (code == CKR_OK)
        expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    return code;
}

/* An application's mutex, which checks the library's calls of it. */
static int made, held, refuses;

static CK_RV make(void **mutex) {
    *mutex = &made;
    return refuses ? CKR_HOST_MEMORY : (made++, CKR_OK);
}

static CK_RV destroy(void *mutex) {
    return mutex == &made ? (made--, CKR_OK) : CKR_MUTEX_BAD;
}

static CK_RV lock(void *mutex) {
    if (mutex != &made)
        wrong++, puts("a mutex that is none is locked");
    return refuses ? CKR_GENERAL_ERROR : (held++, CKR_OK);
}

static CK_RV unlock(void *mutex) {
    (void)mutex;
    held--;
    return CKR_OK;
}

/* R4: the application's own functions, from a structure that is gone after C_Initialize. */
static void own_mutexes(void) {
    CK_C_INITIALIZE_ARGS arguments = {make, destroy, lock, unlock, 0, NULL};
    CK_INFO info;
    CK_SLOT_ID slot;

    refuses = 1;
    expect(C_Initialize(&arguments), CKR_HOST_MEMORY, "no mutex");
    expect(C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED, "nothing was begun without a mutex");
    refuses = 0;
    expect(C_Initialize(&arguments), CKR_OK, "the application's mutexes");
    memset(&arguments, 0, sizeof arguments);
    refuses = 1;
    expect(C_GetInfo(&info), CKR_GENERAL_ERROR, "a lock that is refused");
    expect(C_Finalize(NULL), CKR_GENERAL_ERROR, "C_Finalize, a lock that is refused");
    refuses = 0;
    expect(C_GetInfo(&info), CKR_OK, "the application's lock");
    expect(C_WaitForSlotEvent(CKF_DONT_BLOCK, &slot, NULL), CKR_NO_EVENT, "C_WaitForSlotEvent");
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize with the application's lock");
    expect((CK_RV)made, 0, "mutexes left");
    expect((CK_RV)held, 0, "locks held");
}

static void initialization(void) {
    int some = 0;
    expect(initialize(0, 0, NULL), CKR_OK, "no callbacks, no flags");
    expect(initialize(CKF_OS_LOCKING_OK, 0, NULL), CKR_OK, "the system's locks");
    expect(initialize(CKF_OS_LOCKING_OK | CKF_LIBRARY_CANT_CREATE_OS_THREADS, 4, NULL), CKR_OK, "both, no threads");
    expect(initialize(0, 4, NULL), CKR_OK, "callbacks only");
    expect(initialize(0, 1, NULL), CKR_ARGUMENTS_BAD, "one callback of four");
    expect(initialize(0, 0, &some), CKR_ARGUMENTS_BAD, "something reserved");
    expect(C_Finalize(&some), CKR_ARGUMENTS_BAD, "C_Finalize with something reserved");
}

/* No pointer, no session and no slot that exists: an error each time, and never a crash. */
static void nonsense(void) {
    int i, j;
    static const CK_ULONG handles[] = {0, 1, ~0UL};
    for (i = 0; i < COUNT; i++)
        for (j = 0; j < 3; j++) {
            const char *name = functions[i].name;
            /* The first argument of one is a pointer; the other may well succeed, on a slot without sessions. */
            if (is(name, "C_GetInfo") || is(name, "C_CloseAllSessions"))
                continue;
            if (!stands_alone(name) && call(&functions[i], handles[j], 0) == CKR_OK)
                printf("%s(%ld, 0, ...): CKR_OK\n", name, (long)handles[j]), wrong++;
        }
    expect(C_GetSlotList(CK_FALSE, NULL, NULL), CKR_ARGUMENTS_BAD, "C_GetSlotList without a count");
    expect(C_GetInfo(NULL), CKR_ARGUMENTS_BAD, "C_GetInfo(NULL)");
    expect(C_CloseSession(12345), CKR_SESSION_HANDLE_INVALID, "C_CloseSession");
    expect(C_EX_SetActivationPassword(0, NULL), CKR_ARGUMENTS_BAD, "C_EX_SetActivationPassword without a password");
    expect(C_EX_SetActivationPassword(~0UL, (CK_UTF8CHAR_PTR)"x"), CKR_SLOT_ID_INVALID, "a slot that is none");
    expect(C_EX_FreeBuffer(NULL), CKR_OK, "C_EX_FreeBuffer(NULL)");
}

static void pairings(void) {
    CK_BYTE serial[8] = {0};
    CK_KANAL_CHANNEL_INFO info;
    CK_KANAL_PAIRED_HOST host = {0};
    CK_ULONG count = 1;

    expect(C_KANAL_GetPairedTokens(NULL, NULL), CKR_ARGUMENTS_BAD, "C_KANAL_GetPairedTokens without a count");
    expect(C_KANAL_GetReaders(NULL, NULL), CKR_ARGUMENTS_BAD, "C_KANAL_GetReaders without a count");
    expect(C_KANAL_RemovePairedToken(NULL, 8), CKR_ARGUMENTS_BAD, "C_KANAL_RemovePairedToken without a number");
    expect(C_KANAL_RemovePairedToken(serial, 7), CKR_ARGUMENTS_BAD, "C_KANAL_RemovePairedToken, short number");
    expect(C_KANAL_RemovePairedToken(serial, ~0UL), CKR_ARGUMENTS_BAD, "C_KANAL_RemovePairedToken, endless number");
    expect(C_KANAL_GetChannelInfo(0, NULL), CKR_ARGUMENTS_BAD, "C_KANAL_GetChannelInfo without a place");
    expect(C_KANAL_GetChannelInfo(~0UL, &info), CKR_SLOT_ID_INVALID, "C_KANAL_GetChannelInfo, no slot");
    expect(C_KANAL_GetPairedHosts(~0UL, NULL, &count), CKR_SLOT_ID_INVALID, "C_KANAL_GetPairedHosts, no slot");
    expect(C_KANAL_RemovePairedHost(1, NULL), CKR_ARGUMENTS_BAD, "C_KANAL_RemovePairedHost without a host");
    expect(C_KANAL_RemovePairedHost(1, &host), CKR_SESSION_HANDLE_INVALID, "C_KANAL_RemovePairedHost, no session");
}

static CK_RV format(CK_ULONG size, CK_ULONG minimum, CK_ULONG tries, CK_ULONG mode) {
    CK_UTF8CHAR pin[] = "12345678";
    CK_RUTOKEN_INIT_PARAM parameters;

    memset(&parameters, 0, sizeof parameters);
    parameters.ulSizeofThisStructure = size;
    parameters.pNewAdminPin = parameters.pNewUserPin = pin;
    parameters.ulNewAdminPinLen = parameters.ulNewUserPinLen = 8;
    parameters.ChangeUserPINPolicy = TOKEN_FLAGS_USER_CHANGE_USER_PIN;
    parameters.ulMinAdminPinLen = parameters.ulMinUserPinLen = minimum;
    parameters.ulMaxAdminRetryCount = parameters.ulMaxUserRetryCount = tries;
    parameters.ulSmMode = mode;
    return C_EX_InitToken(~0UL, pin, 8, &parameters);
}

/* Invalid arguments are refused before a token is looked for. */
static void formatting(void) {
    CK_UTF8CHAR label[32], pin[] = "12345678";

    memset(label, ' ', sizeof label);
    expect(C_InitToken(~0UL, NULL, 8, label), CKR_ARGUMENTS_BAD, "C_InitToken without a PIN");
    expect(C_InitToken(~0UL, pin, 8, NULL), CKR_ARGUMENTS_BAD, "C_InitToken without a label");
    expect(C_InitToken(~0UL, pin, 8, label), CKR_SLOT_ID_INVALID, "C_InitToken");
    expect(format(112, 6, 10, SECURE_MESSAGING_DEFAULT), CKR_SLOT_ID_INVALID, "C_EX_InitToken");
    expect(format(104, 6, 10, 77), CKR_SLOT_ID_INVALID, "C_EX_InitToken, no mode in the structure");
    expect(format(112, 6, 10, 77), CKR_ARGUMENTS_BAD, "C_EX_InitToken, unknown mode");
    expect(format(96, 6, 10, 0), CKR_ARGUMENTS_BAD, "C_EX_InitToken, short structure");
    expect(format(112, 1, 10, 0), CKR_ARGUMENTS_BAD, "C_EX_InitToken, minimum length");
    expect(format(112, 9, 10, 0), CKR_PIN_LEN_RANGE, "C_EX_InitToken, shorter PIN");
    expect(format(112, 6, 11, 0), CKR_ARGUMENTS_BAD, "C_EX_InitToken, tries");
    expect(C_EX_LoadActivationKey(1, label, 32), CKR_SESSION_HANDLE_INVALID, "C_EX_LoadActivationKey");
}

/* A child must initialise the library for itself; its calls do not affect the parent's. */
static void fork_child(int finalize_only) {
    CK_INFO info;
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        wrong = 0;
        expect(C_GetInfo(&info), CKR_CRYPTOKI_NOT_INITIALIZED, "C_GetInfo in the child");
        if (finalize_only)
            expect(C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED, "C_Finalize in the child");
        else {
            CK_ULONG count;
            expect(C_Initialize(NULL), CKR_OK, "C_Initialize in the child");
            expect(C_GetSlotList(CK_FALSE, NULL, &count), CKR_OK, "C_GetSlotList in the child");
            expect(C_Finalize(NULL), CKR_OK, "C_Finalize in the child");
        }
        fflush(stdout);
        _exit(wrong);
    }
    waitpid(child, &status, 0);
    expect((CK_RV)status, 0, "the child's status");
    expect(C_GetInfo(&info), CKR_OK, "C_GetInfo in the parent");
}

int main(void) {
    CK_ULONG count;

    setvbuf(stdout, NULL, _IONBF, 0);
    not_initialized("before C_Initialize");
    initialization();
    own_mutexes();
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize(NULL)");
    expect(C_Initialize(NULL), CKR_CRYPTOKI_ALREADY_INITIALIZED, "C_Initialize again");
    expect(C_GetSlotList(CK_FALSE, NULL, &count), CKR_OK, "C_GetSlotList");
    nonsense();
    pairings();
    formatting();
    fork_child(0);
    fork_child(1);
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    not_initialized("after C_Finalize");
    return wrong;
}
