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

void act_as(uid_t user, gid_t group) {
    // The group first: a user other than root cannot change it. Back to root in the other order.
    if (user == 0) setfsuid(user);
    setfsgid(group);
    setfsuid(user);
}
