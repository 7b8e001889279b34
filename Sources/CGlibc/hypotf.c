/* SPDX-License-Identifier: Apache-2.0 */
#include <CGlibc.h>
#include <math.h>

// The squares are exact as double, and their sum can neither overflow nor vanish.
float __wrap_hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}
