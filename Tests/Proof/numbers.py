#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# numbers.py LIST: proves of the numbers of each curve, which numbers.c has listed, what the formulas need, and that all that
# gost_curve_prepare makes of them is right: the numbers for Montgomery's multiplication, the elements, and the whole table of
# multiples of P. These are few, and all are computed here a second time.
import subprocess
import sys

from group import Group

WORD = 1 << 64
FOLDED = {256: (1 << 256) - 617, 512: (1 << 512) - 569}


def read(path):
    curves = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, value = line.split()
            if name == "curve":
                curves.append({"name": value, "table": []})
            elif name == "size":
                curves[-1][name] = int(value)
            elif name.startswith("table"):
                curves[-1]["table"].append(int(value, 16))
            else:
                curves[-1][name] = int(value, 16)
    return curves


def require(curve, what, value):
    if not value:
        sys.exit(f"NOT proven: {curve['name']}: {what}")


def check_numbers(curve):
    """The assumptions of the proofs of formulas and multiples."""
    p, q, a, b, d = (curve[name] for name in "pqabd")
    n = curve["size"]
    require(curve, "p and q have so many bits, or a little fewer", 1 << (n - 3) < min(p, q) and max(p, q) < 1 << n)
    require(curve, "p is below 5q", p < 5 * q)
    require(curve, "all are below p", max(a, b, d, curve["x"], curve["y"]) < p)
    require(curve, "the curve is not singular", (4 * a ** 3 + 27 * b ** 2) % p)
    group, point = Group(p, a), (curve["x"], curve["y"])
    require(curve, "P is on the curve", (point[1] ** 2 - point[0] ** 3 - a * point[0] - b) % p == 0)
    require(curve, "q·P = O", group.multiply(q, point) is None)
    # By Hasse, (number − p − 1)² ≤ 4p, and q divides the number of points. The number found is the only multiple of q there.
    cofactor = (p + 1 + q // 2) // q
    fitting = [k for k in range(max(cofactor - 3, 1), cofactor + 4) if (k * q - p - 1) ** 2 <= 4 * p]
    require(curve, "one number of points", fitting == [cofactor])
    is_edwards = curve["form"] == 2
    require(curve, "the number of points", cofactor == (4 if is_edwards else 1))
    if curve["form"] == 1:
        require(curve, "a = −3", a == p - 3)
    if is_edwards:
        require(curve, "p is folded", p == FOLDED[n])
        require(curve, "d is no square", pow(d, (p - 1) // 2, p) == p - 1)
        s, t = (1 - d) * pow(4, -1, p) % p, (1 + d) * pow(6, -1, p) % p
        require(curve, "s is not 0", s)
        require(curve, "a = s² − 3t²", (s * s - 3 * t * t - a) % p == 0)
        require(curve, "b = 2t³ − t·s²", (2 * t ** 3 - t * s * s - b) % p == 0)
    return group, point


def check_prepared(curve, group, point):
    p, q, n = curve["p"], curve["q"], curve["size"]
    radix = 1 << n
    for name, number in (("p", p), ("q", q)):
        require(curve, f"{name}: words", curve[f"{name}_words"] == number)
        require(curve, f"{name}: the inverse", (curve[f"{name}_inverse"] * number + 1) % WORD == 0)
        require(curve, f"{name}: R²", curve[f"{name}_square"] == radix * radix % number)
    # Elements are themselves, or multiplied by R.
    scale = 1 if p == FOLDED[n] else radix
    fraction = pow(4, -1, p), pow(6, -1, p)
    for name, value in (("one", 1), ("a", curve["a"]), ("b", curve["b"]), ("d", curve["d"]), ("s", (1 - curve["d"]) * fraction[0]),
                        ("t", (1 + curve["d"]) * fraction[1])):
        require(curve, f"{name} as an element", (curve[f"element_{name}"] - value * scale) % p == 0)
    bits = 6 if n == 256 else 4
    table = curve["table"]
    require(curve, "the table's length", len(table) == 2 * -(-n // bits) << bits - 1)
    place = 0
    while place < len(table):
        twice, multiple = group.add(point, point), point
        for _ in range(1 << bits - 1):
            x, y = multiple
            if curve["form"] == 2:
                # (x, y) is (u, v) = ((x − t) / y, (x − t − s) / (x − t + s)).
                s, t = (1 - curve["d"]) * fraction[0] % p, (1 + curve["d"]) * fraction[1] % p
                x, y = (x - t) * pow(y, -1, p), (x - t - s) * pow(x - t + s, -1, p)
            require(curve, f"number {place} of the table",
                    (table[place] - x * scale) % p == 0 and (table[place + 1] - y * scale) % p == 0)
            place += 2
            multiple = group.add(multiple, twice)
        for _ in range(bits):
            point = group.add(point, point)


def main():
    curves = read(sys.argv[1])
    primes = sorted({curve[name] for curve in curves for name in "pq"})
    # PARI's isprime proves primality; its answer is not only probable.
    run = subprocess.run([sys.argv[2], "-q", "-f"], input="\n".join(f"print(isprime({prime}))" for prime in primes),
                         capture_output=True, text=True, check=True)
    answers = run.stdout.split()
    if answers != ["1"] * len(primes):
        sys.exit(f"NOT proven: p and q are not all prime: {run.stdout}{run.stderr}")
    print(f"proven: {len(primes)} numbers are prime")
    for curve in curves:
        check_prepared(curve, *check_numbers(curve))
        print(f"proven: {curve['name']}, with {len(curve['table']) // 2} points of its table", flush=True)


main()
