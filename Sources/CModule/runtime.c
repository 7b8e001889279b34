/* SPDX-License-Identifier: Apache-2.0 */
// The Swift runtime inside of the library, which is a guest in its process.
//
// Where it is first asked for a setting of its own, the runtime walks `environ`, and does not ask whether there is a list:
// there is none after clearenv(3), and none to be seen by a library that was loaded with RTLD_DEEPBIND into a program with
// a copy of the variable. The settings are those of a programmer who looks for faults in Swift programs, and nothing that
// a user's environment may say of a library that holds keys: among them are hashes without a seed, and a program that is
// started when the process crashes. So the linker puts this function in the place of the runtime's (Package.swift), and
// all settings keep their defaults. `environ` itself is left as it is: other threads of the program may read it.
//
// runtime.ld leaves out what would install handlers of signals.

//
// Unicode's names of characters, 0.6 MB that nothing here asks for, are left out in the same way: a character has none.

#include <stdint.h>

void __wrap__ZN5swift7runtime11environment10initializeEPv(void *context);
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

void __wrap__ZN5swift7runtime11environment10initializeEPv(void *context) { (void)context; }

/* The length of the name. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar, (void)buffer, (void)capacity;
    return 0;
}
