/* SPDX-License-Identifier: Apache-2.0 */
/* The multilinear Galois mode (RFC 9058): encryption with authentication, of a message that comes in pieces. */
#ifndef KANAL_PROVIDER_MGM_H
#define KANAL_PROVIDER_MGM_H

#include "block.h"

struct mgm {
    struct block block;
    /* The counters of gamma and of factors; the sum of products, the low word first. */
    gost_counter gamma_counter, factor_counter;
    uint64_t sum[2];
    /* Gamma of which so many bytes are used; a block that is not whole. */
    unsigned char gamma[BLOCK_LARGEST], partial[BLOCK_LARGEST];
    size_t used, partial_length;
    uint64_t data_length, text_length;
};
/* The nonce is a block whose first bit is 0: false otherwise. */
bool mgm_begin(struct mgm *mgm, const struct block *block, const unsigned char *nonce);
/* Data that are authenticated alone, before all text. False if there is too much. */
bool mgm_authenticate(struct mgm *mgm, const unsigned char *data, size_t length);
/* Text; the input and the output may be the same. False if there is too much. */
bool mgm_update(struct mgm *mgm, bool is_encryption, const unsigned char *in, unsigned char *out, size_t length);
/* Writes a tag of a block, and clears the state. False if there was neither text nor data. */
bool mgm_end(struct mgm *mgm, unsigned char *tag);

#endif
