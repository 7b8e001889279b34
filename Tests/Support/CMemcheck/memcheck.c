/* SPDX-License-Identifier: Apache-2.0 */
#include "CMemcheck.h"

#include <valgrind/memcheck.h>

bool memcheck_is_running(void) { return RUNNING_ON_VALGRIND != 0; }

void memcheck_make_undefined(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_UNDEFINED(bytes, count); }

void memcheck_make_defined(const void *bytes, size_t count) { VALGRIND_MAKE_MEM_DEFINED(bytes, count); }

unsigned memcheck_reports(void) { return VALGRIND_COUNT_ERRORS; }
