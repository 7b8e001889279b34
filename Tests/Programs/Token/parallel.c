/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel slot slot
 *
 * Prints "ready" when it has a session with both tokens, and reads a line. The first token must not answer after that:
 * while one thread waits for it, and another for a slot's event, the second token and the list of slots answer all the
 * same. Prints "answered" and the time of the slowest call, and ends when the first token has answered too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../program.h"

static CK_SESSION_HANDLE sessions[2];
static CK_RV slow_code;
static int slow_has_answered;

static void *ask_slow_token(void *unused) {
    CK_BYTE octets[32];
    slow_code = C_GenerateRandom(sessions[0], octets, sizeof octets);
    __atomic_store_n(&slow_has_answered, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *wait_for_events(void *unused) {
    CK_SLOT_ID slot;
    while (C_WaitForSlotEvent(0, &slot, NULL) == CKR_OK) continue;
    return unused;
}

int main(int argc, char **argv) {
    pthread_t slow, waiting;
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    CK_SLOT_ID slots[16];
    CK_BYTE octets[32];
    double longest = 0;

    if (argc != 3 || C_Initialize(&arguments) != CKR_OK)
        return 1;
    for (int i = 0; i < 2; i++)
        if (C_OpenSession(strtoul(argv[i + 1], NULL, 10), CKF_SERIAL_SESSION, NULL, NULL, &sessions[i]) != CKR_OK)
            return 2;
    puts("ready");
    fflush(stdout);
    getchar();
    pthread_create(&waiting, NULL, wait_for_events, NULL);
    pthread_create(&slow, NULL, ask_slow_token, NULL);
    double begin = now();
    /* Long enough for several waits of the thread that waits. */
    while (now() - begin < 1500) {
        CK_ULONG count = 16;
        CK_SLOT_INFO info;
        double start = now();
        if (C_GenerateRandom(sessions[1], octets, sizeof octets) != CKR_OK)
            return 3;
        if (C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK || count != 2)
            return 4;
        if (C_GetSlotInfo(slots[0], &info) != CKR_OK)
            return 5;
        if (now() - start > longest)
            longest = now() - start;
        struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
    }
    if (__atomic_load_n(&slow_has_answered, __ATOMIC_SEQ_CST))
        return 6;
    printf("answered %.0f ms\n", longest);
    fflush(stdout);
    pthread_join(slow, NULL);
    if (slow_code != CKR_OK || C_Finalize(NULL) != CKR_OK)
        return 7;
    pthread_join(waiting, NULL);
    return longest < 500 ? 0 : 8;
}
