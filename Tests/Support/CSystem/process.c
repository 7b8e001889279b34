/* SPDX-License-Identifier: Apache-2.0 */
#include "CSystem.h"

#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>

int status_of_child(int (*body)(void *), void *context) {
    int status;
    pid_t child = fork();

    if (child == 0) {
        alarm(20);
        _exit(body(context));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void fork_waiting_child(const int *closed, int count) {
    if (fork() != 0) return;
    alarm(20);
    for (int index = 0; index < count; index++) close(closed[index]);
    for (;;) pause();
}

void act_as(uid_t user, gid_t group) {
    // The group first: a user other than root cannot change it. Back to root in the other order.
    if (user == 0) setfsuid(user);
    setfsgid(group);
    setfsuid(user);
}
