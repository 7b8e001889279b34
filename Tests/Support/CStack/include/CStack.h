/* SPDX-License-Identifier: Apache-2.0 */
// The remains of a computation on the stack and in registers, to be compared between secrets.
#ifndef CSTACK_H
#define CSTACK_H

#include <stddef.h>

/// The secrets of a comparison, and the runs with each. An address that differs between two runs with one secret
/// reveals nothing about it.
enum { stack_values = 3, stack_rounds = 3 };

/// Runs `work` on a painted stack of its own, and keeps its remains for that secret and run.
void stack_observe(int value, int round, void (*work)(void *), void *context);

/// The number of bytes that are the same in all runs with one secret, and others with another. Prints where these are.
size_t stack_leaks(void);

/// Returns the number of bytes of the stack that the runs have touched.
size_t stack_depth(void);

#endif
