/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library, or a program, that leaves a file "mark-NAME" in its root directory when it is loaded or run.
 */
#include <fcntl.h>

__attribute__((constructor)) static void leave(void) { open("/mark-" NAME, O_CREAT | O_WRONLY, 0600); }

int main(void) { return 0; }
