/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads MODULE PIN SIGNATURES   signs by the first key of the first token, first in one thread, then in 16 threads with
 *                                 a session each, and prints the signatures of a second in either case
 *
 * Exit status: 0, or 1 if a call fails.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rtpkcs11.h>

enum { MOST = 16 };

static CK_FUNCTION_LIST *module;
static CK_SLOT_ID slot;
static CK_OBJECT_HANDLE key;
static int signatures;

static void check(const char *call, CK_RV code) {
    if (code == CKR_OK) return;
    fprintf(stderr, "%s: 0x%lX\n", call, code);
    exit(1);
}
#define TRY(call) check(#call, module->call)

static CK_SESSION_HANDLE open_session(void) {
    CK_SESSION_HANDLE session;
    TRY(C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &session));
    return session;
}

static void *sign(void *unused) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_SESSION_HANDLE session = open_session();
    for (int i = 0; i < signatures; i++) {
        CK_ULONG length = sizeof signature;
        TRY(C_SignInit(session, &mechanism, key));
        TRY(C_Sign(session, digest, sizeof digest, signature, &length));
    }
    TRY(C_CloseSession(session));
    return unused;
}

static double measure(int count, int total) {
    struct timespec begin, end;
    pthread_t threads[MOST];
    signatures = total / count;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, sign, NULL) != 0) exit(1);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return signatures * count / ((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
}

int main(int count, char **arguments) {
    CK_C_INITIALIZE_ARGS locking = {.flags = CKF_OS_LOCKING_OK};
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template = {CKA_CLASS, &class, sizeof class};
    CK_ULONG number = 1;

    if (count != 4) return 1;
    void *library = dlopen(arguments[1], RTLD_NOW);
    CK_C_GetFunctionList list = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : NULL;
    if (!list || list(&module) != CKR_OK) return 1;
    TRY(C_Initialize(&locking));
    TRY(C_GetSlotList(CK_TRUE, &slot, &number));
    CK_SESSION_HANDLE session = open_session();
    TRY(C_Login(session, CKU_USER, (CK_UTF8CHAR *)arguments[2], strlen(arguments[2])));
    // The search finds the public key as well, by which signatures are verified.
    TRY(C_FindObjectsInit(session, &template, 1));
    TRY(C_FindObjects(session, &key, 1, &number));
    TRY(C_FindObjectsFinal(session));
    if (number != 1) return 1;
    double one = measure(1, atoi(arguments[3])), many = measure(MOST, atoi(arguments[3]));
    printf("%.0f|%.0f|%.2f\n", one, many, many / one);
    TRY(C_Finalize(NULL));
    return 0;
}
