/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) on blocks that are too few to fill a batch.
#ifndef GOST_KUZNYECHIK_FEW_H
#define GOST_KUZNYECHIK_FEW_H

#include "GOSTKernels.h"

/// Enciphers `count` blocks one by one. `input` and `output` may be the same. False if the path has no kernel for it.
bool gost_kuznyechik_few(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count);

#endif
