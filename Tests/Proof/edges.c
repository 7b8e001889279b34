/* SPDX-License-Identifier: Apache-2.0 */
// Reads the vectors that edges.py prints, and computes each by GOSTCurves.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "GOSTParameters.h"

enum { longest = 64 };

/// A number in hexadecimal as octets, the least significant first.
static void read_number(uint8_t *r, size_t size, const char *text) {
    memset(r, 0, size);
    size_t length = strlen(text);
    for (size_t i = 0; i < length && i < 2 * size; i++) {
        char digit[2] = {text[length - 1 - i], 0};
        r[i / 2] |= (uint8_t)(strtoul(digit, NULL, 16) << 4 * (i % 2));
    }
}

int main(void) {
    char id[32], kind[16], name[64], text[6][160];
    int count = 0;
    while (scanf("%31s %15s %63s %159s %159s %159s %159s %159s %159s", id, kind, name, text[0], text[1], text[2], text[3], text[4],
                 text[5]) == 9) {
        const gost_curve_numbers *numbers = NULL;
        for (int i = 0; i < gost_curve_count; i++) {
            const gost_curve_set *set = gost_curve_set_at((gost_curve_name)i);
            if (strcmp(set->name, name) == 0) numbers = set->numbers;
        }
        if (numbers == NULL) return printf("%s: no curve %s\n", id, name), 1;
        static gost_curve *curve;
        static const gost_curve_numbers *prepared;
        if (prepared != numbers) {
            free(curve);
            curve = malloc(gost_curve_size(true));
            if (curve == NULL || !gost_curve_prepare(curve, numbers, true)) return 1;
            prepared = numbers;
        }
        size_t size = numbers->size;
        uint8_t k[longest], one[2 * longest], two[2 * longest], wanted[2 * longest], result[2 * longest], other[2 * longest];
        bool is_point = strcmp(text[4], "-") != 0, is_right;
        read_number(wanted, size, text[4]), read_number(wanted + size, size, text[5]);
        if (strcmp(kind, "multiple") == 0) {
            read_number(k, size, text[0]), read_number(one, size, text[1]), read_number(one + size, size, text[2]);
            is_right = gost_curve_multiply_base(curve, result, k) == is_point;
            is_right = is_right && gost_curve_multiply(curve, other, k, one) == is_point;
            if (is_point) is_right = is_right && memcmp(other, wanted, 2 * size) == 0;
        } else if (strcmp(kind, "sum") == 0) {
            read_number(one, size, text[0]), read_number(one + size, size, text[1]);
            read_number(two, size, text[2]), read_number(two + size, size, text[3]);
            is_right = gost_curve_add(curve, result, one, two) == is_point;
        } else {
            read_number(one, size, text[0]), read_number(one + size, size, text[1]);
            bool is_on_curve = text[2][0] == '1';
            is_right = gost_curve_has_point(curve, one) == is_on_curve;
            if (is_on_curve) is_right = is_right && gost_curve_has_order_q(curve, one) == (text[3][0] == '1');
            is_point = false;
        }
        if (is_point) is_right = is_right && memcmp(result, wanted, 2 * size) == 0;
        if (!is_right) return printf("NOT proven: %s: another result\n", id), 1;
        count++;
    }
    if (count == 0) return printf("NOT proven: no vectors\n"), 1;
    printf("right: %d vectors of the edges\n", count);
    return 0;
}
