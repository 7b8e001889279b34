/* SPDX-License-Identifier: Apache-2.0 */
// Functions that the runtimes of Swift and C++ want of glibc 2.35, so that what carries these runtimes is also loaded by
// glibc 2.34. The linker puts each in the place of glibc's (Package.swift).
#ifndef CGLIBC_H
#define CGLIBC_H

// glibc 2.35 has a new version of hypotf(3), which is the same but for errno and exceptions.
float __wrap_hypotf(float x, float y);

// By which the unwinder finds the table of the code that an address lies in. Only programs with the static libgcc_eh of a
// compiler that knows glibc 2.35 call it.
struct dl_find_object;
int __wrap__dl_find_object(void *address, struct dl_find_object *result);

#endif
