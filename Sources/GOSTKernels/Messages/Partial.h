/* SPDX-License-Identifier: Apache-2.0 */
// The block of a message that has not come as a whole.
#ifndef GOST_PARTIAL_H
#define GOST_PARTIAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Appends octets to a block of `size` that has `count`, until it is full. Returns their number.
static inline size_t fill(uint8_t *block, size_t *count, size_t size, const uint8_t *data, size_t length) {
    size_t taken = length < size - *count ? length : size - *count;

    memcpy(block + *count, data, taken);
    *count += taken;
    return taken;
}

#endif
