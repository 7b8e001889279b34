/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels compute, for processors that they have no instructions of. It is constant time, and slow: what a substitution
 * puts is found by a look at all its values. The arguments are those of the kernels in GOSTKernels.h.
 */
#ifndef KANAL_PROVIDER_PORTABLE_H
#define KANAL_PROVIDER_PORTABLE_H

#include "GOSTKernels.h"

void portable_28147(const gost_28147 *cipher, bool is_decryption, const unsigned char *in, unsigned char *out, size_t count);
/* Half the rounds, for the code (RFC 5830, 8). */
void portable_imit(const gost_28147 *cipher, uint64_t *code, const unsigned char *in, size_t count);
void portable_streebog(uint64_t *hash, const uint64_t *block, uint64_t counter);
void portable_341194(const uint8_t *rows, uint64_t *hash, const unsigned char *data, size_t count);
/* The product in GF(2^64) or GF(2^128), added to the sum. */
void portable_product(uint64_t *sum, const unsigned char *block, const unsigned char *factor, size_t size);

#endif
