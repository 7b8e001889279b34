/* SPDX-License-Identifier: Apache-2.0 */
// The kernels' constants of a curve, from its numbers.
#include <stdlib.h>
#include <string.h>

#include "curves.h"

/// The number d of RFC 7836, A.2, of a curve with the cofactor 4.
static void edwards(const struct curve *c, uint8_t *d) {
    const char *digits = c->size == 32
        ? "0605F6B7C183FA81578BC39CFAD518132B9DF62897009AF7E522C32D6DC7BFFB"
        : "9E4F5D8C017D8D9F13A5CF3CDF5BFE4DAB402D54198E31EBDE28A0621050439C"
          "A6B39E0A515C06B304E2CE43E79E369E91A0CFC2BC2A22B4CA302DBB33EE7550";
    for (size_t i = 0; i < c->size; i++) {
        char octet[3] = {digits[2 * i], digits[2 * i + 1], 0};
        d[c->size - 1 - i] = (uint8_t)strtoul(octet, NULL, 16);
    }
}

gost_curve *make_curve(const struct curve *c) {
    uint8_t d[64] = {0};
    // No p here ends in 00, 01 or 02.
    bool is_minus_3 = c->a[0] == c->p[0] - 3 && memcmp(c->a + 1, c->p + 1, c->size - 1) == 0;
    gost_form form = is_minus_3 ? gost_form_minus_3 : gost_form_any;
    if (c->cofactor == 4) {
        form = gost_form_edwards;
        edwards(c, d);
    }
    gost_curve_numbers numbers = {form, c->size, c->p, c->a, c->b, c->q, c->x, c->y, d};
    gost_curve *curve = malloc(gost_curve_size(true));
    if (curve == NULL || !gost_curve_prepare(curve, &numbers, true)) abort();
    return curve;
}
