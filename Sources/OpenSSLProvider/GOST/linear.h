/* SPDX-License-Identifier: Apache-2.0 */
/* Kuznyechik (RFC 7801) where no kernel has it: constant time, and slow. */
#ifndef KANAL_PROVIDER_LINEAR_H
#define KANAL_PROVIDER_LINEAR_H

#include <stddef.h>
#include <stdint.h>

/* C_1…C_32 (RFC 7801, 4.3), one after the other. They are public. */
const uint8_t *linear_constants(void);
/* Makes the other eight round keys of the first two. */
void linear_schedule(uint8_t *keys);
/* Blocks one by one with the ten round keys. The input and the output may be the same. */
void linear_encrypt(const uint8_t *keys, const unsigned char *in, unsigned char *out, size_t count);
void linear_decrypt(const uint8_t *keys, const unsigned char *in, unsigned char *out, size_t count);

#endif
