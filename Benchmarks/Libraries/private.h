/* SPDX-License-Identifier: Apache-2.0 */
// The libraries' tables for Libraries.c, which end with an empty entry.
#include "Libraries.h"

bool engine_load(void);
bool gcrypt_load(void);
bool nettle_load(void);

extern const struct message_function engine_messages[], gcrypt_messages[], nettle_messages[];
extern const struct key_function engine_keys[], nettle_keys[];
