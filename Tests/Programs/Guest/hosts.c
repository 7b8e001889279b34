/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts LIBRARY [STATE...]
 *
 * Brings processes into states that hosts of a library are in, and lets each load the library, use it and end it. Each
 * call must answer, and the process must be afterwards as it was before. Without names all states are tried; to add one,
 * write a function and a line of the table below. To be built as a program with fixed addresses (-no-pie), which has a
 * copy of `environ`.
 */
#define _GNU_SOURCE
#include "surroundings.h"

#include "visit.h"

#include "states.h"

enum { SECONDS = 30 };

/* The calls of a state may be refused for lack of resources. */
enum { MAY_REFUSE = 1, MAY_NOT_LOAD = 2, IN_THREAD = 4, BUSY = 8, CANCELLED = 16 };

static const struct state {
    const char *name;
    /* Put the process into its state before it loads the library, and before it calls it. */
    void (*before)(void), (*loaded)(void);
    int flags;
    /* The flags of dlopen; 0 means RTLD_NOW. */
    int loading;
} states[] = {
    {"nothing special", NULL, NULL, 0, 0},
    {"RTLD_GLOBAL", NULL, NULL, 0, RTLD_NOW | RTLD_GLOBAL},
    {"RTLD_LAZY", NULL, NULL, 0, RTLD_LAZY},
    {"RTLD_DEEPBIND, with a copy of environ", NULL, NULL, 0, RTLD_NOW | RTLD_DEEPBIND},
    {"RTLD_DEEPBIND, RTLD_LAZY", NULL, NULL, 0, RTLD_LAZY | RTLD_DEEPBIND},
    {"RTLD_DEEPBIND after clearenv", no_environment, NULL, 0, RTLD_NOW | RTLD_DEEPBIND},
    {"a name space of the loader", other_name_space, NULL, 0, 0},

    {"clearenv", no_environment, NULL, 0, 0},
    {"clearenv after dlopen", NULL, no_environment, 0, 0},
    {"an empty environment", empty_environment, NULL, 0, 0},
    {"an environment that is set later", no_environment, set_variable, 0, 0},
    {"100,000 variables", many_variables, NULL, 0, 0},
    {"a variable of 16 MB", long_variable, NULL, 0, 0},
    {"variables without =", odd_variables, NULL, 0, 0},
    {"variables of Swift", swift_variables, NULL, 0, 0},
    {"a terminal, SWIFT_ROOT", terminal_with_root, NULL, 0, 0},
    {"a terminal, SWIFT_BACKTRACE", terminal_with_backtrace, NULL, 0, 0},
    {"a terminal", terminal, NULL, 0, 0},

    {"without descriptor 0", without_0, NULL, 0, 0},
    {"without descriptor 1", without_1, NULL, 0, 0},
    {"without descriptor 2", without_2, NULL, 0, 0},
    {"without descriptors 0 to 2", without_descriptors, NULL, 0, 0},
    {"no descriptor left", NULL, no_descriptors, MAY_REFUSE, 0},
    {"three descriptors left", NULL, few_descriptors, MAY_REFUSE, 0},
    {"400 descriptors open", many_descriptors, NULL, 0, 0},

    {"no child allowed", no_children, NULL, 0, 0},
    {"no file may grow", no_files, NULL, 0, 0},
    {"no memory may be locked", no_locked_memory, NULL, 0, 0},
    {"all memory is locked", lock_everything, NULL, 0, 0},
    {"a stack of 64 KB", small_main_stack, NULL, 0, 0},
    {"no core dumps", not_dumpable, NULL, 0, 0},
    {"the lowest priority", lowest_priority, NULL, 0, 0},
    {"a thread with 32 KB of stack", NULL, NULL, IN_THREAD, 0},

    {"all signals blocked", blocked_signals, NULL, 0, 0},
    {"all signals ignored", ignored_signals, NULL, 0, 0},
    {"handlers and an alternative stack", handled_signals, NULL, 0, 0},
    {"a timer that interrupts calls", interrupting_timer, NULL, 0, 0},
    {"a timer that restarts calls", restarting_timer, NULL, 0, 0},

    {"rounding up", round_up, NULL, 0, 0},
    {"rounding down", round_down, NULL, 0, 0},
    {"rounding to zero", round_to_zero, NULL, 0, 0},
    {"traps of floating point", trap_arithmetic, NULL, 0, 0},
    {"the locale C.UTF-8", locale_c, NULL, 0, 0},
    {"the locale ru_RU", locale_ru, NULL, 0, 0},
    {"the locale tr_TR", locale_tr, NULL, 0, 0},
    {"the locale of a thread", locale_of_thread, NULL, 0, 0},

    {"a directory that was removed", removed_directory, NULL, 0, 0},
    {"umask 0777", umask_all, NULL, 0, 0},
    {"umask 0", umask_none, NULL, 0, 0},
    {"constants may be executed", executable_constants, NULL, 0, 0},
    {"no random addresses", fixed_addresses, NULL, 0, 0},
    {"no new privileges", no_privileges, NULL, 0, 0},
    {"a name with odd characters", odd_name, NULL, 0, 0},
    {"a session without a terminal", own_session, NULL, 0, 0},
    {"a reaper of others' children", reaper, NULL, 0, 0},

    {"cancelled in each call", NULL, NULL, CANCELLED, 0},
    {"cancellation disabled", no_cancellation, NULL, 0, 0},
    {"exit in the middle of a call", NULL, end_by_exit, BUSY, 0},
    {"_exit in the middle of a call", NULL, end_at_once, BUSY, 0},
    {"quick_exit in the middle of a call", NULL, end_quickly, BUSY, 0},
    {"the first thread ends in the middle of a call", NULL, end_first_thread, BUSY, 0},
    {"fork in the middle of a call", NULL, fork_amid, BUSY, 0},
    {"fork, then the child ends in the middle of a call", NULL, fork_and_end, BUSY, 0},
};

/* The work of a process in the state. Returns 0 if all is well. */
static int try(const struct state *state) {
    static struct surroundings before, after;
    if (state->before) state->before();
    look(&before);
    if (!load(state->loading ? state->loading : RTLD_NOW, name_space)) return state->flags & MAY_NOT_LOAD ? 0 : 2;
    if (state->loaded && !(state->flags & BUSY)) {
        state->loaded();
        look(&before);
    }
    if (state->flags & BUSY)
        amid_a_call(state->loaded);
    else if (state->flags & CANCELLED)
        cancel_in_each_call();
    else if (state->flags & IN_THREAD)
        on_small_stack(visit);
    else
        visit();
    look(&after);
    const char *changed = difference(&before, &after);
    if (changed) {
        fprintf(stderr, "changed: %s\n", changed);
        return 3;
    }
    if (threads() > 1) {
        fprintf(stderr, "a thread is left\n");
        return 4;
    }
    if (refused && !(state->flags & MAY_REFUSE)) {
        fprintf(stderr, "%s: 0x%lX\n", refused, refusal);
        return 5;
    }
    return 0;
}

/* Runs a state in a process of its own, which is ended if it hangs. */
static int holds(const struct state *state) {
    sigset_t ended;
    siginfo_t information = {0};
    struct timespec time = {SECONDS, 0};
    int status = 0;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &ended, NULL);
        exit(try(state));
    }
    int has_ended = sigtimedwait(&ended, &information, &time) == SIGCHLD;
    if (!has_ended) kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (has_ended && status == 0) return 1;
    fprintf(stderr, "%s: %s %d\n", state->name, !has_ended ? "hangs" : WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

static int is_wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return count == 0;
}

int main(int count, char **words) {
    int tried = 0, failed = 0;
    if (count < 2) return 1;
    library = words[1];
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (is_wanted(states[i].name, count - 2, words + 2)) {
            tried++;
            failed += !holds(&states[i]);
        }
    for (size_t i = 0; i < sizeof system_calls / sizeof *system_calls; i++) {
        char name[80];
        struct state state = {name, NULL, refuse_system_call, MAY_REFUSE, 0};
        snprintf(name, sizeof name, "without the system call %s", system_calls[i].name);
        refused_call = system_calls[i].number;
        if (is_wanted(name, count - 2, words + 2)) {
            tried++;
            failed += !holds(&state);
        }
    }
    printf("%d of %d states\n", tried - failed, tried);
    return failed > 0 || tried == 0;
}
