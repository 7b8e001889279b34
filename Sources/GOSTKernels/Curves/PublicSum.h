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

/// r += digit·P, of a window of P's table.
static void GROUP(public_add_base)(const gost_curve *c, GROUP(public_sum) *r, const word *window, int digit) {
    const word *entry = window + 2 * COUNT * (size_t)(abs(digit) / 2);
    GROUP(public_point) a;
    GROUP(make_public)(c, &a, entry, entry + COUNT);
    if (digit < 0) GROUP(negate_public)(c, &a);
    GROUP(public_add)(c, r, &a);
}

/// r += digit·Q, of whose odd multiples there is a table.
static void GROUP(public_add_digit)(
    const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *multiples, int digit
) {
    GROUP(public_point) a = multiples[abs(digit) / 2];
    if (digit < 0) GROUP(negate_public)(c, &a);
    GROUP(public_add)(c, r, &a);
}

enum {
    /// The bits of a window of Q, and its odd multiples.
    GROUP(public_width) = 5,
    GROUP(public_multiples) = 1 << (GROUP(public_width) - 2),
    /// The parts in which numbers are added if Q is prepared, so that all share their doublings, and the digits of a part: whole
    /// windows of P's table.
    GROUP(public_parts) = 4,
    GROUP(public_part) = (GROUP(bits) / GROUP(public_parts) / BASE_BITS + 1) * BASE_BITS,
};

_Static_assert(sizeof(GROUP(public_point)) * GROUP(public_multiples) * GROUP(public_parts) <= sizeof(gost_prepared_point),
               "a prepared point is too long");

/// Points with one inversion for all, of which there are GROUP(multiples) at most.
static void GROUP(make_public_multiples)(
    const gost_curve *c, GROUP(public_point) *multiples, const GROUP(point) *points, size_t count
) {
    word table[2 * COUNT * GROUP(multiples)];
    GROUP(flatten)(c, table, points, count);
    for (size_t i = 0; i < count; i++) {
        GROUP(make_public)(c, &multiples[i], table + 2 * COUNT * i, table + 2 * COUNT * i + COUNT);
    }
}

/// Odd multiples of Q, of 2^part·Q, and so on.
static void GROUP(prepare_point)(const gost_curve *c, word *prepared, const word *point) {
    GROUP(public_point) *multiples = (GROUP(public_point) *)prepared;
    GROUP(point) odd[GROUP(public_multiples)], next;
    GROUP(take)(c, &next, point);
    for (size_t j = 0; j < GROUP(public_parts); j++) {
        odd[0] = next;
        GROUP(make_multiples)(c, odd, GROUP(public_multiples));
        GROUP(make_public_multiples)(c, multiples + GROUP(public_multiples) * j, odd, GROUP(public_multiples));
        if (j + 1 == GROUP(public_parts)) break;
        for (size_t i = 0; i < GROUP(public_part); i++) GROUP(double)(c, &next, &next, true);
    }
}

/// Whether X of k·P + l·Q is x modulo q. All inputs are public. Digit i + length·j of a number is that of part j, each of which
/// has multiples of its own; one part has all digits.
static bool GROUP(has_x_of_parts)(
    const gost_curve *c, const word *x, const word *k, const word *l, const GROUP(public_point) *multiples, size_t parts,
    size_t length
) {
    int8_t k_digits[GROUP(public_parts) * GROUP(public_part)] = {0}, l_digits[GROUP(public_parts) * GROUP(public_part)] = {0};
    GROUP(make_digits)(k_digits, k, BASE_BITS + 1);
    GROUP(make_digits)(l_digits, l, GROUP(public_width));

    GROUP(public_sum) sum;
    GROUP(public_begin)(c, &sum);
    bool has_begun = false;
    for (size_t i = length; i-- > 0;) {
        bool is_added_to = false;
        for (size_t j = 0; j < parts; j++)
            is_added_to = is_added_to || k_digits[i + length * j] != 0 || l_digits[i + length * j] != 0;
        if (has_begun) GROUP(public_double)(c, &sum, is_added_to);
        for (size_t j = 0; j < parts; j++) {
            int k_digit = k_digits[i + length * j], l_digit = l_digits[i + length * j];
            const word *window = c->table + 2 * COUNT * GROUP(base_multiples) * (length * j / BASE_BITS);
            if (k_digit != 0) GROUP(public_add_base)(c, &sum, window, k_digit);
            if (l_digit != 0) GROUP(public_add_digit)(c, &sum, multiples + GROUP(public_multiples) * j, l_digit);
        }
        has_begun = has_begun || is_added_to;
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

/// The same for a point that is not prepared.
static bool GROUP(has_x_modulo_q)(const gost_curve *c, const word *x, const word *k, const word *l, const word *point) {
    GROUP(public_point) multiples[GROUP(public_multiples)];
    GROUP(point) odd[GROUP(public_multiples)];
    GROUP(take)(c, &odd[0], point);
    GROUP(make_multiples)(c, odd, GROUP(public_multiples));
    GROUP(make_public_multiples)(c, multiples, odd, GROUP(public_multiples));
    return GROUP(has_x_of_parts)(c, x, k, l, multiples, 1, GROUP(bits) + 1);
}

/// The same for a prepared point.
static bool GROUP(prepared_has_x_modulo_q)(
    const gost_curve *c, const word *x, const word *k, const word *l, const word *prepared
) {
    const GROUP(public_point) *multiples = (const GROUP(public_point) *)prepared;
    return GROUP(has_x_of_parts)(c, x, k, l, multiples, GROUP(public_parts), GROUP(public_part));
}
