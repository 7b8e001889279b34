/* SPDX-License-Identifier: Apache-2.0 */
// The libraries that Kanal is compared with, each primitive as one function with a fixed key.
#ifndef LIBRARIES_H
#define LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A primitive that takes one message from its key and initialisation vector, both public and fixed, to its result.
struct message_function {
    const char *library, *primitive;
    /// `output` has room for the message and one block. Returns the number of bytes that the result has, 0 on failure.
    size_t (*run)(const uint8_t *message, size_t count, uint8_t *output);
};

/// An operation with a key of its own.
struct key_function {
    const char *library, *primitive, *curve;
    bool (*run)(void *key);
    void *key;
};

/// The functions one after another; NULL behind the last.
const struct message_function *message_function(size_t index);
const struct key_function *key_function(size_t index);

/// Prepares all libraries; false if one is missing.
bool libraries_load(void);

// The fixed key, initialisation vector (its beginning, where a cipher takes less) and digest (likewise).
extern const uint8_t libraries_key[32], libraries_iv[16], libraries_digest[64];

#endif
