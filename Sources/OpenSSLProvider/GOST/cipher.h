/* SPDX-License-Identifier: Apache-2.0 */
/* GOST ciphers of messages that come in pieces. */
#ifndef KANAL_PROVIDER_CIPHER_H
#define KANAL_PROVIDER_CIPHER_H

#include "block.h"

/* The modes. All but CIPHER_ECB and CIPHER_CBC accept text of any length. */
enum cipher_mode {
    CIPHER_ECB,
    CIPHER_CBC,
    CIPHER_CFB,
    CIPHER_OFB,
    CIPHER_CTR,
    /* The counter mode of GOST 28147-89 (RFC 5830, 6). */
    CIPHER_CNT,
};
struct cipher {
    struct block block;
    enum cipher_mode mode;
    bool is_encryption, has_key, has_iv;
    /* The key changes after so many bytes: by meshing of GOST 28147-89, otherwise by ACPKM; 0 for never. */
    size_t section;
    unsigned char key[BLOCK_KEY], iv[BLOCK_LARGEST];
    gost_counter counter;
    uint64_t count;
    /* The register: ciphertext, or gamma of which so many bytes are used; how much is done. */
    unsigned char gamma[BLOCK_LARGEST];
    size_t used, done;
};
size_t cipher_iv_size(enum block_kind kind, enum cipher_mode mode);
/* Begins a message with the present key and vector. */
void cipher_restart(struct cipher *cipher);
/* The input and the output may be the same; in CIPHER_ECB and CIPHER_CBC they are whole blocks. */
void cipher_update(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t length);
/* Whether an output overlaps its input harmfully. It may have the same place, unless kept text puts it ahead. */
bool cipher_is_over(const unsigned char *out, const unsigned char *in, size_t written, size_t length, bool is_ahead);

#endif
