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

void __wrap__ZN5swift7runtime11environment10initializeEPv(void *context);

void __wrap__ZN5swift7runtime11environment10initializeEPv(void *context) { (void)context; }
