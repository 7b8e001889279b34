/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CASKING_H
#define CASKING_H

#include <stdbool.h>

// The system calls about processes and terminals that Swift cannot make, or only in part.

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

// Starts a program in a session of its own. It has the descriptors input, output and errors, all above 2, as 0 to 2 and
// no others, default signals, "/" as directory, no ambient capabilities, dumps no core, and ends when the calling thread
// ends. Handlers of pthread_atfork(3) do not run.
// Returns its number, or a negative error number: then nothing runs. It is EPERM where the user or group ids of the
// calling thread differ: the program could take the rights of each.
int process_start(
    const char *path, char *const *arguments, char *const *environment, int input, int output, int errors);

#endif
