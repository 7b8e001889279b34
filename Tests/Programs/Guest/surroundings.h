/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a process that a guest library must not change: two snapshots are compared.
 */
#ifndef SURROUNDINGS_H
#define SURROUNDINGS_H

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNALS = 64, DESCRIPTORS = 512, LIMITS = RLIM_NLIMITS };

struct surroundings {
    /* As the kernel has them: handler, flags, restorer, mask. */
    unsigned long actions[SIGNALS + 1][4];
    unsigned long blocked, pending;
    stack_t stack;
    char **variables;
    unsigned long text_of_variables;
    char locale[256];
    locale_t thread_locale;
    int rounding, exceptions, cancellation, kind_of_cancellation;
    char directory[256];
    mode_t mask;
    unsigned char descriptors[DESCRIPTORS];
    struct rlimit limits[LIMITS];
    struct itimerval timers[3];
    int persona, priority, dumpable, death_signal, subreaper;
    char name[16];
    uid_t users[3];
    gid_t groups[3];
    pid_t group, session;
};

static unsigned long hash_of(char **list) {
    unsigned long hash = 5381;
    for (char **word = list; word && *word; word++)
        for (const char *c = *word;; c++) {
            hash = hash * 33 ^ (unsigned char)*c;
            if (!*c) break;
        }
    return hash;
}

static void look(struct surroundings *seen) {
    memset(seen, 0, sizeof *seen);
    /* 32 and 33 are the C library's own, which pthread_create(3) and pthread_cancel(3) take. */
    for (int number = 1; number <= SIGNALS; number++)
        if (number != 32 && number != 33)
            syscall(SYS_rt_sigaction, number, NULL, seen->actions[number], SIGNALS / 8);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &seen->blocked, SIGNALS / 8);
    syscall(SYS_rt_sigpending, &seen->pending, SIGNALS / 8);
    sigaltstack(NULL, &seen->stack);
    seen->variables = environ;
    seen->text_of_variables = hash_of(environ);
    const char *locale = setlocale(LC_ALL, NULL);
    strncpy(seen->locale, locale ? locale : "", sizeof seen->locale - 1);
    seen->thread_locale = uselocale(NULL);
    seen->rounding = fegetround();
    seen->exceptions = fegetexcept();
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &seen->cancellation);
    pthread_setcancelstate(seen->cancellation, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &seen->kind_of_cancellation);
    pthread_setcanceltype(seen->kind_of_cancellation, NULL);
    if (!getcwd(seen->directory, sizeof seen->directory)) strcpy(seen->directory, "none");
    umask(seen->mask = umask(0));
    for (int number = 0; number < DESCRIPTORS; number++) {
        struct stat file;
        seen->descriptors[number] = fstat(number, &file) == 0 ? 1 + (unsigned char)(file.st_ino % 255) : 0;
    }
    for (int number = 0; number < LIMITS; number++) getrlimit(number, &seen->limits[number]);
    for (int number = 0; number < 3; number++) {
        getitimer(number, &seen->timers[number]);
        memset(&seen->timers[number].it_value, 0, sizeof(struct timeval));
    }
    seen->persona = personality(0xFFFFFFFF);
    seen->priority = getpriority(PRIO_PROCESS, 0);
    seen->dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_GET_PDEATHSIG, &seen->death_signal);
    prctl(PR_GET_CHILD_SUBREAPER, &seen->subreaper);
    prctl(PR_GET_NAME, seen->name);
    getresuid(&seen->users[0], &seen->users[1], &seen->users[2]);
    getresgid(&seen->groups[0], &seen->groups[1], &seen->groups[2]);
    seen->group = getpgrp();
    seen->session = getsid(0);
}

/* Returns the number of threads of the process. */
static int threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    if (tasks) closedir(tasks);
    return count;
}

/* The name of the first difference, or NULL. */
static const char *difference(const struct surroundings *before, const struct surroundings *after) {
#define SAME(field) \
    if (memcmp(&before->field, &after->field, sizeof before->field) != 0) return #field
    SAME(actions);
    SAME(blocked);
    SAME(pending);
    SAME(stack.ss_sp);
    SAME(stack.ss_flags);
    SAME(variables);
    SAME(text_of_variables);
    SAME(locale);
    SAME(thread_locale);
    SAME(rounding);
    SAME(exceptions);
    SAME(cancellation);
    SAME(kind_of_cancellation);
    SAME(directory);
    SAME(mask);
    SAME(descriptors);
    SAME(limits);
    SAME(timers);
    SAME(persona);
    SAME(priority);
    SAME(dumpable);
    SAME(death_signal);
    SAME(subreaper);
    SAME(name);
    SAME(users);
    SAME(groups);
    SAME(group);
    SAME(session);
#undef SAME
    return NULL;
}

#endif
