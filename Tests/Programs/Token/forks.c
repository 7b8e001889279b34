/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks slot count
 *
 * Forks this number of children while four threads open sessions, query the token and look at the slots. Each child
 * initialises the library again and lists the slots; a child that does not end within 20 seconds is stuck. Prints the
 * number of stuck ones, and the longest time of a fork.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../program.h"

static CK_SLOT_ID slot;
static int has_ended;

static void *work(void *unused) {
    while (!__atomic_load_n(&has_ended, __ATOMIC_SEQ_CST)) {
        CK_SESSION_HANDLE session;
        CK_BYTE octets[8];
        CK_ULONG count;
        CK_SLOT_ID changed;
        C_GetSlotList(CK_FALSE, NULL, &count);
        C_WaitForSlotEvent(CKF_DONT_BLOCK, &changed, NULL);
        if (C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &session) != CKR_OK)
            continue;
        C_GenerateRandom(session, octets, sizeof octets);
        C_CloseSession(session);
    }
    return unused;
}

static int child(void) {
    CK_ULONG count = 0;
    alarm(20);
    if (C_Initialize(NULL) != CKR_OK)
        return 1;
    if (C_GetSlotList(CK_TRUE, NULL, &count) != CKR_OK)
        return 2;
    return count == 0 ? 3 : C_Finalize(NULL) == CKR_OK ? 0 : 4;
}

int main(int argc, char **argv) {
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    pthread_t threads[4];
    int stuck = 0, failed = 0;
    double longest = 0;

    if (argc != 3 || C_Initialize(&arguments) != CKR_OK)
        return 1;
    slot = strtoul(argv[1], NULL, 10);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < atoi(argv[2]); i++) {
        int status;
        double begin = now();
        pid_t process = fork();
        if (process == 0)
            _exit(child());
        if (now() - begin > longest)
            longest = now() - begin;
        waitpid(process, &status, 0);
        stuck += WIFSIGNALED(status);
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
            failed++;
            printf("child: %d\n", WEXITSTATUS(status));
        }
    }
    __atomic_store_n(&has_ended, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("stuck %d, failed %d, longest fork %.0f ms\n", stuck, failed, longest);
    return C_Finalize(NULL) != CKR_OK || stuck > 0 || failed > 0 || longest > 400;
}
