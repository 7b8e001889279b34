/* SPDX-License-Identifier: Apache-2.0 */
// The remains of operations on curves on the stack and in registers must not depend on their input: each runs with
// several values of one input, all else being the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CStack.h"
#include "curves.h"

enum { longest = 64 };

/// The inputs and the result of an operation, at the same addresses in each run.
static uint8_t first[2 * longest], second[2 * longest], result[2 * longest];
static volatile bool answer;

struct operation {
    const char *name;
    /// The input that varies, and whether it and the other one are points.
    uint8_t *secret;
    bool is_point, is_other_point;
    void (*run)(const gost_curve *curve);
};

static void multiply_base(const gost_curve *c) { answer = gost_curve_multiply_base(c, result, first); }
static void multiply(const gost_curve *c) { answer = gost_curve_multiply(c, result, first, second); }
static void add(const gost_curve *c) { answer = gost_curve_add(c, result, first, second); }
static void has_point(const gost_curve *c) { answer = gost_curve_has_point(c, first); }
static void has_order_q(const gost_curve *c) { answer = gost_curve_has_order_q(c, first); }
static void scalar_multiply(const gost_curve *c) { gost_scalar_multiply(c, result, first, second); }
static void scalar_add(const gost_curve *c) { gost_scalar_add(c, result, first, second); }
static void scalar_invert(const gost_curve *c) { gost_scalar_invert(c, result, first); }

static const struct operation operations[] = {
    {"k·P by k", first, false, false, multiply_base},
    {"k·Q by k", first, false, true, multiply},
    {"k·Q by Q", second, true, false, multiply},
    {"a sum by its left point", first, true, true, add},
    {"a sum by its right point", second, true, true, add},
    {"whether a point is on the curve", first, true, false, has_point},
    {"whether a point has order q", first, true, false, has_order_q},
    {"a product modulo q by its left factor", first, false, false, scalar_multiply},
    {"a product modulo q by its right factor", second, false, false, scalar_multiply},
    {"a sum modulo q by its left number", first, false, false, scalar_add},
    {"a sum modulo q by its right number", second, false, false, scalar_add},
    {"an inverse modulo q", first, false, false, scalar_invert},
};

static const struct operation *current;
static const gost_curve *curve;

static void work(void *unused) {
    (void)unused;
    current->run(curve);
}

/// A number below each q of its length, or that multiple of P.
static void fill(uint8_t *octets, const struct curve *c, bool is_point, uint8_t seed) {
    uint8_t number[longest];
    for (size_t i = 0; i < c->size; i++) number[i] = (uint8_t)((i + 3) * (seed + 29) * 167 ^ i * seed);
    number[c->size - 1] = (uint8_t)(seed + 1);
    if (!is_point) memcpy(octets, number, c->size);
    else if (!gost_curve_multiply_base(curve, octets, number)) abort();
}

/// Whether nothing of the operation is left; returns the depth of its stack.
static bool is_clear(const struct operation *operation, const struct curve *c, size_t *depth) {
    current = operation;
    fill(operation->secret == first ? second : first, c, operation->is_other_point, 50);
    for (int round = 0; round < stack_rounds; round++) {
        for (int value = 0; value < stack_values; value++) {
            fill(operation->secret, c, operation->is_point, (uint8_t)value);
            stack_observe(value, round, work, NULL);
        }
    }
    *depth = stack_depth();
    if (stack_leaks() == 0) return true;
    printf("%s: %s\n", c->name, operation->name);
    return false;
}

int main(void) {
    enum { count = sizeof operations / sizeof operations[0] };
    size_t clear = 0, all = 0, deepest = 0;
    for (const struct curve *c = curves; c->size; c++) {
        gost_curve *made = make_curve(c);
        curve = made;
        for (size_t i = 0; i < count; i++) {
            size_t depth;
            clear += is_clear(&operations[i], c, &depth);
            all++;
            if (depth > deepest) deepest = depth;
        }
        free(made);
    }
    printf("%zu of %zu operations of the kernels leave no trace; the deepest takes %zu bytes\n", clear, all, deepest);
    return clear != all;
}
