#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# inverse.py z3 LIST: proves, of what inverse.cpp has listed of Inverse.h, that each function gives the number that its comment says,
# and that each round of `invert` keeps a = number·u and b = number·v modulo m, for all factors that the steps may leave. descent.py
# proves that a is 0 after the last round, and b 1.
import sys
from math import gcd
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from bounds import Solver
from signed import WORD, Both, Unknown, combine, constant, multiply, paths


class Failure(Exception):
    pass


class Listing:
    """A function's operations: its inputs as (kind, names), its lines, and its output."""

    def __init__(self):
        self.inputs, self.lines, self.output = [], [], []


def read(path):
    listings, numbers, current = {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, *rest = line.split()
            if kind == "begin":
                current = listings[rest[0]] = Listing()
            elif kind in ("rounds", "steps"):
                numbers[kind] = int(rest[0])
            elif kind == "input":
                current.inputs.append((rest[0], [int(name) for name in rest[1:]]))
            elif kind == "output":
                current.output += [int(name) for name in rest]
            elif kind == "call":
                current.lines.append(("call", rest[0], [int(name) for name in rest[1:]]))
            else:
                current.lines.append((kind, *map(int, rest)))
    return listings, numbers


RANGES = {"words": (0, WORD - 1), "odd": (0, WORD - 1), "factors": (-1 << 31, 1 << 31), "steps": (0, (1 << 31) - 1), "mask": (-1, 0), "sign": (-1, 1),
          "top": (-1 << 62, 1 << 62)}


class Run:
    """The values of names on one path."""

    def __init__(self, domain, inputs):
        self.domain, self.values = domain, {0: {}}
        for kind, names in inputs:
            for name in names:
                self.values[name] = domain.fresh(*RANGES[kind])

    def execute(self, lines):
        for line in lines:
            kind, bits, name, a, b, c = line
            if kind == "constant":
                self.values[name] = constant(a - WORD if a >= WORD // 2 else a)
            elif kind == "cast":
                source = self.values[a]
                # To fewer bits, or as many, it is the same modulo 2^bits; to more, the number itself is.
                known = self.bits.get(a, 64)
                value = source if abs(bits) <= abs(known) else self.domain.read(source, known)
                self.values[name] = value if bits > 0 or isinstance(value, Both) else self.domain.read(value, bits)
            else:
                shift = kind in ("left", "right")
                self.values[name] = self.domain.operation(kind, bits, self.values[a], {} if shift else self.values[b],
                                                          self.values.get(c, {}), b)
            self.bits[name] = bits
        return self

    bits = {}

    def word(self, name):
        return self.domain.read(self.values[name], 64)

    def number(self, names):
        """A number of words, without sign."""
        return combine(*((WORD ** i, self.word(name)) for i, name in enumerate(names)))

    def signed(self, names):
        """A number in two's complement."""
        top = self.domain.settled(self.values[names[-1]])
        return combine((1, self.number(names[:-1])), (WORD ** (len(names) - 1), self.domain.read(top, -64)))


def divides(number, form):
    return all(value % number == 0 for value in form.values())


def prove_combine(listing, steps):
    """2^31·r and the lowest 31 bits of a·f + b·g + m·h are this sum, for all words, |f| ≤ 2^31, |g| ≤ 2^31, h < 2^31."""
    (_, a), (_, b), (_, m), (_, (f, g)), (_, (h,)) = listing.inputs

    def prove(domain):
        run = Run(domain, listing.inputs)
        run.execute(listing.lines)
        total = combine(*((1, multiply(run.number(number), domain.settled(run.values[factor])))
                          for number, factor in ((a, f), (b, g), (m, h))))
        rest = combine((1, total), (-(1 << steps), run.signed(listing.output)))
        # The rest has to be the remainder of a number divided by 2^31.
        remainders = [combine((1, dict(key)), (-divisor, domain.settled(quotient)))
                      for (key, divisor), quotient in domain.quotients.items() if divisor == 1 << steps]
        if rest not in remainders:
            raise Failure("combine: another sum")

    return paths(prove)


def prove_oppose(listing):
    """r is −r modulo its words, or r."""
    words, top, mask = (names for _, names in listing.inputs)

    def prove(domain):
        run = Run(domain, listing.inputs)
        before = run.signed(words + top)
        run.execute(listing.lines)
        sign = -1 if domain.decide(run.values[mask[0]]) else 1
        if not divides(WORD ** len(listing.output), combine((1, run.number(listing.output)), (-sign, before))):
            raise Failure("oppose: another number")

    return paths(prove)


def prove_normalize(listing, solver):
    """r = t or t + m or t − m, and 0 ≤ r < m, for −m < t < 2m."""
    (_, words), (_, sign), (_, m) = listing.inputs

    def prove(domain):
        run = Run(domain, listing.inputs)
        modulus = run.number(m)
        run.execute(listing.lines)
        t, r = run.signed(words + sign), run.number(listing.output)
        bounds = [combine((1, t), (1, modulus), (-1, constant(1))), combine((2, modulus), (-1, t), (-1, constant(1)))]
        if domain.impossible(solver, *bounds):
            return
        for times in (0, 1, -1):
            wanted = combine((1, t), (times, modulus))
            # Congruent modulo the words' numbers, and both within them.
            if (divides(WORD ** len(words), combine((1, r), (-1, wanted)))
                    and domain.impossible(solver, *bounds, combine((-1, wanted), (-1, constant(1))))
                    and domain.impossible(solver, *bounds, combine((1, wanted), (-1, modulus)))):
                return
        raise Failure("normalize: not between 0 and m")

    return paths(prove)


def prove_step(listing, solver):
    """If x is odd, the smaller one of x and y is taken from the greater one, of which one half is x then, and the other is y; and
    else x is halved. The factors f0, g0 of x and f1, g1 of y follow, the latter doubled. y is odd."""
    (_, (x,)), (_, (y,)), (_, factors) = listing.inputs

    def prove(domain):
        run = Run(domain, listing.inputs)
        bit = domain.fresh(0, 1)
        run.values[x] = combine((2, domain.fresh(0, WORD // 2 - 1)), (1, bit))
        run.values[y] = combine((2, domain.fresh(0, WORD // 2 - 1)), (1, constant(1)))
        # Before the last step, the sizes of a row are 2^30 together, at most; then the sizes of both rows, or of one twice.
        for name in factors:
            run.values[name] = domain.fresh(-1 << 30, 1 << 30)
        before = [run.values[name] for name in (x, y, *factors)]
        run.execute(listing.lines)
        one, other, f0, g0, f1, g1 = (domain.settled(form) for form in before)
        after = [run.word(name) for name in listing.output[:2]]
        after += [domain.read(run.values[name], -64) for name in listing.output[2:]]
        if not domain.decide(bit):
            rows = (one, f0, g0), (other, f1, g1)
        elif domain.impossible(solver, combine((1, other), (-1, one), (-1, constant(1)))):
            rows = [combine((1, a), (-1, b)) for a, b in ((one, other), (f0, f1), (g0, g1))], (other, f1, g1)
        elif domain.impossible(solver, combine((1, one), (-1, other))):
            rows = [combine((1, a), (-1, b)) for a, b in ((other, one), (f1, f0), (g1, g0))], (one, f0, g0)
        else:
            raise Failure("step: x and y are not compared")
        wanted = [rows[0][0], rows[1][0], *rows[0][1:], *(combine((2, form)) for form in rows[1][1:])]
        names = ["x", "y", "the factors of x", "the factors of x", "the factors of y", "the factors of y"]
        for index, (name, given, expected) in enumerate(zip(names, after, wanted)):
            rest = combine((2 if index == 0 else 1, given), (-1, expected))
            # A whole number that is not 0 is as much as what divides all its parts.
            least = constant(gcd(*rest.values()))
            if rest and any(not domain.impossible(solver, combine((sign, rest), (-1, least))) for sign in (1, -1)):
                raise Failure(f"step: {name}")

    return paths(prove)


def split(listing):
    """The rounds, which begin with the constants before a call of `reduce`; and what is before them."""
    at = [i for i, line in enumerate(listing.lines) if line[:2] == ("call", "reduce")]
    return [listing.lines[begin - 4:end - 4 if end else None] for begin, end in zip(at, at[1:] + [None])], listing.lines[:at[0] - 4]


class Round:
    """A round of `invert`: a, b, u and v are names of words before and after it."""

    def __init__(self, lines, count, m):
        self.lines, self.count, self.m = lines, count, m
        self.calls = [line for line in lines if line[0] == "call"]
        if [call[1] for call in self.calls] != ["reduce", "combine", "combine", "oppose", "oppose", "combine", "combine", "normalize",
                                                "normalize"]:
            raise Failure("invert: other calls")
        values = self.calls[0][2]
        self.a, self.b = values[:count], values[count:2 * count]
        self.before, self.factors = values[2 * count:2 * count + 4], values[2 * count + 4:]
        self.u = self.calls[5][2][:count]
        self.v = self.calls[5][2][count + 1:2 * count + 1]
        self.after = [self.calls[3][2][-count - 1:], self.calls[4][2][-count - 1:]]
        self.coefficients = [call[2][-count:] for call in self.calls[7:]]

    def prove(self, inverse, lowest, known):
        return paths(lambda domain: self.prove_path(domain, inverse, lowest, known))

    def prove_path(self, domain, inverse, lowest, known):
        count = self.count
        run = Run(domain, [])
        run.bits = known
        run.values[lowest] = constant((1 << 31) - 1)
        for name in {*self.a, *self.b, *self.u, *self.v, *self.m, inverse} - {0}:
            run.values[name] = domain.fresh(0, WORD - 1)
        u0, v0, m0 = (run.values[names[0]] for names in (self.u, self.v, self.m))
        # Numbers: a, b, u, v and m; and the sums divided by 2^31.
        a, b, u, v, m = (domain.fresh(0, WORD ** count - 1) for _ in range(5))
        numbers = {tuple(self.a): a, tuple(self.b): b, tuple(self.u): u, tuple(self.v): v}
        sums, signs = [], []
        f0, g0, f1, g1 = (domain.fresh(-1 << 31, 1 << 31) for _ in range(4))
        run.values |= dict(zip(self.factors, (f0, g0, f1, g1)))
        for line in self.lines:
            if line[0] != "call":
                run.execute([line])
                continue
            kind, names = line[1:]
            if kind == "reduce":
                if [run.values[name] for name in self.before] != [constant(1), {}, {}, constant(1)]:
                    raise Failure("invert: the factors do not begin with 1, 0, 0, 1")
            elif kind == "combine":
                one, f, other, g = names[:count], names[count], names[count + 1:2 * count + 1], names[2 * count + 1]
                if names[2 * count + 2:3 * count + 2] != self.m:
                    raise Failure("invert: another modulus")
                h = domain.settled(run.values[names[3 * count + 2]])
                if domain.range_of(h)[0] < 0 or domain.range_of(h)[1] >= 1 << 31:
                    raise Failure("invert: a multiple of m is too large")
                sums.append((numbers[tuple(one)], run.values[f], numbers[tuple(other)], run.values[g], h))
                out = names[3 * count + 3:]
                run.values |= {name: domain.fresh(0, WORD - 1) for name in out[:-1]}
                # The sum is between −m and 2m, of one word more.
                run.values[out[-1]] = domain.fresh(-1, 1)
                numbers[tuple(out)] = ("sum", len(sums) - 1, run.values[out[-1]])
            elif kind == "oppose":
                source, bits, out = names[:count + 1], run.values[names[count + 1]], names[count + 2:]
                which, index, top = numbers[tuple(source)]
                # The mask is the sign of this number, so that it is not negative then.
                negative = number_of_sign(domain, top)
                if which != "sum" or domain.decide(bits) != negative:
                    raise Failure("invert: the sign belongs to a different number")
                signs.append((index, -1 if negative else 1))
                numbers[tuple(out)] = ("size", index, None)
                numbers[tuple(out[:-1])] = ("size", index, None)
            elif kind == "normalize":
                which, index, _ = numbers[tuple(names[count:2 * count + 1])]
                if names[:count] != self.m or which != "sum":
                    raise Failure("invert: another number is made less than m")
                numbers[tuple(names[2 * count + 1:])] = ("element", index, None)
        places = [numbers[tuple(names)][:2] for names in (*self.after, *self.coefficients)]
        if places != [("size", 0), ("size", 1), ("element", 2), ("element", 3)]:
            raise Failure("invert: numbers are exchanged")
        # a and b are number·u and number·v, plus multiples of m.
        number, more, others = (domain.fresh(0, WORD ** count - 1) for _ in range(3))
        of = {key: combine((1, multiply(number, value)), (1, multiply(m, extra)))
              for key, value, extra in ((atom(a), u, more), (atom(b), v, others))}
        for index, (f, g) in enumerate(((f0, g0), (f1, g1))):
            place, sign = signs[index]
            if sums[index] != (a, f, b, g, {}) or place != index:
                raise Failure("invert: a and b are combined otherwise")
            one, factor, other, second, h = sums[index + 2]
            if (one, other) != (u, v):
                raise Failure("invert: u and v are combined otherwise")
            factor, second = domain.settled(factor), domain.settled(second)
            left = combine((sign, multiply(of[atom(a)], f)), (sign, multiply(of[atom(b)], g)))
            right = combine((1, multiply(u, factor)), (1, multiply(v, second)), (1, multiply(m, h)))
            rest = combine((1, left), (-1, multiply(number, right)))
            if any(atom(m) not in key for key in rest):
                raise Failure("invert: a is not number·u modulo m")
            # The lowest 31 bits of this sum are 0: m·inverse is −1 modulo 2^64.
            lower = combine((1, multiply(u0, factor)), (1, multiply(v0, second)), (1, multiply(m0, h)))
            if not divides(1 << 31, replaced(lower, atom(m0), atom(run.values[inverse]))):
                raise Failure("invert: the sum is no multiple of 2^31")


def number_of_sign(domain, top):
    """−1 if a number in two's complement is negative, of its highest word."""
    return domain.decide(domain.quotient(top, WORD // 2))


def atom(form):
    ((number,),) = form
    return number


def replaced(form, one, other):
    """A form with −1 in place of the product of two atoms."""
    result = {}
    for key, value in form.items():
        key = list(key)
        while one in key and other in key:
            key.remove(one), key.remove(other)
            value = -value
        result[tuple(key)] = result.get(tuple(key), 0) + value
    return {key: value for key, value in result.items() if value}


def prove_invert(listing, numbers):
    (_, given), (_, m), (_, (inverse,)) = listing.inputs
    count = len(m)
    rounds, begin = split(listing)
    if len(rounds) != numbers["rounds"]:
        raise Failure("invert: another number of rounds")
    values = {line[2]: line[3] for line in listing.lines if line[0] == "constant"}
    lowest = next(name for name, value in values.items() if value == (1 << numbers["steps"]) - 1)
    paths_of = 0
    a, b, u, v = given, m, None, None
    known = {}
    for index, lines in enumerate(rounds):
        this = Round(lines, count, m)
        if (this.a, this.b) != (a, b) or (index and (this.u, this.v) != (u, v)):
            raise Failure(f"invert: round {index} begins with other numbers")
        if not index and ([values.get(name, 0) for name in this.u] != [1] + [0] * (count - 1)
                          or any(values.get(name, 0) for name in this.v)):
            raise Failure("invert: u is not 1, or v not 0")
        paths_of += this.prove(inverse, lowest, known)
        a, b, u, v = this.after[0][:count], this.after[1][:count], *this.coefficients
    if listing.output != v:
        raise Failure("invert: the result is not v")
    return paths_of, len(rounds)


def main():
    listings, numbers = read(sys.argv[2])
    solver = Solver(sys.argv[1])
    try:
        for name, prove in (("combine", lambda it: prove_combine(it, numbers["steps"])), ("oppose", prove_oppose),
                            ("normalize", lambda it: prove_normalize(it, solver)), ("step", lambda it: prove_step(it, solver))):
            count = prove(listings[name])
            print(f"proven: {name} of {len(listings['invert'].output)} words, {count} paths")
        count, rounds = prove_invert(listings["invert"], numbers)
        print(f"proven: invert, {rounds} rounds, {count} paths")
    except (Failure, Unknown) as error:
        sys.exit(f"NOT proven: {error}")
    except KeyError as error:
        sys.exit(f"NOT proven: invert uses a number that is not its own: {error}")
    finally:
        solver.close()


main()
