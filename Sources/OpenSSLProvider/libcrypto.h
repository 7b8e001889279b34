/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KANAL_PROVIDER_LIBCRYPTO_H
#define KANAL_PROVIDER_LIBCRYPTO_H

#include <stdbool.h>
#include <stddef.h>

/* Finds all functions in the library of this function. NULL, or a name or description of the missing function. */
const char *libcrypto_find(void (*function)(void));
/* Whether an engine has methods for keys of this number. OpenSSL 4 has no engines. */
bool libcrypto_has_engine(int number);

#endif
