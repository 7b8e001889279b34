/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory LIBRARY [COUNT [NUMBER]]
 *
 * Takes the memory away from processes that use the library: the nth allocation fails, or all from the nth on, for
 * COUNT numbers each (60), or the limit of addresses is reached. Each call must answer, and no process may end by it.
 * With memory again, all calls must succeed. With NUMBER only that one is tried. Allocations of libcrypto itself do not
 * fail: it never repeats a failed initialisation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "visit.h"

/* The C library's, below the functions of this program that take their place. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

enum { NEVER = -1 };

/* The number of allocations left, and whether all that follow fail. */
static long left = NEVER, counted;
static int goes_on;

static int is_libcrypto(const void *code) {
    Dl_info place;
    return dladdr(code, &place) && place.dli_fname && strstr(place.dli_fname, "libcrypto.so");
}

static int fails(const void *caller) {
    counted++;
    if (left == NEVER) return 0;
    if (left > 0) {
        left--;
        return 0;
    }
    if (is_libcrypto(caller)) return 0;
    if (!goes_on) left = NEVER;
    errno = ENOMEM;
    return 1;
}

#define FAILS fails(__builtin_return_address(0))
void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return FAILS ? NULL : __libc_realloc(memory, size); }
void free(void *memory) { __libc_free(memory); }
void *memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *memory = FAILS ? NULL : __libc_memalign(alignment, size);
    if (memory) *place = memory;
    return memory ? 0 : ENOMEM;
}

/* The calls under a lack of memory, from the nth allocation on, in the first thread or another one. */
static int is_first_thread;

static void *use_all(void *nothing) {
    CK_INFO info;
    long number = left;
    left = NEVER;
    /* The C library ends a process without memory for a thread's variables, which the first call makes. */
    if (number > 0) p11->C_GetInfo(&info);
    left = number;
    visit();
    /* Ends unfinished work as far as possible. */
    p11->C_Finalize(NULL);
    return nothing;
}

static void lack(void) {
    pthread_t thread;
    if (is_first_thread || pthread_create(&thread, NULL, use_all, NULL) != 0)
        use_all(NULL);
    else
        pthread_join(thread, NULL);
}

/* With memory again, all goes well. */
static int recovers(void) {
    left = NEVER;
    CK_RV code = p11->C_Finalize(NULL);
    if (code != CKR_OK && code != CKR_CRYPTOKI_NOT_INITIALIZED) {
        fprintf(stderr, "C_Finalize, with memory again: 0x%lX\n", code);
        return 0;
    }
    refused = NULL;
    visit();
    if (refused) fprintf(stderr, "with memory again, %s: 0x%lX\n", refused, refusal);
    return !refused;
}

static int fail_from(long number) {
    left = number;
    lack();
    return recovers() ? 0 : 1;
}

static unsigned long addresses(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1) exit(9);
    fclose(file);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

/* Uses as much stack as a call does. */
static void work_on_much(void) {
    static CK_BYTE data[24 << 20], result[24 << 20];
    CK_SLOT_ID slots[16];
    CK_ULONG count = 16, length = sizeof result;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    CK_BBOOL no = CK_FALSE;
    CK_ATTRIBUTE template[] = {{CKA_TOKEN, &no, sizeof no}};
    CK_MECHANISM generate = {CKM_KUZNYECHIK_KEY_GEN, NULL, 0}, encrypt = {CKM_KUZNYECHIK_ECB, NULL, 0};
    if (p11->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK || count == 0
        || p11->C_OpenSession(slots[0], CKF_SERIAL_SESSION, NULL, NULL, &session) != CKR_OK)
        return;
    CK_OBJECT_HANDLE object;
    CK_OBJECT_CLASS class = CKO_DATA;
    CK_ATTRIBUTE large[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_TOKEN, &no, sizeof no}, {CKA_VALUE, data, 15 << 20}};
    p11->C_CreateObject(session, large, 3, &object);
    p11->C_GenerateRandom(session, result, 15 << 20);
    if (p11->C_GenerateKey(session, &generate, template, 1, &key) == CKR_OK
        && p11->C_EncryptInit(session, &encrypt, key) == CKR_OK)
        p11->C_Encrypt(session, data, sizeof data, result, &length);
    p11->C_CloseSession(session);
}

static int limit_addresses(long beside) {
    struct rlimit limit, before;
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = addresses() + (unsigned long)beside;
    setrlimit(RLIMIT_AS, &limit);
    if (p11->C_Initialize(NULL) == CKR_OK) {
        use();
        work_on_much();
    }
    p11->C_Finalize(NULL);
    use_all(NULL);
    setrlimit(RLIMIT_AS, &before);
    return recovers() ? 0 : 1;
}

static int tried, failed;

static void in_child(int (*body)(long), long number, const char *what) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(body(number));
    }
    waitpid(child, &status, 0);
    tried++;
    if (status == 0) return;
    failed++;
    fprintf(stderr, "%s %ld%s: %s %d\n", what, number, is_first_thread ? "" : " in a thread",
            WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(int count, char **words) {
    static const long megabytes[] = {1, 2, 4, 8, 16, 32, 64};
    long steps = count > 2 ? atol(words[2]) : 60, all;
    int ends[2];
    library = count > 1 ? words[1] : "";
    if (!load(RTLD_NOW, LM_ID_BASE) || pipe(ends) != 0) return 1;
    /* Count the allocations of a visit. */
    if (fork() == 0) {
        counted = 0;
        visit();
        if (refused) fprintf(stderr, "%s: 0x%lX\n", refused, refusal);
        _exit(refused || write(ends[1], &counted, sizeof counted) != sizeof counted);
    }
    close(ends[1]);
    if (read(ends[0], &all, sizeof all) != sizeof all) return 1;
    wait(NULL);
    if (count > 3) {
        for (is_first_thread = 0; is_first_thread < 2; is_first_thread++)
            in_child(fail_from, atol(words[3]), "failing allocation");
        return failed > 0;
    }
    for (is_first_thread = 0; is_first_thread < 2; is_first_thread++)
        for (long i = 0; i < steps; i++) {
            /* The first ones each, then ever more apart. */
            long number = i < steps / 3 ? i : all * (i - steps / 3 + 1) / (steps - steps / 3);
            goes_on = 0;
            in_child(fail_from, number, "failing allocation");
            goes_on = 1;
            in_child(fail_from, number, "failing allocations from");
        }
    for (long kilobytes = 0; kilobytes < 1024; kilobytes += 128)
        in_child(limit_addresses, kilobytes << 10, "addresses left:");
    for (size_t i = 0; i < sizeof megabytes / sizeof *megabytes; i++)
        in_child(limit_addresses, megabytes[i] << 20, "addresses left:");
    printf("%d of %d processes, %ld allocations\n", tried - failed, tried, all);
    return failed > 0;
}
