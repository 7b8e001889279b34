/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdbool.h>
#include <sys/types.h>

// Changes by tests to the system calls of their own thread, and to the process.

// Lets the calling thread's change to the file system number `step`, from 0, fail with `error`. With `dies` it has half
// an effect, and no later one has any: to the disk it is as if the process ended there.
void fail_change(int step, int error, bool dies);

// Ends that. Returns whether the step was reached.
bool end_failing(void);

// Lets the calling thread reach files as this user and this group, without root's rights.
void act_as(uid_t user, gid_t group);

// Runs `body` in a forked child. Returns its exit status, which is the result of `body`, or the negative number of the signal that
// ended it, which after 20 seconds is SIGALRM.
int status_of_child(int (*body)(void *), void *context);

// Forks a child that closes `count` descriptors, and then waits until it is killed, by SIGALRM after 20 seconds at the
// latest. It calls nothing else: another thread of the parent may have held a lock of the Swift runtime or of the C
// library, which is never released in the child.
void fork_waiting_child(const int *closed, int count);

#endif
