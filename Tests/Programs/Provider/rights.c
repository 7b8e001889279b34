/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights MODE URI ROUNDS BOUND
 *
 * A process of root's has a key by the provider "kanal", and a worker that was forked from it becomes the user nobody and
 * writes into all memory that both share: random bytes (MODE "scribble"), or, as a holder of a lock that never ends, its own
 * number everywhere ("hold"). Meanwhile processes of root's, forked like the worker, log in, and each has to have signed
 * within BOUND seconds. Prints the longest time in milliseconds.
 */
#define _GNU_SOURCE
#include "context.h"

#include <grp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534, AREAS = 16 };
static struct {
    unsigned char *start, *end;
} areas[AREAS];
static size_t area_count;

static void find_shared_memory(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[5];
    void *start, *end;

    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%p-%p %4s", &start, &end, rights) == 3 && strcmp(rights, "rw-s") == 0 && area_count < AREAS) {
            areas[area_count].start = start;
            areas[area_count++].end = end;
        }
    if (!maps || area_count == 0)
        fail("no memory is shared with the worker: the program tests nothing");
    fclose(maps);
}

/* Values that pointers, counts, flags, owners and numbers of threads have. */
static void write_over(bool is_holding) {
    static const uint64_t values[] = {0, 1, UINT64_MAX, 0x4141414141414141, 0x00007FFFFFFFF000, 0x80000000, 8, 1ULL << 63};
    uint64_t own = (uint64_t)(uint32_t)getpid() << 32 | 1, random;

    for (unsigned round = 0;; round++)
        for (size_t i = 0; i < area_count; i++)
            for (unsigned char *next = areas[i].start; next + 8 <= areas[i].end; next += 8) {
                volatile uint64_t *word = (volatile uint64_t *)(void *)next;
                if (is_holding)
                    *word = own;
                else if (round % 3 == 0 && getrandom(&random, sizeof random, 0) == sizeof random)
                    *word = random;
                else
                    *word = values[(round + (size_t)(next - areas[i].start) / 8) % (sizeof values / sizeof *values)];
            }
}

static void become_worker(bool is_holding) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    find_shared_memory();
    if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
        fail("the worker does not become nobody");
    write_over(is_holding);
}

static long since(struct timespec begin) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
}

int main(int argc, char **argv) {
    OSSL_LIB_CTX *library = argc == 5 && geteuid() == 0 ? begin_with_settings() : NULL;
    EVP_PKEY *key = library ? load(library, argv[2]) : NULL;
    bool is_holding = key && strcmp(argv[1], "hold") == 0;
    long bound = key ? atol(argv[4]) : 0, longest = 0;
    pid_t worker;

    if (!key || !sign(library, key))
        fail("no key that signs");
    worker = fork();
    if (worker == 0)
        become_worker(is_holding);
    usleep(100000);
    for (long i = 0; i < atol(argv[3]); i++) {
        struct timespec begin;
        pid_t child;
        int status = -1;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        child = fork();
        if (child == 0) {
            bool is_signed;
            alarm((unsigned)bound);
            is_signed = sign(library, key);
            if (!is_signed)
                ERR_print_errors_fp(stderr);
            _exit(is_signed ? 0 : 1);
        }
        if (waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "login %ld: %s %d after %ld ms\n", i, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), since(begin));
            fail("a worker without rights ends or stops a process of root's");
        }
        if (since(begin) > longest)
            longest = since(begin);
    }
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    if (!sign(library, key))
        fail("the parent does not sign any more");
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(library);
    printf("%ld\n", longest);
    return 0;
}
