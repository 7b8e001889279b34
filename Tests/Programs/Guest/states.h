/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States that a process can be in when it loads a library, or while it calls one.
 */
#ifndef STATES_H
#define STATES_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "surroundings.h"
#include "visit.h"

/* A state that cannot be set up is not a fault of the library. */
static void need(int holds, const char *what) {
    if (holds) return;
    printf("not tried: %s\n", what);
    exit(0);
}

static void limit(int resource, unsigned long value) {
    struct rlimit both = {value, value};
    need(setrlimit(resource, &both) == 0, "a limit");
}

/* ---- How it is loaded ---- */

static long name_space = LM_ID_BASE;
static void other_name_space(void) { name_space = LM_ID_NEWLM; }

/* ---- Environment ---- */

static void no_environment(void) { clearenv(); }

static void empty_environment(void) {
    static char *nothing[] = {NULL};
    environ = nothing;
}

static void set_variable(void) { setenv("KANAL_LOG", "", 1); }

static void many_variables(void) {
    static char *list[100001];
    for (int i = 0; i < 100000; i++) need(asprintf(&list[i], "SWIFT_NUMBER_%d=%d", i, i) > 0, "variables");
    environ = list;
}

static void long_variable(void) {
    static char text[16 << 20];
    memset(text, 'A', sizeof text - 1);
    memcpy(text, "LC_ALL=", 7);
    need(putenv(text) == 0, "a variable");
}

static void odd_variables(void) {
    static char *list[] = {
        "", "=", "==", "SWIFT_ROOT", "SWIFT_", "KANAL_LOG", "HOME", "=C:=C:\\", "\xFF\xFE=\x01", NULL};
    environ = list;
}

static void swift_variables(void) {
    setenv("SWIFT_DEBUG_HELP", "1", 1);
    setenv("SWIFT_DETERMINISTIC_HASHING", "nonsense", 1);
    setenv("SWIFT_BACKTRACE", "enable=yes,swift-backtrace=/bin/true,nonsense=1", 1);
    setenv("SWIFT_NO_SUCH_THING", "1", 1);
    setenv("LIBDISPATCH_LOG", "stderr", 1);
}

/* Descriptors 0 to 2 lead to a terminal. */
static void terminal(void) {
    int far = posix_openpt(O_RDWR | O_NOCTTY);
    need(far >= 0 && grantpt(far) == 0 && unlockpt(far) == 0, "a terminal");
    int near = open(ptsname(far), O_RDWR | O_NOCTTY), errors = fcntl(2, F_DUPFD, 100);
    need(near >= 0 && errors >= 0, "a terminal");
    for (int number = 0; number < 3; number++) dup2(near, number);
    /* The harness's own output does not go to the terminal. */
    stderr = fdopen(errors, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
}

static void terminal_with_root(void) {
    /* A tree, in the present directory, with the files that Swift's runtime looks for there. */
    char root[200] = "", path[300];
    need(getcwd(root, sizeof root - 10) && mkdtemp(strcat(root, "/rXXXXXX")), "a directory");
    const char *folders[] = {"", "/libexec", "/libexec/swift", "/libexec/swift/linux", NULL};
    for (const char **folder = folders; *folder; folder++) {
        snprintf(path, sizeof path, "%s%s", root, *folder);
        mkdir(path, 0755);
    }
    strcat(path, "/swift-backtrace-static");
    for (int is_static = 1; is_static >= 0; is_static--) {
        if (!is_static) *strrchr(path, '-') = 0;
        int file = open(path, O_WRONLY | O_CREAT, 0755);
        need(file >= 0, "a file");
        close(file);
    }
    setenv("SWIFT_ROOT", root, 1);
    terminal();
}

static void terminal_with_backtrace(void) {
    setenv("SWIFT_BACKTRACE", "color=yes,swift-backtrace=/bin/true", 1);
    terminal();
}

/* ---- Descriptors ---- */

static void spare_errors(void) {
    int errors = fcntl(2, F_DUPFD, 100);
    stderr = fdopen(errors, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
}

static void without_0(void) { close(0); }
static void without_1(void) { close(1); }
static void without_2(void) { spare_errors(), close(2); }
static void without_descriptors(void) { spare_errors(), close(0), close(1), close(2); }

static void leave_descriptors(unsigned long count) {
    int next = dup(0);
    need(next >= 0, "a descriptor");
    close(next);
    limit(RLIMIT_NOFILE, (unsigned long)next + count);
}

static void no_descriptors(void) { leave_descriptors(0); }
static void few_descriptors(void) { leave_descriptors(3); }

static void many_descriptors(void) {
    for (int i = 0; i < 400; i++) need(dup(0) >= 0, "descriptors");
}

/* ---- Limits ---- */

static void no_children(void) { limit(RLIMIT_NPROC, 0); }
static void no_files(void) { limit(RLIMIT_FSIZE, 0); }
static void no_locked_memory(void) { limit(RLIMIT_MEMLOCK, 0); }
static void lock_everything(void) { need(mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "locked memory"); }
static void small_main_stack(void) { limit(RLIMIT_STACK, 64 << 10); }
static void not_dumpable(void) { limit(RLIMIT_CORE, 0), prctl(PR_SET_DUMPABLE, 0); }
static void lowest_priority(void) { setpriority(PRIO_PROCESS, 0, 19); }

static void *run(void *function) {
    ((void (*)(void))function)();
    return NULL;
}

static void on_small_stack(void (*body)(void)) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    size_t size = ((size_t)PTHREAD_STACK_MIN + (32 << 10) + 4095) & ~4095UL;
    need(pthread_attr_setstacksize(&attributes, size) == 0, "a small stack");
    need(pthread_create(&thread, &attributes, run, (void *)body) == 0, "a thread");
    pthread_join(thread, NULL);
}

/* ---- Signals ---- */

static void blocked_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

static void ignored_signals(void) {
    for (int number = 1; number <= SIGNALS; number++) signal(number, SIG_IGN);
}

static void count_signal(int number) { (void)number; }

static void handle(int number, int flags) {
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void handled_signals(void) {
    static char memory[64 << 10];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
    for (int number = 1; number <= SIGNALS; number++) handle(number, SA_ONSTACK | SA_RESTART | SA_NODEFER);
}

static void start_timer(int flags) {
    struct itimerval often = {{0, 2000}, {0, 2000}};
    handle(SIGALRM, flags);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void interrupting_timer(void) { start_timer(0); }
static void restarting_timer(void) { start_timer(SA_RESTART); }

/* ---- Numbers, languages ---- */

static void round_up(void) { fesetround(FE_UPWARD); }
static void round_down(void) { fesetround(FE_DOWNWARD); }
static void round_to_zero(void) { fesetround(FE_TOWARDZERO); }
static void trap_arithmetic(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW); }
static void locale_c(void) { need(setlocale(LC_ALL, "C.UTF-8") != NULL, "C.UTF-8"); }
static void locale_ru(void) { need(setlocale(LC_ALL, "ru_RU.UTF-8") != NULL, "ru_RU.UTF-8"); }
static void locale_tr(void) { need(setlocale(LC_ALL, "tr_TR.UTF-8") != NULL, "tr_TR.UTF-8"); }

static void locale_of_thread(void) {
    locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    need(own != NULL, "a locale");
    uselocale(own);
}

/* ---- Everything else ---- */

static void removed_directory(void) {
    char name[] = "/tmp/kanal-host-XXXXXX";
    need(mkdtemp(name) && chdir(name) == 0 && rmdir(name) == 0, "a directory");
}

static void umask_all(void) { umask(0777); }
static void umask_none(void) { umask(0); }
static void executable_constants(void) { personality(READ_IMPLIES_EXEC); }
static void fixed_addresses(void) { personality(ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT); }
static void no_privileges(void) { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
static void odd_name(void) { prctl(PR_SET_NAME, "\x01\n%s\xFF/../x"); }
static void own_session(void) { setsid(); }
static void reaper(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
static void no_cancellation(void) { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); }

/* ---- System calls that a sandbox refuses ---- */

#define CALL(name) {#name, SYS_##name}
static const struct {
    const char *name;
    int number;
} system_calls[] = {
    CALL(openat), CALL(socket), CALL(connect), CALL(mmap), CALL(munmap), CALL(mprotect), CALL(madvise), CALL(mlock),
    CALL(prctl), CALL(getrandom), CALL(clock_gettime), CALL(nanosleep), CALL(clock_nanosleep), CALL(ppoll),
    CALL(fcntl), CALL(ioctl), CALL(newfstatat), CALL(fstat), CALL(readlinkat), CALL(getpid), CALL(gettid), CALL(uname),
    CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid), CALL(getgroups), CALL(sched_getaffinity), CALL(sysinfo),
    CALL(prlimit64), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigpending), CALL(rt_sigtimedwait),
    CALL(sigaltstack), CALL(clone), CALL(execve), CALL(lseek), CALL(pread64), CALL(read), CALL(sendto), CALL(recvfrom),
    CALL(dup), CALL(pipe2), CALL(statx), CALL(faccessat), CALL(getdents64), CALL(flock), CALL(ftruncate), CALL(mremap),
#ifdef SYS_poll
    CALL(poll), CALL(readlink), CALL(stat), CALL(access), CALL(open), CALL(getrlimit),
#endif
};
#undef CALL

static int refused_call;

static void refuse_system_call(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "a filter of system calls");
}

/* ---- A thread that is cancelled ---- */

static CK_RV (*asked)(void);
static CK_SESSION_HANDLE open_session;
static int has_answered;

static CK_RV list_slots(void) {
    CK_ULONG count;
    return p11->C_GetSlotList(CK_FALSE, NULL, &count);
}
static CK_RV list_tokens(void) {
    CK_ULONG count;
    return p11->C_GetSlotList(CK_TRUE, NULL, &count);
}
static CK_RV take_random(void) {
    CK_BYTE octets[16];
    return p11->C_GenerateRandom(open_session, octets, sizeof octets);
}
static CK_RV log_in(void) { return p11->C_Login(open_session, CKU_USER, (CK_UTF8CHAR *)PIN, strlen(PIN)); }
static CK_RV search(void) { return p11->C_FindObjectsInit(open_session, NULL, 0); }
static CK_RV end_search(void) { return p11->C_FindObjectsFinal(open_session); }
static CK_RV log_out(void) { return p11->C_Logout(open_session); }
static CK_RV poll_events(void) {
    CK_SLOT_ID slot;
    CK_RV code = p11->C_WaitForSlotEvent(CKF_DONT_BLOCK, &slot, NULL);
    return code == CKR_NO_EVENT ? CKR_OK : code;
}
static CK_RV open_and_close(void) {
    CK_SLOT_ID slots[16];
    CK_ULONG count = 16;
    if (p11->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK || count == 0) return CKR_OK;
    CK_SESSION_HANDLE session;
    CK_RV code = p11->C_OpenSession(slots[0], CKF_SERIAL_SESSION, NULL, NULL, &session);
    return code == CKR_OK ? p11->C_CloseSession(session) : code;
}

/* Calls while a cancellation is pending, which comes at the first moment that allows it. */
static void *call_cancelled(void *nothing) {
    pthread_cancel(pthread_self());
    answered(asked(), "a cancelled call");
    has_answered = 1;
    pthread_testcancel();
    return nothing;
}

static void cancel_in(CK_RV (*function)(void), const char *name) {
    pthread_t thread;
    void *result;
    asked = function;
    has_answered = 0;
    need(pthread_create(&thread, NULL, call_cancelled, NULL) == 0, "a thread");
    pthread_join(thread, &result);
    if (!has_answered) fprintf(stderr, "a thread was cancelled inside of %s\n", name);
    if (has_answered && result != PTHREAD_CANCELED) fprintf(stderr, "a thread was not cancelled after %s\n", name);
    if (!has_answered || result != PTHREAD_CANCELED) _exit(6);
}

static CK_RV initialise(void) { return p11->C_Initialize(NULL); }
static CK_RV finalise(void) { return p11->C_Finalize(NULL); }

static void cancel_in_each_call(void) {
    CK_SLOT_ID slots[16];
    CK_ULONG count = 16;
    cancel_in(initialise, "C_Initialize");
    cancel_in(list_slots, "C_GetSlotList");
    cancel_in(list_tokens, "C_GetSlotList of tokens");
    cancel_in(open_and_close, "C_OpenSession");
    if (ASK(C_GetSlotList, CK_TRUE, slots, &count) && count > 0
        && ASK(C_OpenSession, slots[0], CKF_SERIAL_SESSION, NULL, NULL, &open_session)) {
        cancel_in(log_in, "C_Login");
        cancel_in(take_random, "C_GenerateRandom");
        cancel_in(search, "C_FindObjectsInit");
        cancel_in(end_search, "C_FindObjectsFinal");
        cancel_in(log_out, "C_Logout");
        ASK(C_CloseAllSessions, slots[0]);
    }
    cancel_in(poll_events, "C_WaitForSlotEvent");
    use();
    cancel_in(finalise, "C_Finalize");
}

/* ---- Ends in the middle of a call ---- */

static void *wait_for_event(void *nothing) {
    CK_SLOT_ID slot;
    for (;;) {
        CK_RV code = p11->C_WaitForSlotEvent(0, &slot, NULL);
        if (code == CKR_CRYPTOKI_NOT_INITIALIZED) return nothing;
    }
}

static void *list_for_ever(void *nothing) {
    CK_SLOT_ID slots[16];
    for (CK_ULONG count = 16; p11->C_GetSlotList(CK_TRUE, slots, &count) != CKR_CRYPTOKI_NOT_INITIALIZED; count = 16);
    return nothing;
}

/* `end` comes while two threads are inside of the library. */
static void amid_a_call(void (*end)(void)) {
    pthread_t waiting, listing;
    if (!ASK(C_Initialize, NULL)) return;
    need(pthread_create(&waiting, NULL, wait_for_event, NULL) == 0, "a thread");
    need(pthread_create(&listing, NULL, list_for_ever, NULL) == 0, "a thread");
    usleep(20000);
    end();
    ASK(C_Finalize, NULL);
    pthread_join(waiting, NULL);
    pthread_join(listing, NULL);
}

static void end_by_exit(void) { exit(0); }
static void end_at_once(void) { _exit(0); }
static void end_quickly(void) { quick_exit(0); }

static void *end_later(void *nothing) {
    usleep(20000);
    exit(0);
    return nothing;
}

static void end_first_thread(void) {
    pthread_t thread;
    need(pthread_create(&thread, NULL, end_later, NULL) == 0, "a thread");
    pthread_exit(NULL);
}

static void wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    if (child < 0 || status != 0) {
        fprintf(stderr, "a child ended with 0x%X: %s 0x%lX\n", status, refused ? refused : "", refusal);
        _exit(7);
    }
}

static void fork_amid(void) {
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(15);
            refused = NULL;
            visit();
            if (refused) fprintf(stderr, "%s: 0x%lX\n", refused, refusal);
            exit(refused != NULL);
        }
        wait_for(child);
    }
}

static void fork_and_end(void) {
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(15);
            if (i % 2) p11->C_Finalize(NULL);
            exit(0);
        }
        wait_for(child);
    }
}

#endif
