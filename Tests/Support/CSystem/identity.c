#include "CSystem.h"

#include <sys/fsuid.h>

void act_as(uid_t user, gid_t group) {
    // The group first: a user other than root cannot change it. Back to root in the other order.
    if (user == 0) setfsuid(user);
    setfsgid(group);
    setfsuid(user);
}
