#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# multiples.py LIST: proves, of what multiples.c has listed, that the operations with points make k·P of the digits of k. These
# are one sequence for all k: only the entry of a table that is chosen, and its sign, are others. So each run has to take the
# same steps, and the result as a form of the chosen points is compared once; digits.c has the digits of all k. Of sums of public
# points, each pair of digits is followed, and so 2·S + k·P + l·Q is proven of one step, and k·P + l·Q of all together.
import sys


def fail(what):
    sys.exit(f"NOT proven: {what}")


class Run:
    def __init__(self, name, k):
        self.name, self.k, self.steps, self.outputs, self.points = name, k, [], [], {}


def read(path):
    numbers, runs = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, *rest = line.split()
            if name == "begin":
                runs.append(Run(rest[0], int(rest[1], 16)))
            elif not runs:
                numbers[name] = int(rest[0], 16) if name == "q" else int(rest[0])
            elif name == "output":
                runs[-1].outputs.append(tuple(map(int, rest if runs[-1].name == "digits" else rest[1:])))
            elif name == "point":
                runs[-1].points[int(rest[0])] = int(rest[1])
            elif name == "second":
                runs[-1].l = int(rest[0], 16)
            elif name == "told":
                runs[-1].told = tuple(map(int, rest))
            elif name in ("add", "double", "double_last", "negate", "multiply", "invert", "is_infinity", "begin_sum", "public", "has_x",
                          "fraction", "double_jacobian", "add_jacobian", "from_jacobian"):
                runs[-1].steps.append((name, *map(int, rest)))
            else:
                fail(f"{runs[-1].name}: {line.strip()}")
    return numbers, runs


class Elements:
    """Coordinates as products of powers of points' coordinates."""

    def __init__(self):
        self.elements = {}

    def value(self, element):
        return self.elements[element] if element % 4 == 3 else {element: 1}

    def make(self, name, number, a, b):
        powers = dict(self.value(a)) if name == "multiply" else {}
        for other, power in self.value(b if name == "multiply" else a).items():
            powers[other] = powers.get(other, 0) + (power if name == "multiply" else -power)
        self.elements[4 * number + 3] = {other: power for other, power in powers.items() if power}

    def is_point(self, number, x, y):
        """Whether x and y are X/Z and Y/Z of a point, if its Z is not 0."""
        return [self.value(x), self.value(y)] == [{4 * number + i: 1, 4 * number + 2: -1} for i in range(2)]


def check_flatten(run):
    elements = Elements()
    for step in run.steps:
        elements.make(*step)
    points = {index: number for number, index in run.points.items()}
    for index, (x, y) in enumerate(run.outputs):
        if not elements.is_point(points[index], x, y):
            fail(f"flatten: point {index} of {len(run.outputs)}")


def check_public(run, numbers):
    """A sum of public points is k·P + l·Q, or of two digits with what was before them: 2·S + k·P + l·Q."""
    elements = Elements()
    # Points as factors of S, P and Q, and those that have none of both coordinates as fractions; sums that are no more added to.
    forms, last, asked = {}, set(), []
    if run.name == "digits":
        has_begun, *factors = run.told
        wanted = (2 * has_begun, *factors)
        entries = numbers["base_multiples"]
        for number, index in run.points.items():
            forms[number] = (1, 0, 0) if index == 0 else (0, 2 * index - 1, 0) if index <= entries else (
                0, 0, 2 * (index - entries) - 1)
    else:
        wanted = (0, run.k, run.l)
        windows, entries, width = (numbers[f"base_{name}"] for name in ("windows", "multiples", "bits"))
        for number, index in run.points.items():
            multiple = (2 * (index % entries) + 1) << width * (index // entries)
            forms[number] = (0, 0, 1) if index == windows * entries else (0, multiple, 0)
    for name, number, a, b in run.steps:
        if name in ("multiply", "invert"):
            elements.make(name, number, a, b)
        elif name == "has_x":
            asked.append(a)
        elif name == "begin_sum":
            forms[number] = (0, 0, 0)
        elif name == "public":
            # From a table of fractions, or from a table that was made of points.
            source = a // 4 if (a, b) == (a // 4 * 4, a // 4 * 4 + 1) else min(elements.value(a)) // 4
            if a % 4 and not elements.is_point(source, a, b):
                fail(f"{run.name}: another point of a table")
            forms[number] = forms[source]
        elif name in ("double", "double_last"):
            forms[number] = tuple(factor << b for factor in forms[a])
            last |= {number} if name == "double_last" else set()
        elif name == "add" and a not in last:
            forms[number] = tuple(map(sum, zip(forms[a], forms[b])))
        elif name == "negate" and b == 1:
            forms[number] = tuple(-factor for factor in forms[a])
        else:
            fail(f"{run.name}: an operation {name}")
    results = asked
    if run.name == "digits":
        (has_begun, x, y), = run.outputs
        results = [x // 4]
        if y != x + 1 or has_begun != any(wanted):
            fail("digits: whether the sum has begun")
    if not results or any(forms[result] != wanted for result in results):
        fail(f"{run.name}: another sum than of {wanted[0]}·S, {wanted[1]:#x}·P and {wanted[2]:#x}·Q")


def digits(k, width, count):
    """The digits of an odd k by their definition: bits of k, moved down by one, that count 1 or −1; and 1 above all."""
    bits = k >> 1 | 1 << (width * count - 1)
    return [sum((1 if bits >> (width * i + j) & 1 else -1) << j for j in range(width)) for i in range(count)]


def check_product(run, numbers):
    """Gives the steps without what depends on the digits."""
    is_base = run.name == "base"
    width = numbers["base_bits" if is_base else "bits"]
    count = numbers["base_windows" if is_base else "windows"]
    entries = numbers["base_multiples" if is_base else "multiples"]
    k = run.k
    is_opposite = run.name != "product" and k % 2 == 0
    wanted = digits(numbers["q"] - k if is_opposite else k, width, count)
    # Points as multiples of P, and the chosen ones as names: {name: factor}.
    multiples = {number: ((2 * (index % entries) + 1) << width * (index // entries)) if is_base else 1
                 for number, index in run.points.items()}
    # Sums in Jacobian coordinates, which are no coordinates of a point for other operations.
    forms, skeleton, chosen, elements, jacobian = {}, [], [], Elements(), set()
    for step in run.steps:
        name, number, a, b = step
        if name == "fraction":
            # A fraction of the table, which depends on k.
            source = min(elements.value(a)) // 4
            if not elements.is_point(source, a, b):
                fail(f"{run.name}: another point of a table")
            multiples[number] = multiples[source]
            skeleton.append((name, number))
            continue
        if name == "negate":
            window = len(chosen) if is_base else count - 1 - len(chosen)
            value = -multiples[a] if b else multiples[a]
            expected = wanted[window] << width * window if is_base else wanted[window]
            if value != (-expected if is_opposite else expected):
                fail(f"{run.name}: digit {window} of {run.k:#x}")
            chosen.append(window)
            forms[number] = {window: 1}
            skeleton.append((name, number))
            continue
        skeleton.append(step)
        if name == "is_infinity":
            continue
        if name in ("multiply", "invert"):
            elements.make(*step)
            continue
        if a in multiples:
            # Odd multiples of P, before any is chosen.
            multiples[number] = multiples[a] << b if name == "double" else multiples[a] + multiples[b]
            continue
        if name in ("double_jacobian", "add_jacobian"):
            jacobian.add(number)
        elif a in jacobian and name != "from_jacobian" or b in jacobian and name == "add":
            fail(f"{run.name}: {name} of Jacobian coordinates")
        if name in ("double", "double_jacobian"):
            forms[number] = {window: factor << b for window, factor in forms[a].items()}
        elif name in ("add", "add_jacobian"):
            forms[number] = dict(forms[a])
            for window, factor in forms[b].items():
                forms[number][window] = forms[number].get(window, 0) + factor
        elif name == "from_jacobian":
            forms[number] = forms[a]
        else:
            fail(f"{run.name}: an operation {name}")
        if name == "add_jacobian":
            # For all k: 2^width times an odd number between 0 and k / 2^j + 1, and a digit of the window below.
            lowest = min(forms[a])
            most = ((numbers["q"] >> width * lowest) + 1) << width
            if forms[a][lowest] != 1 << width or forms[b] != {lowest - 1: 1} or most + (1 << width) >= numbers["q"]:
                fail(f"{run.name}: a sum that may be an exception")
        if name in ("double", "double_jacobian") and not is_base:
            # Only odd numbers are doubled: no sum before the last is O, as all are below q.
            lowest = min(forms[a])
            partial = sum(factor * wanted[window] for window, factor in forms[a].items())
            if forms[a][lowest] != 1 or not 0 < partial < numbers["q"]:
                fail(f"{run.name}: a sum that may be O")
    result = run.outputs[0][0] // 4
    if run.outputs[0] != (4 * result, 4 * result + 1):
        fail(f"{run.name}: the coordinates of the result")
    expected = {window: 1 if is_base else 1 << width * window for window in range(count)}
    if forms[result] != expected or len(chosen) != count:
        fail(f"{run.name}: the result is a different sum of the chosen points")
    if run.name != "product" and skeleton[-1][:3] != ("is_infinity", 0, result):
        fail(f"{run.name}: another point is compared with O")
    return skeleton


def check_digits(width, count, length):
    """The definition: of any odd k, the digits are its sum. As forms of the bits of k: {bit: factor}, and -1 for the constant."""
    if width * count < length:
        fail("the digits do not reach the highest bit of k")
    total = {-1: 0}
    for j in range(width * count):
        # 1 or −1: twice the bit j + 1 of k, less 1; above all bits of k, there is a 1.
        if j == width * count - 1:
            total[-1] += 1 << j
        else:
            total[-1] -= 1 << j
            if j + 1 < length:
                total[j + 1] = total.get(j + 1, 0) + (2 << j)
    if total != {-1: 1} | {bit: 1 << bit for bit in range(1, length)}:
        fail("the digits of k are not k")


def main():
    numbers, runs = read(sys.argv[1])
    length = int(sys.argv[2])
    check_digits(numbers["bits"], numbers["windows"], length)
    check_digits(numbers["base_bits"], numbers["base_windows"], length)
    first = {}
    for run in runs:
        if run.name == "flatten":
            check_flatten(run)
            continue
        if run.name in ("digits", "sum"):
            check_public(run, numbers)
            continue
        skeleton = check_product(run, numbers)
        if first.setdefault(run.name, skeleton) != skeleton:
            fail(f"{run.name}: the operations depend on k")
    print(f"proven: multiples of {length} bits, by {len(runs)} runs")


main()
