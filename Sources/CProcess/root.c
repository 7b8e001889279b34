/* SPDX-License-Identifier: Apache-2.0 */
#include "include/CProcess.h"

#include <errno.h>
#include <sys/stat.h>

static struct {
    dev_t device;
    ino_t number;
    bool is_known;
} first;

static bool look(struct stat *root) {
    int code = errno;
    bool is_known = stat("/", root) == 0;
    errno = code;
    return is_known;
}

// When this code is loaded. A library comes from the root directory that the process has then.
__attribute__((constructor)) static void remember(void) {
    struct stat root;
    if (!look(&root)) return;
    first.device = root.st_dev;
    first.number = root.st_ino;
    first.is_known = true;
}

bool process_root_has_changed(void) {
    struct stat root;
    return !first.is_known || !look(&root) || root.st_dev != first.device || root.st_ino != first.number;
}
