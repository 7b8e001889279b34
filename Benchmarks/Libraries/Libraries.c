/* SPDX-License-Identifier: Apache-2.0 */
#include "private.h"

const uint8_t libraries_key[32] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};
const uint8_t libraries_iv[16] = {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
const uint8_t libraries_digest[64] = {0x5A, 0xA5, [31] = 0x11, [63] = 0x22};

bool libraries_load(void) { return engine_load() && gcrypt_load() && nettle_load(); }

const struct message_function *message_function(size_t index) {
    const struct message_function *tables[] = {engine_messages, gcrypt_messages, nettle_messages};
    for (size_t table = 0; table < 3; table++) {
        for (const struct message_function *entry = tables[table]; entry->library; entry++) {
            if (index-- == 0) return entry;
        }
    }
    return NULL;
}

const struct key_function *key_function(size_t index) {
    const struct key_function *tables[] = {engine_keys, nettle_keys};
    for (size_t table = 0; table < 2; table++) {
        for (const struct key_function *entry = tables[table]; entry->library; entry++) {
            if (index-- == 0) return entry;
        }
    }
    return NULL;
}
