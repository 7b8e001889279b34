#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# descent.py z3 COUNT ROUNDS STEPS: proves that a is 0 after the last round of `invert`, as the steps are what inverse.c proves.
#
# A round uses x and y in place of a and b: the same lowest 31 bits, and the same highest 33, of 64 that begin with a 1 in one of both. In
# units of 2^31 at that place, let X and Y be a and b, so that |X − x| ≤ 1, |Y − y| ≤ 1 and x + y ≥ 2^32. A step, if x is odd,
# exchanges both where x < y, and makes (x − y) / 2 of x; and else x / 2. It changes X and Y as it changes x and y. The product
# X·Y is halved where x is even, and where 0 ≤ Y ≤ 2X. As x and y are compared in place of X and Y, X − Y may be less than 0, and
# more than X in size: but only where both are small, so that the product has become smaller before, or does not become much larger.
# The claims below are linear for each step, and together bound the product after all steps. Numbers of one word are compared
# themselves.
import sys
from fractions import Fraction
from math import lcm
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from bounds import Solver, impossible
from signed import combine, constant, multiply

NAMES = {"X": 1, "Y": 2, "x": 3, "y": 4}
# More than any of them is.
LIMIT = 1 << 40


class Failure(Exception):
    pass


def form(**factors):
    """A linear form: form(X=1, Y=-1, one=2) is X − Y + 2."""
    return {0 if name == "one" else NAMES[name]: Fraction(value) for name, value in factors.items()}


def always(solver, what, claim, *premises):
    """claim ≥ 0 follows from premises that are not negative."""
    scaled = []
    for one in (*premises, {key: -value for key, value in claim.items()}):
        whole = lcm(*(value.denominator for value in one.values()))
        scaled.append({key: int(value * whole) for key, value in one.items()})
    if not impossible(solver, {number: (-LIMIT, LIMIT) for number in NAMES.values()}, [], scaled[:-1], scaled[-1:]):
        raise Failure(what)


def near(one=Fraction(1), other=Fraction(1)):
    """How far X and Y are from x and y."""
    return [form(X=1, x=-1, one=one), form(X=-1, x=1, one=one), form(Y=1, y=-1, one=other), form(Y=-1, y=1, one=other)]


def compared(least):
    """x ≥ y ≥ 0, which together are `least` or more."""
    return [form(x=1, y=-1), form(y=1), form(x=1, y=1, one=-least)]


def prove_bounds(solver):
    """The invariants of x and y: they hold after each step if they hold before it."""
    half = Fraction(1, 2)
    ordered = compared(0)
    for what, x, y in (("x − y", form(x=half, y=-half), form(y=1)), ("x", form(x=half), form(y=1))):
        always(solver, f"{what} is below 0", x, *(ordered if what == "x − y" else [form(x=1), form(y=1)]))
        # The sum is half of the one before, or more.
        total = {key: x.get(key, 0) + y.get(key, 0) for key in {*x, *y}}
        claim = {key: total.get(key, 0) - half for key in (NAMES["x"], NAMES["y"])}
        always(solver, f"{what}: the sum", claim, *(ordered if what == "x − y" else [form(x=1), form(y=1)]))
    always(solver, "the distance of X − Y", form(X=-half, Y=half, x=half, y=-half, one=1), *near())
    always(solver, "the distance of Y − X", form(X=half, Y=-half, x=-half, y=half, one=1), *near())


def prove_steps(solver, steps):
    """The most that X·Y is after all steps, compared with what it was, divided by 2^steps."""
    # How much more than half of it X·Y may be after step i, from the first step at which X − Y is below 0.
    first, later = [], []
    for i in range(steps):
        least = 1 << steps + 1 - i
        places = near() + compared(least)
        ratio = Fraction(1, least // 2 - 1)
        always(solver, f"step {i}: X − Y below 0", form(X=2 * ratio + 1, Y=-1), *places)
        later.append(1 + ratio)
        always(solver, f"step {i}: X − Y", form(X=later[-1] - 1, Y=1), *places)
        always(solver, f"step {i}: Y − X", form(X=later[-1] + 1, Y=-1), *places)
        first.append(2 * ratio)
    # The last step, if it is the first such one, together with the one before it.
    most = Fraction(12, 7)
    places, half = compared(4), Fraction(1, 2)
    # X or Y was halved in that step, and so was its distance.
    always(solver, "the last step, after x / 2", form(X=most + 1, Y=-1), *places, *near(one=half))
    always(solver, "the last step, after x / 2 and an exchange", form(X=most + 1, Y=-1), *places, *near(other=half))
    # In that step, (X − Y) / 2 was made, of 2X + Y or, if they are exchanged now, of 2Y + X. In the second case, Y ≤ 3X, so that
    # 2·Y·(Y − X) is at most 6·X·(Y − X).
    below = [*places, *near(), form(Y=1, X=-1), form(X=1)]
    always(solver, "the last step, after x − y", form(X=2 * most + 2, Y=most - 2), *below)
    always(solver, "Y is at most 3X", form(X=3, Y=-1), *below)
    always(solver, "the last step, after x − y and an exchange", form(X=most + 6, Y=2 * most - 6), *below, form(X=3, Y=-1))
    first[-1] = most
    result = Fraction(1)
    for i, factor in enumerate(first):
        if i + 1 < steps:
            for other in later[i + 1:]:
                factor *= other
        result = max(result, factor)
    return result


def prove_rows(steps):
    """The factors of a and b, f0, g0 and f1, g1: 2^i·x and 2^i·y are what they give of the first x and y, and their determinant is
    2^i or −2^i. So a common divisor of the new a and b is one of the old, and the reverse, as b stays odd. The sizes of a row are
    2^i together, at most: a new row is the difference of two, or twice one."""
    f0, g0, f1, g1, x, y = ({(number,): 1} for number in range(1, 7))
    for is_odd, swaps in ((False, False), (True, False), (True, True)):
        one, other = ((f1, g1), (f0, g0)) if swaps else ((f0, g0), (f1, g1))
        new = [combine((1, a), (-1, b)) for a, b in zip(one, other)] if is_odd else list(one)
        last = [combine((2, a)) for a in other]
        after = combine((1, multiply(new[0], last[1])), (-1, multiply(new[1], last[0])))
        before = combine((1, multiply(f0, g1)), (-1, multiply(g0, f1)))
        if combine((1, after), (2 if swaps else -2, before)):
            raise Failure("the determinant of factors")
        sums = [combine((1, multiply(f, x)), (1, multiply(g, y))) for f, g in ((f0, g0), (f1, g1))]
        top, low = (sums[1], sums[0]) if swaps else sums
        wanted = [combine((1, top), (-1, low)) if is_odd else top, combine((2, low))]
        if wanted != [combine((1, multiply(f, x)), (1, multiply(g, y))) for f, g in (new, last)]:
            raise Failure("the factors of a step")
    # For a = 0 all steps are of the first kind: b and v stay as they are.
    row, last = (constant(1), {}), ({}, constant(1))
    for _ in range(steps):
        last = tuple(combine((2, value)) for value in last)
    if (row, last) != ((constant(1), {}), ({}, constant(1 << steps))):
        raise Failure("the factors for 0")


def main():
    count, rounds, steps = map(int, sys.argv[2:])
    solver = Solver(sys.argv[1])
    try:
        prove_rows(steps)
        prove_bounds(solver)
        most = prove_steps(solver, steps)
        # a·b is below 2^(2·bits) at first, and below 1 at the end: b is odd, and so a is 0.
        if most ** rounds >= 1 << max(0, steps * rounds - 2 * 64 * count):
            raise Failure(f"a may be more than 0 after {rounds} rounds")
    except Failure as error:
        sys.exit(f"NOT proven: {error}")
    finally:
        solver.close()
    print(f"proven: a is 0 after {rounds} rounds; each divides a·b by 2^{steps}·{most.denominator}/{most.numerator} or more, "
          f"{solver.questions} bounds")


main()
