/* SPDX-License-Identifier: Apache-2.0 */
/* Keys under other keys, which are unwrapped. */
#ifndef KANAL_PROVIDER_WRAP_H
#define KANAL_PROVIDER_WRAP_H

#include "mac.h"

/*
 * CryptoPro Key Unwrap (RFC 4357, 6.4) with these rows: the key, if its code is right. What is wrapped is the enciphered
 * key and its code of 4 bytes.
 */
bool unwrap_28147(
    const uint8_t *rows, const unsigned char kek[32], const unsigned char ukm[8], const unsigned char wrapped[36],
    unsigned char key[32]);
/*
 * KImp15 (RFC 9189, 8.2.1). The keys are that of the code and that of the cipher, 32 bytes each; the vector is half a block.
 * What is wrapped is a block longer than the key, which is written if its code is right.
 */
bool unwrap_kexp15(
    enum block_kind kind, const unsigned char keys[64], const unsigned char *iv, const unsigned char *wrapped,
    size_t length, unsigned char *key);

#endif
