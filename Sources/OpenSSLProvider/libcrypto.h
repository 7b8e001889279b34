/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KANAL_PROVIDER_LIBCRYPTO_H
#define KANAL_PROVIDER_LIBCRYPTO_H

#include <stdbool.h>
#include <stddef.h>

/* Finds all functions in the library that has this one; otherwise the name of what is missing. */
const char *libcrypto_find(void (*function)(void));
/* Whether an engine has methods for keys of this number. OpenSSL 4 has no engines. */
bool libcrypto_has_engine(int number);

#endif
