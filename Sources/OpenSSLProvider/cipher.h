/* SPDX-License-Identifier: Apache-2.0 */
/* GOST ciphers of messages by the kernels. */
#ifndef KANAL_PROVIDER_CIPHER_H
#define KANAL_PROVIDER_CIPHER_H

#include "GOSTKernels.h"

enum cipher_kind { CIPHER_28147, CIPHER_MAGMA, CIPHER_KUZNYECHIK, CIPHERS };
struct cipher {
    enum cipher_kind kind;
    gost_path path;
    bool is_encryption, has_key, has_iv;
    unsigned char key[32], iv[8], seed[8];
    /* The rows of GOST 28147-89; a key as the kernels have it. */
    const uint8_t *rows;
    uint32_t words[32];
    _Alignas(16) uint8_t round_keys[160];
    gost_counter counter;
    /* Ciphertext, or gamma of which so many bytes are used; how much is done. */
    unsigned char gamma[16];
    size_t used, done;
};
size_t cipher_iv_size(enum cipher_kind kind);
void cipher_set_key(struct cipher *cipher, const unsigned char key[32]);
/* Begins a message with the key and the vector that are there. */
void cipher_restart(struct cipher *cipher);
void cipher_update(struct cipher *cipher, const unsigned char *in, unsigned char *out, size_t length);

#endif
