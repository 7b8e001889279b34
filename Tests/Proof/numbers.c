/* SPDX-License-Identifier: Apache-2.0 */
// Prints the numbers of each curve of GOSTParameters.h, and what gost_curve_prepare makes of them.
#include <stdio.h>
#include <stdlib.h>

#include "Curve.h"
#include "GOSTParameters.h"

static void octets(const char *name, const uint8_t *a, size_t size) {
    printf("%s ", name);
    for (size_t i = size; i-- > 0;) printf("%02x", a[i]);
    printf("\n");
}

static void words(const char *name, const word *a, size_t count) {
    printf("%s ", name);
    for (size_t i = count; i-- > 0;) printf("%016llx", (unsigned long long)a[i]);
    printf("\n");
}

int main(void) {
    for (int i = 0; i < gost_curve_count; i++) {
        const gost_curve_set *set = gost_curve_set_at((gost_curve_name)i);
        const gost_curve_numbers *numbers = set->numbers;
        size_t size = numbers->size;
        gost_curve *curve = malloc(gost_curve_size(true));
        if (!curve || !gost_curve_prepare(curve, numbers, true)) return 1;
        printf("curve %s\nsize %zu\nform %x\n", set->name, size * 8, (unsigned)numbers->form);
        octets("p", numbers->p, size);
        octets("a", numbers->a, size);
        octets("b", numbers->b, size);
        octets("q", numbers->q, size);
        octets("x", numbers->x, size);
        octets("y", numbers->y, size);
        octets("d", numbers->d, size);
        size_t count = curve->count;
        words("p_words", curve->p.words, count);
        words("p_inverse", &curve->p.inverse, 1);
        words("p_square", curve->p.square, count);
        words("q_words", curve->q.words, count);
        words("q_inverse", &curve->q.inverse, 1);
        words("q_square", curve->q.square, count);
        words("element_one", curve->one, count);
        words("element_a", curve->a, count);
        words("element_b", curve->b, count);
        words("element_d", curve->d, count);
        words("element_s", curve->s, count);
        words("element_t", curve->t, count);
        // The windows of Groups256.c and Groups512.c, with x and y of each multiple.
        size_t bits = count == 4 ? 6 : 4, windows = (64 * count + bits - 1) / bits, multiples = (size_t)1 << (bits - 1);
        for (size_t j = 0; j < windows * multiples; j++) {
            words("table_x", curve->table + 2 * count * j, count);
            words("table_y", curve->table + 2 * count * j + count, count);
        }
        free(curve);
    }
    return 0;
}
