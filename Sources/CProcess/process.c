/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool process_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

unsigned int terminal_device(int descriptor) {
    unsigned int device = 0;
    return ioctl(descriptor, TIOCGDEV, &device) == 0 ? device : 0;
}

int process_descriptor(int process) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int process_state(int descriptor, int process, bool reap) {
    siginfo_t info = {0};
    int result;
    do {
        result = waitid(
            descriptor >= 0 ? P_PIDFD : P_PID, descriptor >= 0 ? (id_t)descriptor : (id_t)process,
            &info, WEXITED | WNOHANG | (reap ? 0 : WNOWAIT));
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -1 : info.si_pid != 0;
}

bool process_signal_group(int descriptor, int number) {
#ifdef SYS_pidfd_send_signal
    return syscall(SYS_pidfd_send_signal, descriptor, number, NULL, 1U << 2 /* PIDFD_SIGNAL_PROCESS_GROUP */) == 0
        || errno == ESRCH;
#else
    return false;
#endif
}

// Whether the three user ids of the calling thread are the same, and the three group ids. By the kernel's own calls: the
// C library's may look at, and wait for, what belongs to the parent.
static bool has_one_user(void) {
    uid_t users[3];
    gid_t groups[3];
    return syscall(SYS_getresuid, &users[0], &users[1], &users[2]) == 0
        && syscall(SYS_getresgid, &groups[0], &groups[1], &groups[2]) == 0
        && users[0] == users[1] && users[1] == users[2] && groups[0] == groups[1] && groups[1] == groups[2];
}

// The child's part, which shares the caller's memory: what must be so before the program runs.
static bool prepare(const struct process_program *program, pid_t parent) {
    // The kernel's structure; sigaction(3) refuses the C library's own signals, which may be ignored, too.
    const unsigned long standard[8] = {0};
    const struct rlimit nothing = {0, 0};

    for (int number = 1; number < _NSIG; number++) syscall(SYS_rt_sigaction, number, standard, NULL, _NSIG / 8);
    switch (program->kind) {
    case PROCESS_BESIDE: break;
    case PROCESS_GROUP:
        if (setpgid(0, 0) != 0) return false;
        break;
    case PROCESS_TIED:
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(127);
        setsid();
        setrlimit(RLIMIT_CORE, &nothing);
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        if (chdir("/") != 0) return false;
        break;
    }
    for (int number = 0; number < program->count; number++) {
        int given = program->descriptors[number];
        if (given == number) {
            if (fcntl(given, F_SETFD, 0) != 0) return false;
        } else if (given >= 0) {
            if (dup2(given, number) != number) return false;
        } else {
            int nothing = open("/dev/null", O_RDWR);
            if (nothing < 0 || (nothing != number && dup2(nothing, number) != number)) return false;
        }
    }
    if (syscall(SYS_close_range, program->count, ~0U, 0) != 0)
        for (int number = (int)sysconf(_SC_OPEN_MAX); number >= program->count; number--) close(number);
    return true;
}

// posix_spawn(3) cannot tie a child to its parent.
int process_start(const struct process_program *program) {
    volatile int error = 0;
    sigset_t all, none, before;
    pid_t parent = getpid(), child;

    sigfillset(&all);
    sigemptyset(&none);
    // No handler of the host may run in the child, which shares its memory.
    sigprocmask(SIG_SETMASK, &all, &before);
    child = vfork();
    if (child == 0) {
        // Asked here, where no other thread of the host can change it any more.
        if (!has_one_user()) {
            error = EPERM;
        } else {
            if (prepare(program, parent)) {
                sigprocmask(SIG_SETMASK, &none, NULL);
                if (strchr(program->path, '/'))
                    execve(program->path, program->arguments, program->environment);
                else
                    execvpe(program->path, program->arguments, program->environment);
            }
            error = errno;
        }
        _exit(127);
    }
    if (child < 0) {
        error = errno;
    } else if (error != 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? child : -error;
}

void process_use_one_heap(int growth) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, growth);
}
