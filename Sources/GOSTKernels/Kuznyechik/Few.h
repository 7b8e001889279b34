/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) on blocks that are too few to fill a batch.
#ifndef GOST_KUZNYECHIK_FEW_H
#define GOST_KUZNYECHIK_FEW_H

#include "GOSTKernels.h"

/// Enciphers `count` blocks one by one, or eight by eight. `input` and `output` may be the same.
void gost_kuznyechik_few(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count);

/// Deciphers `count` blocks eight by eight, on any processor. `input` and `output` may be the same.
void gost_kuznyechik_few_back(const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count);

#endif
