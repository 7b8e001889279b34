/* SPDX-License-Identifier: Apache-2.0 */
// Sums k·P + l·Q of public points, by as few additions as there can be. Their time tells all numbers. A part of Group.h.

/// The digits of k in the form of which each odd digit, between −2^(width − 1) and 2^(width − 1), is followed by width − 1
/// that are 0.
static void GROUP(make_digits)(int8_t *digits, const word *k, unsigned width) {
    word rest[COUNT + 1] = {0};
    memcpy(rest, k, COUNT * sizeof(word));
    for (size_t i = 0; i <= GROUP(bits); i++) {
        int digit = 0;
        if (rest[0] & 1) {
            digit = (int)(rest[0] & ((1u << width) - 1));
            if (digit > 1 << (width - 1)) digit -= 1 << width;
            word change[COUNT + 1] = {(word)abs(digit)};
            if (digit < 0) words_add(COUNT + 1, rest, rest, change);
            else words_subtract(COUNT + 1, rest, rest, change);
        }
        digits[i] = (int8_t)digit;
        for (size_t j = 0; j < COUNT; j++) rest[j] = rest[j] >> 1 | rest[j + 1] << 63;
        rest[COUNT] >>= 1;
    }
}

/// r += digit·Q, of whose odd multiples there is a table.
static void GROUP(public_add_digit)(
    const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *multiples, int digit
) {
    GROUP(public_point) a = multiples[abs(digit) / 2];
    if (digit < 0) GROUP(negate_public)(c, &a);
    GROUP(public_add)(c, r, &a);
}

/// The points of a table in affine coordinates.
static void GROUP(make_public_multiples)(
    const gost_curve *c, GROUP(public_point) *multiples, const word *table, size_t count
) {
    for (size_t i = 0; i < count; i++) {
        GROUP(make_public)(c, &multiples[i], table + 2 * COUNT * i, table + 2 * COUNT * i + COUNT);
    }
}

/// Whether X of k·P + l·Q is x modulo q. All inputs are public. The digits of k are of the multiples in the table's first
/// window.
static bool GROUP(has_x_modulo_q)(const gost_curve *c, const word *x, const word *k, const word *l, const word *point) {
    enum { count = 8, width = 5 };
    GROUP(point) odd[count];
    GROUP(public_point) multiples[count], base_multiples[GROUP(base_multiples)];
    word table[2 * COUNT * count];
    int8_t k_digits[GROUP(bits) + 1], l_digits[GROUP(bits) + 1];
    GROUP(make_digits)(k_digits, k, BASE_BITS + 1);
    GROUP(make_digits)(l_digits, l, width);
    GROUP(take)(c, &odd[0], point);
    GROUP(make_multiples)(c, odd, count);
    GROUP(flatten)(c, table, odd, count);
    GROUP(make_public_multiples)(c, multiples, table, count);
    GROUP(make_public_multiples)(c, base_multiples, c->table, GROUP(base_multiples));

    GROUP(public_sum) sum;
    GROUP(public_begin)(c, &sum);
    bool has_begun = false;
    for (size_t i = GROUP(bits) + 1; i-- > 0;) {
        if (has_begun) GROUP(public_double)(c, &sum, k_digits[i] != 0 || l_digits[i] != 0);
        if (k_digits[i] != 0) GROUP(public_add_digit)(c, &sum, base_multiples, k_digits[i]);
        if (l_digits[i] != 0) GROUP(public_add_digit)(c, &sum, multiples, l_digits[i]);
        has_begun = has_begun || k_digits[i] != 0 || l_digits[i] != 0;
    }

    // The numbers below p that are x modulo q: one or two, or four if the cofactor is 4.
    word candidate[COUNT], element[COUNT], unused[COUNT], carry = 0;
    memcpy(candidate, x, sizeof candidate);
    for (int i = 0; i < 5 && carry == 0 && words_subtract(COUNT, unused, candidate, c->p.words) == 1; i++) {
        FIELD(enter)(&c->p, element, candidate);
        if (GROUP(public_has_x)(c, &sum, element)) return true;
        carry = words_add(COUNT, candidate, candidate, c->q.words);
    }
    return false;
}
