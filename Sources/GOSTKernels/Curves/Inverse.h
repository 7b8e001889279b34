/* SPDX-License-Identifier: Apache-2.0 */
// Inverses modulo a prime m by Fermat's little theorem, for the file that names COUNT and FIELD(name).

/// r = 1 / a, and 0 for 0: a^(m − 2), four bits of the exponent at a time. The exponent is public.
static void FIELD(invert)(const modulus *m, word *r, const word *a) {
    word powers[16][COUNT], exponent[COUNT], result[COUNT], two[COUNT] = {2};
    words_subtract(COUNT, exponent, m->words, two);
    memcpy(powers[1], a, sizeof powers[1]);
    for (size_t i = 2; i < 16; i++) FIELD(multiply)(m, powers[i], powers[i - 1], a);

    bool begun = false;
    for (size_t i = 16 * COUNT; i-- > 0;) {
        if (begun) {
            for (int j = 0; j < 4; j++) FIELD(square)(m, result, result);
        }
        size_t digit = exponent[i / 16] >> 4 * (i % 16) & 15;
        if (digit == 0) continue;
        if (begun) FIELD(multiply)(m, result, result, powers[digit]);
        else memcpy(result, powers[digit], sizeof result);
        begun = true;
    }
    memcpy(r, result, sizeof result);
    words_wipe(powers, sizeof powers);
    words_wipe(result, sizeof result);
}
