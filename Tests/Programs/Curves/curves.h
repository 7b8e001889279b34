/* SPDX-License-Identifier: Apache-2.0 */
// The curves of Tests/Vectors/curves.json, for the programs that compare with libcrypto. curves.bats makes the table.
#ifndef CURVES_H
#define CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "GOSTCurves.h"

struct curve {
    const char *name;
    size_t size, cofactor;
    /// Little-endian.
    uint8_t p[64], a[64], b[64], q[64], x[64], y[64];
};

/// All curves, and one without a size at the end.
extern const struct curve curves[];

/// The curve, prepared; to be freed.
gost_curve *make_curve(const struct curve *numbers);

#endif
