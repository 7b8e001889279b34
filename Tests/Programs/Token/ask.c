/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask SERIAL [OTHER]
 *
 * Opens a session with the token of this serial number, logs in without a PIN, twice, and prints the return values.
 * With OTHER, a second thread works with that token at the same time: the longest time of a call, and the number of
 * calls, are printed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../program.h"

static CK_SLOT_ID other;
static volatile int over;
static double longest;
static unsigned long count;

static int find(const char *serial, CK_SLOT_ID *slot) {
    CK_SLOT_ID slots[16];
    CK_ULONG number = COUNT(slots);
    CK_TOKEN_INFO token;

    if (C_GetSlotList(CK_TRUE, slots, &number) != CKR_OK)
        return 0;
    while (number--)
        if (C_GetTokenInfo(slots[number], &token) == CKR_OK && strncmp((char *)token.serialNumber, serial, 8) == 0) {
            *slot = slots[number];
            return 1;
        }
    return 0;
}

static void *work(void *nothing) {
    CK_SESSION_HANDLE session;
    CK_TOKEN_INFO token;
    CK_BYTE random[8];

    expect(C_OpenSession(other, CKF_SERIAL_SESSION, NULL, NULL, &session), CKR_OK, "the other token's session");
    while (!over) {
        double start = now();
        expect(C_GetTokenInfo(other, &token), CKR_OK, "C_GetTokenInfo of the other token");
        expect(C_GenerateRandom(session, random, sizeof random), CKR_OK, "C_GenerateRandom of the other token");
        if (now() - start > longest)
            longest = now() - start;
        count++;
        /* Others want that token, too. */
        usleep(20000);
    }
    return nothing;
}

int main(int argc, char **argv) {
    CK_C_INITIALIZE_ARGS arguments = { .flags = CKF_OS_LOCKING_OK };
    CK_SESSION_HANDLE session;
    CK_SLOT_ID slot;
    pthread_t thread;
    int time;

    if (argc < 2 || C_Initialize(&arguments) != CKR_OK || !find(argv[1], &slot))
        return 2;
    if (argc > 2) {
        if (!find(argv[2], &other) || pthread_create(&thread, NULL, work, NULL))
            return 2;
    }
    for (time = 0; time < 2; time++) {
        CK_RV code = C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
        printf("C_OpenSession 0x%lX\n", code);
        if (code == CKR_OK) {
            printf("C_Login 0x%lX\n", C_Login(session, CKU_USER, NULL, 0));
            C_CloseSession(session);
        }
        fflush(stdout);
    }
    over = 1;
    if (argc > 2) {
        pthread_join(thread, NULL);
        printf("longest %.0f ms of %lu\n", longest, count);
    }
    C_Finalize(NULL);
    return wrong != 0;
}
