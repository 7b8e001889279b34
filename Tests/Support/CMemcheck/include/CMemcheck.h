/* SPDX-License-Identifier: Apache-2.0 */
// Requests to valgrind's memcheck, which are macros that Swift cannot call. Outside valgrind they do nothing.
#ifndef CMEMCHECK_H
#define CMEMCHECK_H

#include <stdbool.h>
#include <stddef.h>

/// Whether the process runs under valgrind.
bool memcheck_is_running(void);

/// From here on valgrind reports every branch and every memory index that depends on these bytes.
void memcheck_make_undefined(const void *bytes, size_t count);

/// From here on these bytes are not secret.
void memcheck_make_defined(const void *bytes, size_t count);

/// The number of reports so far, suppressed ones left out.
unsigned memcheck_reports(void);

#endif
