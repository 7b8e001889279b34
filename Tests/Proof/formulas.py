#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# formulas.py SHAPE LIST: proves that what formulas.c lists, as the sources compute it, is the sum of points: for a chord, a
# tangent, opposites and O, as identities modulo the equation of the curve, and with what must not be 0 as a product of factors
# that are none for the curves of numbers.py. Shapes are those of formulas.c.
import sys

from polynomials import Polynomial, variable

failures = []


def claim(what, value):
    """That a polynomial is 0, or that something is true."""
    is_true = not value.terms if isinstance(value, Polynomial) else value
    if not is_true:
        failures.append(what)
        print(f"NOT proven: {what}: {str(value)[:200]}", flush=True)


class Trace:
    """One list: its operations, what it asks of elements, and its results."""

    def __init__(self, name):
        self.name, self.inputs, self.steps, self.outputs, self.answer = name, {}, [], {}, None

    def run(self, values):
        """The results as polynomials of the inputs' values. Of an inverse, the result is a variable."""
        self.zeros, self.inverted = [], []
        elements = {0: Polynomial({})}
        for number, name in self.inputs.items():
            elements[number] = Polynomial.of(values.get(name, variable("unset " + name)))
        for step, number, a, b in self.steps:
            if step == "zero":
                self.zeros.append((elements[number], a == 1))
            elif step == "invert":
                self.inverted.append(elements[a])
                elements[number] = variable(f"inverse{len(self.inverted)}")
            else:
                x, y = elements[a], elements[b]
                elements[number] = x + y if step == "add" else x - y if step == "subtract" else x * y
        return {name: elements[number] for name, number in self.outputs.items()}


def read(path):
    traces = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, rest = line.strip().split(" ", 1)
            if kind == "begin":
                trace = traces[rest] = traces[rest.removesuffix(" 0")] = Trace(rest)
            elif kind == "input":
                number, name = rest.split()
                trace.inputs[int(number)] = name
            elif kind == "output":
                number, name = rest.split()
                trace.outputs[name] = int(number)
            elif kind == "answer":
                trace.answer = int(rest)
            else:
                trace.steps.append((kind, *map(int, rest.split())))
    return traces


def weierstrass(traces, is_minus_3):
    x1, y1, z1, x2, y2, z2 = map(variable, ("x1", "y1", "z1", "x2", "y2", "z2"))
    a, b, y = Polynomial.of(-3) if is_minus_3 else variable("a"), variable("b"), variable("y")

    def on_curve(value):
        return value.squares("y1", x1 ** 3 + a * x1 + b).squares("y2", x2 ** 3 + a * x2 + b)

    # Of points that are not O. Numerator, and power of the denominator, of x and y of a sum.
    below, slope = x2 - x1, y2 - y1
    chord = slope ** 2 - (x1 + x2) * below ** 2
    chord_y = slope * (x1 * below ** 2 - chord) - y1 * below ** 3
    # The same of P1 − P2.
    other = -y2 - y1
    difference = other ** 2 - (x1 + x2) * below ** 2
    difference_y = other * (x1 * below ** 2 - difference) - y1 * below ** 3
    rise, twice = 3 * x1 ** 2 + a, 2 * y1
    tangent = rise ** 2 - 2 * x1 * twice ** 2
    tangent_y = rise * (x1 * twice ** 2 - tangent) - y1 * twice ** 3

    curve = {"a": a, "b": b, "one": 1, "d": variable("d"), "s": variable("s"), "t": variable("t")}
    first = {"X1": x1 * z1, "Y1": y1 * z1, "Z1": z1}
    infinity1, infinity2 = {"X1": 0, "Y1": y, "Z1": 0}, {"X2": 0, "Y2": y2, "Z2": 0}

    def is_proportional(what, r, point, factor):
        """(X : Y : Z) is a point, times a factor, which is not 0."""
        for name, value in zip("XYZ", point):
            claim(f"{what}: {name}", on_curve(r[name] - factor * value))

    def is_sum(what, trace, values, x, y, bottom, z):
        """X/Z = x / bottom², Y/Z = y / bottom³, and Z = z, which is not 0."""
        r = trace.run(values)
        claim(f"{what}: X", on_curve(r["X"] * bottom ** 2 - r["Z"] * x))
        claim(f"{what}: Y", on_curve(r["Y"] * bottom ** 3 - r["Z"] * y))
        claim(f"{what}: Z", on_curve(r["Z"] - z))

    def sums(name, second, scale, is_affine):
        trace = traces[name]
        # Z is a difference's y, times what is not 0: it vanishes only where P1 − P2 has order 2.
        both = z1 ** 2 * scale ** 2
        is_sum(f"{name}, chord", trace, curve | first | second(x2, y2), chord, chord_y, below, both * difference_y)
        is_sum(f"{name}, tangent", trace, curve | first | second(x1, y1), tangent, tangent_y, twice, both * 8 * y1 ** 3)
        # Of opposites: O, as Y is y of 2·P1 times what is not 0.
        is_proportional(f"{name}, opposites", trace.run(curve | first | second(x1, -y1)), (0, both * tangent_y, 0), 1)
        is_proportional(f"{name}, O + P", trace.run(curve | infinity1 | second(x2, y2)), (x2 * scale, y2 * scale, scale),
                        y ** 2 * y2 * scale)
        if not is_affine:
            is_proportional(f"{name}, P + O", trace.run(curve | first | infinity2), (x1 * z1, y1 * z1, z1), y2 ** 2 * y1 * z1)
            is_proportional(f"{name}, O + O", trace.run(curve | infinity1 | infinity2), (0, 1, 0), y ** 2 * y2 ** 2)

    for name in ("add", "add, r = a", "add, r = b"):
        sums(name, lambda x, y: {"X2": x * z2, "Y2": y * z2, "Z2": z2}, z2, False)
    for name in ("add_affine", "add_affine, r = a") + (() if is_minus_3 else ("public_add 0",)):
        sums(name, lambda x, y: {"u": x, "v": y}, Polynomial.of(1), True)
    doublings = ["add, a = b", "double", "double, r = a"] + ([] if is_minus_3 else ["double_times", "public_double"])
    for name in doublings:
        is_sum(name, traces[name], curve | first, tangent, tangent_y, twice, 8 * y1 ** 3 * z1 ** 4)
        is_proportional(f"{name}, O", traces[name].run(curve | infinity1), (0, 1, 0), y ** 4)
    if is_minus_3:
        # A sum in Jacobian coordinates.
        total = {"X1": x1 * z1 ** 2, "Y1": y1 * z1 ** 3, "Z1": z1}

        def is_jacobian(what, r, x, y, bottom, z):
            claim(f"{what}: X", on_curve(r["X"] * bottom ** 2 - r["Z"] ** 2 * x))
            claim(f"{what}: Y", on_curve(r["Y"] * bottom ** 3 - r["Z"] ** 3 * y))
            claim(f"{what}: Z", on_curve(r["Z"] - z))

        for name in ("double_times", "public_double"):
            is_jacobian(name, traces[name].run(curve | total), tangent, tangent_y, twice, 2 * y1 * z1 ** 4)
        r = traces["jacobian_add"].run(curve | total | {"u": x2, "v": y2})
        is_jacobian("jacobian_add", r, chord, chord_y, below, z1 ** 3 * below)
        is_proportional("from_jacobian", traces["from_jacobian"].run(curve | total), (x1, y1, 1), z1 ** 3)
        r = traces["public_double"].run(curve | total | {"X1": x1, "Y1": y1, "Z1": 0})
        claim("public_double, O", r["Z"])
        for told in range(8):
            trace = traces[f"public_add {told}"]
            second = (x1, y1) if told & 6 == 6 else (x1, -y1) if told & 2 else (x2, y2)
            r = trace.run(curve | total | {"u": second[0], "v": second[1]})
            asked = [z1, z1 ** 2 * (second[0] - x1), z1 ** 3 * (second[1] - y1)]
            claim(f"public_add {told}: asks", len(trace.zeros) == (1 if told & 1 else 3 if told & 2 else 2))
            for (value, is_zero), expected, bit in zip(trace.zeros, asked, (1, 2, 4)):
                claim(f"public_add {told}: asks {bit}", value - expected)
                claim(f"public_add {told}: answer {bit}", is_zero == (told & bit != 0))
            if told & 1:
                is_proportional(f"public_add {told}", r, (second[0], second[1], 1), 1)
            elif told & 6 == 6:
                is_jacobian(f"public_add {told}", r, tangent, tangent_y, twice, 2 * y1 * z1 ** 4)
            elif told & 2:
                claim(f"public_add {told}: Z", r["Z"])
            else:
                is_jacobian(f"public_add {told}", r, chord, chord_y, below, z1 ** 3 * below)
    for told in range(8):
        trace = traces[f"public_has_x {told}"]
        trace.run(curve | {"X1": variable("X"), "Z1": z1, "u": x2})
        claim(f"public_has_x {told}: asks for x", trace.zeros[0][0] - (x2 * z1 ** (2 if is_minus_3 else 1) - variable("X")))
        claim(f"public_has_x {told}: asks for O", len(trace.zeros) == 1 or trace.zeros[1][0] - z1)
        claim(f"public_has_x {told}: answer", trace.answer == (told & 3 == 1))
    plain_parts(traces, curve)
    r = traces["leave"].run(curve | first)
    inverse = variable("inverse1")
    claim("leave: inverts Z", traces["leave"].inverted[0] - z1)
    claim("leave: x", r["x"] - x1 * z1 * inverse)
    claim("leave: y", r["y"] - y1 * z1 * inverse)
    for name in ("from_affine", "enter"):
        is_proportional(name, traces[name].run(curve | {"u": x1, "v": y1}), (x1, y1, 1), 1)
    is_proportional("negate", traces["negate"].run(curve | first), (x1, -y1, 1), z1)
    is_proportional("negate not", traces["negate not"].run(curve | first), (x1, y1, 1), z1)
    for told in range(4):
        trace = traces[f"is_infinity {told}"]
        trace.run(curve | first)
        claim(f"is_infinity {told}", len(trace.zeros) == 1 and not (trace.zeros[0][0] - z1).terms and trace.answer == told & 1)
    is_proportional("public_begin", traces["public_begin"].run(curve), (0, 1, 0), 1)


def plain_parts(traces, curve):
    """Opposites in affine coordinates: of (x, y) it is (x, −y), and of (u, v) it is (−u, v)."""
    u, v = variable("u"), variable("v")
    is_edwards = "dt" in traces["make_public"].outputs
    opposite = (-u, v) if is_edwards else (u, -v)
    for name, expected in (("negate_affine", opposite), ("negate_affine not", (u, v)), ("negate_public", opposite),
                           ("make_public", (u, v))):
        r = traces[name].run(curve | {"u": u, "v": v})
        claim(f"{name}: first", r["u"] - expected[0])
        claim(f"{name}: second", r["v"] - expected[1])
        if "dt" in r:
            claim(f"{name}: d·u·v", r["dt"] - curve["d"] * expected[0] * expected[1])


def edwards(traces):
    u1, v1, z1, u2, v2, z2, d, s, t = map(variable, ("u1", "v1", "z1", "u2", "v2", "z2", "d", "s", "t"))
    curve = {"a": variable("a"), "b": variable("b"), "one": 1, "d": d, "s": s, "t": t}
    first = {"X1": u1 * z1, "Y1": v1 * z1, "Z1": z1, "T1": u1 * v1 * z1}

    def on_curve(value):
        """v² = (1 − u²) / (1 − d·u²), where 1 − d·u² is not 0, as d is no square."""
        return value.squares("v1", 1 - u1 ** 2, 1 - d * u1 ** 2).squares("v2", 1 - u2 ** 2, 1 - d * u2 ** 2)

    def is_sum(what, r, second, both):
        """The sum by the law of the form. Z is not 0, as 1 ± d·u1·u2·v1·v2 are not."""
        u, v = second
        product = d * u1 * u * v1 * v
        claim(f"{what}: X", on_curve(r["X"] * (1 + product) - r["Z"] * (u1 * v + v1 * u)))
        claim(f"{what}: Y", on_curve(r["Y"] * (1 - product) - r["Z"] * (v1 * v - u1 * u)))
        claim(f"{what}: T", on_curve(r["T"] * r["Z"] - r["X"] * r["Y"]))
        claim(f"{what}: Z", on_curve(r["Z"] - both * (1 - product) * (1 + product)))

    second = {"X2": u2 * z2, "Y2": v2 * z2, "Z2": z2, "T2": u2 * v2 * z2}
    for name in ("add", "add, r = a", "add, r = b"):
        is_sum(name, traces[name].run(curve | first | second), (u2, v2), z1 ** 2 * z2 ** 2)
    for name in ("add_affine", "add_affine, r = a", "public_add 0"):
        is_sum(name, traces[name].run(curve | first | {"u": u2, "v": v2}), (u2, v2), z1 ** 2)
    is_sum("add, a = b", traces["add, a = b"].run(curve | first), (u1, v1), z1 ** 4)
    for name in ("double", "double, r = a", "double_times", "public_double"):
        is_sum(name, traces[name].run(curve | first), (u1, v1), -z1 ** 4)
    # The sum of two points has a denominator: if d·u1·u2·v1·v2 were 1 or −1, its square would be 1, and these identities
    # would make d a square, as u2 + v2 and u2 − v2 are not both 0.
    product = d * u1 * u2 * v1 * v2
    curve1, curve2 = u1 ** 2 + v1 ** 2 - 1 - d * u1 ** 2 * v1 ** 2, u2 ** 2 + v2 ** 2 - 1 - d * u2 ** 2 * v2 ** 2
    for sign in (1, -1):
        square = (u1 + sign * product * v1) ** 2 - d * u1 ** 2 * v1 ** 2 * (u2 + sign * v2) ** 2
        claim("denominators", square - (curve1 + (product ** 2 - 1) * (v1 ** 2 - 1) - d * u1 ** 2 * v1 ** 2 * curve2))
    plain_parts(traces, curve)

    def is_point(what, r, point, factor):
        for name, value in zip("XYZT", point):
            claim(f"{what}: {name}", r[name] - factor * value)

    is_point("from_affine", traces["from_affine"].run(curve | {"u": u1, "v": v1}), (u1, v1, 1, u1 * v1), 1)
    is_point("negate", traces["negate"].run(curve | first), (-u1, v1, 1, -u1 * v1), z1)
    is_point("negate not", traces["negate not"].run(curve | first), (u1, v1, 1, u1 * v1), z1)
    is_point("public_begin", traces["public_begin"].run(curve), (0, 1, 1, 0), 1)
    for told in range(4):
        trace = traces[f"is_infinity {told}"]
        trace.run(curve | first)
        claim(f"is_infinity {told}: X", trace.zeros[0][0] - u1 * z1)
        claim(f"is_infinity {told}: Y − Z", trace.zeros[1][0] - (v1 - 1) * z1)
        claim(f"is_infinity {told}: answer", trace.answer == (told == 3) and len(trace.zeros) == 2)

    # To the curve and back. x − t is s·(1 + v) / (1 − v), and y is (x − t) / u.
    x, y = variable("x"), variable("y")
    r = traces["enter"].run(curve | {"u": x, "v": y})
    claim("enter: u = (x − t) / y", r["X"] * y - r["Z"] * (x - t))
    claim("enter: v = (x − t − s) / (x − t + s)", r["Y"] * (x - t + s) - r["Z"] * (x - t - s))
    claim("enter: T", r["T"] * r["Z"] - r["X"] * r["Y"])
    claim("enter: Z", r["Z"] - (x - t + s) * y)
    trace = traces["leave"]
    r = trace.run(curve | first)
    inverted, inverse = trace.inverted[0], variable("inverse1")
    claim("leave: inverts", inverted - (1 - v1) * u1 * z1 ** 2)
    claim("leave: x", r["x"] - t - s * (1 + v1) * z1 * inverse * u1 * z1)
    claim("leave: y", r["y"] - s * (1 + v1) * z1 * inverse * z1)
    for told in range(8):
        trace = traces[f"public_has_x {told}"]
        trace.run(curve | first | {"u": x})
        claim(f"public_has_x {told}: asks for x", trace.zeros[0][0] - z1 * (s * (1 + v1) - (x - t) * (1 - v1)))
        if len(trace.zeros) > 1:
            claim(f"public_has_x {told}: asks for X", trace.zeros[1][0] - u1 * z1)
            claim(f"public_has_x {told}: asks for Y − Z", trace.zeros[2][0] - (v1 - 1) * z1)
        claim(f"public_has_x {told}: answer", trace.answer == (told & 1 == 1 and told & 6 != 6))
    isomorphism(on_curve)


def isomorphism(on_curve):
    """The map to y² = x³ + ax + b: its points are on the curve, sums are sums there, and it has an inverse where x − t + s is
    not 0, which holds for all points with y ≠ 0, as d is no square."""
    u1, v1, u2, v2, d = map(variable, ("u1", "v1", "u2", "v2", "d"))
    # 4s = 1 − d and 6t = 1 + d; a = s² − 3t² and b = 2t³ − t·s². So y² = X³ + 3t·X² + s²·X, with X = x − t.
    s4 = 1 - d
    # At X = −s that is s²·(3t − 2s) = d·s², and d would be a square.
    claim("x = t − s", (1 + d) - s4 - 2 * d)
    # X = s·n / m and y = X / u: the equation, divided by X / (16·m²), which is 0 for (0, −1) alone: that becomes (t, 0).
    m, n = 1 - v1, 1 + v1
    claim("the map leads to the curve", on_curve(4 * n * m - u1 ** 2 * (s4 * n ** 2 + 2 * (1 + d) * n * m + s4 * m ** 2)))
    # The chord's slope is (n2·m1·u1 − n1·m2·u2) / (2·(v2 − v1)·u1·u2), and its square is X1 + X2 + X3 + 3t.
    m2, n2 = 1 - v2, 1 + v2
    slope, below = n2 * m * u1 - n * m2 * u2, 2 * (v2 - v1) * u1 * u2
    product = d * u1 * u2 * v1 * v2
    above3, below3 = v1 * v2 - u1 * u2, 1 - product
    # X3 = s·(below3 + above3) / (below3 − above3).
    denominator = m * m2 * (below3 - above3)
    total = s4 * (n * m2 * (below3 - above3) + n2 * m * (below3 - above3) + m * m2 * (below3 + above3)) + 2 * (1 + d) * denominator
    claim("sums are sums: x", on_curve(on_curve(4 * slope ** 2 * denominator - below ** 2 * total)))
    # −y3 = y1 + slope·(X3 − X1), where y3 = X3 / u3 and u3 = (u1·v2 + v1·u2) / (1 + product).
    above_u, below_u = u1 * v2 + v1 * u2, 1 + product
    x3, x3_below = s4 * (below3 + above3), below3 - above3
    # All times 4·m·u1·below·x3_below·above_u.
    claim("sums are sums: y", on_curve(on_curve(
        x3 * below_u * m * u1 * below + s4 * n * below * x3_below * above_u
        + slope * (x3 * m - s4 * n * x3_below) * u1 * above_u)))


def main():
    shape, path = int(sys.argv[1]), sys.argv[2]
    traces = read(path)
    if shape == 0:
        edwards(traces)
    else:
        weierstrass(traces, shape == 1)
    name = ("u² + v² = 1 + d·u²·v²", "y² = x³ − 3x + b", "y² = x³ + ax + b")[shape]
    if failures:
        sys.exit(f"NOT proven: {name}: {len(failures)} claims")
    print(f"proven: the formulas of {name}, {len(traces)} lists")


main()
