/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends LIBRARY WAY
 *
 * Uses the library that the first argument names, and ends in the way that the second names. The process exits with 0,
 * regardless of the order in which its parts end, and starts nothing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rtpkcs11.h>

static CK_FUNCTION_LIST_PTR functions;
static int finalizes_last;

static int load(const char *path, void **library) {
    CK_C_GetFunctionList get;
    void *symbol;
    *library = dlopen(path, RTLD_NOW);
    symbol = *library ? dlsym(*library, "C_GetFunctionList") : NULL;
    memcpy(&get, &symbol, sizeof symbol);
    return symbol && get(&functions) == CKR_OK;
}

static void finalize(void) {
    CK_RV code = functions->C_Finalize(NULL);
    if (code != CKR_OK && code != CKR_CRYPTOKI_NOT_INITIALIZED)
        _exit(9);
}

/* Runs after the handlers of atexit. */
__attribute__((destructor)) static void last(void) {
    if (finalizes_last)
        finalize();
}

static void *use(void *nothing) {
    CK_ULONG count;
    for (;;)
        functions->C_GetSlotList(CK_FALSE, NULL, &count);
    return nothing;
}

/* Whether the process has neither another thread nor a child, dead or alive. */
static int is_alone(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    while (readdir(tasks))
        count++;
    closedir(tasks);
    errno = 0;
    return count == 3 && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

int main(int argc, char **argv) {
    void *library;
    CK_ULONG count;
    const char *way = argc == 3 ? argv[2] : "";
    int i;

    /* Registered before the library's own handlers, so that it runs after them. */
    if (strcmp(way, "atexit") == 0 && atexit(finalize) != 0)
        return 1;
    if (!load(argv[1], &library) || functions->C_Initialize(NULL) != CKR_OK)
        return 2;
    functions->C_GetSlotList(CK_FALSE, NULL, &count);
    if (strcmp(way, "alone") == 0)
        return is_alone() && functions->C_Finalize(NULL) == CKR_OK && is_alone() ? 0 : 3;
    if (strcmp(way, "destructor") == 0)
        finalizes_last = 1;
    if (strcmp(way, "twice") == 0)
        return functions->C_Finalize(NULL) == CKR_OK
                && functions->C_Finalize(NULL) == CKR_CRYPTOKI_NOT_INITIALIZED ? 0 : 4;
    if (strcmp(way, "openssl") == 0) {
        void (*cleanup)(void);
        void *symbol = dlsym(dlopen("libcrypto.so.3", RTLD_NOW), "OPENSSL_cleanup");
        memcpy(&cleanup, &symbol, sizeof symbol);
        cleanup();
        finalize();
    }
    if (strcmp(way, "unload") == 0) {
        pid_t child;
        int status = -1;
        for (i = 0; i < 5; i++) {
            finalize();
            dlclose(library);
            if (!load(argv[1], &library) || functions->C_Initialize(NULL) != CKR_OK)
                return 5;
        }
        /* The library's handlers of fork(2) are called although it is closed. */
        finalize();
        dlclose(library);
        child = fork();
        if (child == 0)
            _exit(0);
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 7;
    }
    if (strcmp(way, "threads") == 0) {
        pthread_t thread;
        for (i = 0; i < 4; i++)
            if (pthread_create(&thread, NULL, use, NULL) != 0)
                return 6;
        usleep(20000);
    }
    return 0;
}
