/* SPDX-License-Identifier: Apache-2.0 */
/* Unwrapping of keys. */
#ifndef KANAL_PROVIDER_WRAP_H
#define KANAL_PROVIDER_WRAP_H

#include "mac.h"

/*
 * CryptoPro Key Unwrap (RFC 4357, 6.4) with these rows: the key, if its code is right. The input is the enciphered key
 * and its code of 4 bytes.
 */
bool unwrap_28147(
    const uint8_t *rows, const unsigned char kek[32], const unsigned char ukm[8], const unsigned char wrapped[36],
    unsigned char key[32]);
/*
 * KImp15 (RFC 9189, 8.2.1). The keys are the code's and the cipher's, 32 bytes each; the vector is half a block. The
 * input is a block longer than the key, which is written if its code is right.
 */
bool unwrap_kexp15(
    enum block_kind kind, const unsigned char keys[64], const unsigned char *iv, const unsigned char *wrapped,
    size_t length, unsigned char *key);

#endif
