/* SPDX-License-Identifier: Apache-2.0 */
/* Message authentication codes by GOST ciphers, of messages that come in pieces. */
#ifndef KANAL_PROVIDER_MAC_H
#define KANAL_PROVIDER_MAC_H

#include "block.h"

struct mac {
    struct block block;
    /* GOST 28147-89 (RFC 5830, 8), whose key may change by meshing; otherwise OMAC (GOST R 34.13-2015, 5.6). */
    bool is_imit, is_meshed;
    unsigned char state[BLOCK_LARGEST];
    /* The bytes of the incomplete block, which OMAC has added to the state; all bytes so far. */
    unsigned char partial[8];
    size_t used, done;
};
/* The state is 8 bytes, or NULL for zeros. */
void mac_begin_imit(struct mac *mac, const struct block *block, const unsigned char *state, bool is_meshed);
void mac_begin_omac(struct mac *mac, const struct block *block);
void mac_update(struct mac *mac, const unsigned char *data, size_t length);
/* Writes the first bytes of the code, and clears the state. */
void mac_end(struct mac *mac, unsigned char *code, size_t length);

#endif
