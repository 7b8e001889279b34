/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forking MODE FILE CHILDREN
 *
 * Forks children while threads begin and end the provider of a file (MODE "provider"), or load a module that is missing, as
 * engine and provider do (MODE "module", without FILE). Each child does the same once, and
 * has to end within seconds. OpenSSL's own functions for loading are not called, because their locks do not survive a fork.
 */
#define _GNU_SOURCE
#include "core.h"
#include "keys.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, BOUND = 30 };

static OSSL_provider_init_fn *init;

static bool use_provider(void) {
    const OSSL_DISPATCH *out = NULL;
    void *context = NULL;

    if (!init(core, of_core, &out, &context))
        return false;
    end_provider(out, context);
    return true;
}

/* It is looked for, and not found, each time. */
static bool use_module(void) {
    bool is_missing;

    users_add();
    is_missing = !module_open("/nowhere/module.so");
    users_remove();
    return is_missing;
}

static bool (*use)(void);
static bool is_over;
static void *work(void *argument) {
    (void)argument;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        if (!use())
            fail("a thread cannot begin");
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    long count = argc == 4 ? atol(argv[3]) : 0, stuck = 0;

    if (count == 0)
        return 2;
    if (strcmp(argv[1], "provider") == 0) {
        init = open_provider(argv[2]);
        use = use_provider;
    } else {
        errors_load();
        use = use_module;
        if (!module_prepare_process())
            fail("no handlers");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (long i = 0; i < count; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            alarm(BOUND);
            _exit(use() ? 0 : 1);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            fail("no child");
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            stuck++;
        else if (status != 0)
            fail("a child cannot begin");
        /* Enough is known. */
        if (stuck == 3)
            count = i;
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (stuck > 0) {
        fprintf(stderr, "%ld children waited for ever\n", stuck);
        return 1;
    }
    puts("good");
    return 0;
}
