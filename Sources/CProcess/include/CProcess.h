/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPROCESS_H
#define CPROCESS_H

#include <stdbool.h>

// The system calls about processes and terminals that Swift cannot make, or only in part.

// Whether the process has another root directory than when this code was loaded (chroot(2), pivot_root(2)), or that is not
// known. Whoever can write there could put libraries, programs and sockets into the places of the system's: such a process
// loads, starts and connects to nothing by its path any more. Leaves errno as it is.
bool process_root_has_changed(void);

// Has all threads of the process take memory from one heap, which grows by so many bytes, mallopt(3).
void process_use_one_heap(int growth);

// The number of the terminal that a descriptor leads to, also by /dev/tty; 0 if it leads to none.
unsigned int terminal_device(int descriptor);

// pipe2(2): both ends are closed in other programs. Returns whether it worked.
bool process_pipe(int ends[2]);

// A descriptor that is readable when the process has ended, pidfd_open(2); -1 without one.
int process_descriptor(int process);

// The answer of waitid(2) about a child: 1 it has ended, 0 it has not, -1 it is not a child. It is left as it is, or
// else reaped.
int process_state(int descriptor, int process, bool reap);

// Signals a process and its group, also after the process itself was reaped. Returns whether the system can: Linux 6.9.
bool process_signal_group(int descriptor, int number);

// How a program runs beside the one that starts it.
enum process_kind {
    // In the process group of the caller, with its terminal.
    PROCESS_BESIDE,
    // In a process group of its own.
    PROCESS_GROUP,
    // In a session of its own, with "/" as directory, no ambient capabilities and no core dumps. It ends when the thread
    // that has started it ends.
    PROCESS_TIED,
};

// A program to be started.
struct process_program {
    // The file; without a slash it is looked for in the PATH.
    const char *path;
    char *const *arguments;
    char *const *environment;
    // Its descriptors 0, 1 and so on; -1 for /dev/null. Each is above 2, or the number that it becomes.
    const int *descriptors;
    int count;
    enum process_kind kind;
};

// Starts a program. It has the descriptors that are named and no others, and default signals. Handlers of
// pthread_atfork(3) do not run.
// Returns its number, or a negative error number: then nothing runs. It is EPERM where the user or group ids of the
// calling thread differ: the program could take the rights of each.
int process_start(const struct process_program *program);

#endif
