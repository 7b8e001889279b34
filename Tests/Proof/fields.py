#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# fields.py Z3 OBJECT LENGTH [BUILT]: proves, of the machine code of the field functions with numbers of LENGTH bits, that for all
# inputs within the bounds of Folded.h and Montgomery.h the result is congruent to what these say, and within the bounds that
# they say; that memory is only read and written within the arguments; and that no jump and no address depends on a number.
# With BUILT, the object of the library: that the functions which have a place of their own there are the same, byte by byte.
import sys
import time
from random import Random

from arithmetic import WORD, Unknown, Word, combine, constant
from bounds import Solver
from machine import Leak, Machine, Pointer, paths
from objects import Object

FOLDS = {256: 617, 512: 569}
# The number of inputs that each path is tried with.
SAMPLES = 30


class Failure(Exception):
    pass


def expand(facts, form):
    """A form as a polynomial: {atoms in order: factor}. Defined atoms are replaced by their definitions."""
    known = facts.known.setdefault("expanded", {0: {(): 1}})

    def of_atom(atom):
        if atom not in known:
            if atom in facts.decided:
                known[atom] = {(): facts.decided[atom]} if facts.decided[atom] else {}
            elif atom in facts.zero:
                known[atom] = {}
            elif atom in facts.definitions and atom not in facts.kept:
                known[atom] = of_form(facts.definitions[atom])
            elif atom in facts.factors:
                one, other = (of_atom(factor) for factor in facts.factors[atom])
                result = {}
                for a, x in one.items():
                    for b, y in other.items():
                        key = tuple(sorted(a + b))
                        result[key] = result.get(key, 0) + x * y
                known[atom] = result
            else:
                known[atom] = {(atom,): 1}
        return known[atom]

    def of_form(form):
        result = {}
        for atom, factor in form.items():
            for key, value in of_atom(atom).items():
                result[key] = result.get(key, 0) + factor * value
        return {key: value for key, value in result.items() if value}

    return of_form(form)


def show(facts, polynomial):
    items = sorted(polynomial.items(), key=lambda item: (len(item[0]), item[0]))[:6]
    return " + ".join(f"{value:#x}·{'·'.join(facts.names[atom] + str(atom) for atom in key)}" for key, value in items)


def value_of(words):
    return combine(*((WORD ** i, word.form) for i, word in enumerate(words)))


def vanishes(facts, exact, modulus=0):
    """Whether a form is 0, or 0 modulo a number, because atoms that do not cancel out cannot be but 0. Gives what is left."""
    rest = {}
    for key, value in expand(facts, exact).items():
        if modulus:
            value %= modulus
            value -= modulus if value > modulus // 2 else 0
        if value:
            rest[key] = value
    if any(len(key) > 1 for key in rest):
        return rest
    rest = {key[0] if key else 0: value for key, value in rest.items()}
    for depths in ((2, 5), (12,), (30,)):
        while rest:
            done = [atom for atom in rest if atom and facts.is_zero({atom: 1}, depths)]
            # Those with one factor may only vanish together: two carries that are equal.
            for factor in {abs(value) for atom, value in rest.items() if atom and atom not in done}:
                form = {atom: value // factor for atom, value in rest.items()
                        if value in (factor, -factor) or (atom == 0 and value % factor == 0)}
                if len(form) > 1 and facts.is_zero(form, depths):
                    done += list(form)
            if not done:
                break
            rest = {atom: value for atom, value in rest.items() if atom not in done}
        if rest and not modulus:
            # All else has cancelled out: this equation needs no other to go with it.
            facts.learn(combine((1, exact), (-1, rest)))
    return {(atom,) if atom else (): value for atom, value in rest.items()}


class Claim:
    """A function with arguments, of which some may be at one address."""

    def __init__(self, code, length, field, name):
        self.code, self.field, self.name = code, field, name
        self.count = length // 64
        self.is_folded = field == "folded"
        self.fold = FOLDS[length]
        self.function = f"prove_{field}{length}_{name}"
        self.has_two = name in ("multiply", "add", "subtract")

    def layouts(self):
        """Which region each of r, a and b is."""
        return [("r", "a", "b"), ("a", "a", "b"), ("b", "a", "b"), ("r", "a", "a"), ("a", "a", "a")] if self.has_two else [
            ("r", "a", None), ("a", "a", None)]

    def prepare(self, facts, layout):
        count = self.count
        facts.zero, facts.kept = set(), set()
        memory, sizes = {}, {}
        for region in set(layout) - {None}:
            sizes[region] = 8 * count
        self.a = [facts.word(f"a{i}") for i in range(count)]
        self.b = self.a if layout[2] == "a" else [facts.word(f"b{i}") for i in range(count)]
        self.m = [facts.word(f"m{i}") for i in range(count)]
        self.inverse = facts.word("inverse")
        self.square = [facts.word(f"square{i}") for i in range(count)]
        if self.is_folded:
            self.m = [constant(WORD - self.fold)] + [constant(WORD - 1)] * (count - 1)
        for region, words in (("a", self.a), ("b", self.b)):
            if region in layout:
                memory.update({(region, 8 * i): word for i, word in enumerate(words)})
        # The modulus as Words.h has it: 8 words, the inverse, 8 words of the square.
        memory.update({("m", 8 * i): word for i, word in enumerate(self.m)})
        memory["m", 64] = self.inverse
        memory.update({("m", 72 + 8 * i): word for i, word in enumerate(self.square)})
        sizes["m"] = 136
        arguments = [Pointer("m", 0)] + [Pointer(region, 0) for region in layout if region]
        machine = Machine(self.code, facts, arguments, memory, sizes)
        self.hints(facts)
        machine.run(self.function)
        self.reads_late |= machine.reads_late
        for region, offset in machine.written:
            if region not in ("stack", layout[0]):
                raise Failure(f"writes into {region}")
        return [machine.load(Pointer(layout[0], 8 * i), 8, "the result") for i in range(count)]

    def below(self, facts, words):
        """words < m"""
        facts.assume(combine((1, value_of(self.m)), (-1, value_of(words)), (-1, {0: 1})))

    def hints(self, facts):
        if self.is_folded:
            return
        if self.name in ("multiply", "square", "leave", "add", "subtract"):
            self.below(facts, self.a)
        if self.name in ("add", "subtract"):
            self.below(facts, self.b)
        if self.name == "enter":
            self.below(facts, self.square)

    def products(self, facts):
        """Of the numbers that are multiplied: their sum of products is at most the sum for their bounds."""
        if self.is_folded or self.name in ("add", "subtract"):
            return [], None
        left, right = {"multiply": (self.a, self.b), "square": (self.a, self.a), "enter": (self.square, self.a),
                       "leave": (self.a, [constant(1)] + [constant(0)] * (self.count - 1))}[self.name]
        top = WORD ** self.count
        total = combine(*((WORD ** (i + j), facts.product(x, y))
                          for i, x in enumerate(left) for j, y in enumerate(right)))
        # left ≤ m − 1 and right ≤ R − 1, of numbers that are not negative.
        bounds = [combine((top - 1, value_of(self.m)), (-(top - 1), {0: 1}), (-1, total))]
        return bounds, total

    def reduction(self, facts):
        """The factors of m in Montgomery's multiplication, and the words that they make 0."""
        factors, zeros = [], []
        for atom, definition in facts.definitions.items():
            # sum = word + lower − 2^64·carry, where lower is of m0·factor and factor is the lower word of word·inverse.
            lowers = [other for other in definition if other in facts.lower and definition[other] == 1]
            for lower in lowers:
                a, b = facts.lower[lower]
                factor = a if b.form == self.m[0].form else b if a.form == self.m[0].form else None
                if factor is None or factor.atom not in facts.lower:
                    continue
                one, other = facts.lower[factor.atom]
                source = one if other.form == self.inverse.form else other if one.form == self.inverse.form else None
                if source is None:
                    continue
                rest = combine((1, definition), (-1, {lower: 1}), (-1, source.form))
                carry = [other for other in rest if other in facts.bits and rest[other] == -WORD]
                if len(rest) == 1 and carry:
                    factors.append(factor)
                    zeros.append((atom, carry[0]))
        return factors, zeros

    def prove(self, solver, layout):
        """Gives how many paths there are."""
        number, taken, self.reads_late = 0, [], False
        for facts, result in paths(solver, lambda facts: self.prepare(facts, layout)):
            number += 1
            if not all(isinstance(word, Word) for word in result):
                raise Failure("the result is no number")
            result = [facts.settled(word) for word in result]
            modulus = value_of(self.m)
            if self.is_folded:
                self.prove_folded(facts, result)
            else:
                self.prove_montgomery(facts, result, modulus)
            # The known facts of a path never contradict each other for an input that reaches it.
            taken += [index for index, values in enumerate(self.inputs()) if facts.holds_for(values)]
        if sorted(taken) != list(range(SAMPLES)):
            raise Failure("an input reaches no path, or two")
        return number

    def inputs(self):
        """Some inputs within the bounds, as atoms with their numbers: small, large, and others."""
        random = Random(self.function)
        top = WORD ** self.count
        for index in range(SAMPLES):
            m = top - self.fold if self.is_folded else max((0, top // 2, top - 999)[index % 3], random.randrange(top)) | 1
            limit = top if self.is_folded else m
            a, b = (random.choice((0, 1, limit - 1, limit // 2, random.randrange(limit), random.randrange(limit)))
                    for _ in range(2))
            values = {}
            for words, number in ((self.a, a), (self.b, b), (self.m, m), (self.square, top * top % m)):
                values |= {word.atom: number >> 64 * i & WORD - 1 for i, word in enumerate(words) if word.atom}
            values[self.inverse.atom] = -pow(m, -1, WORD) % WORD
            yield values

    def prove_folded(self, facts, result):
        p = WORD ** self.count - self.fold
        a, b = value_of(self.a), value_of(self.b)
        expected = {"add": combine((1, a), (1, b)), "subtract": combine((1, a), (-1, b)), "enter": a, "leave": a}.get(self.name)
        if expected is None:
            right = self.a if self.name == "square" else self.b
            expected = combine(*((WORD ** (i + j), facts.product(x, y))
                                 for i, x in enumerate(self.a) for j, y in enumerate(right)))
        rest = vanishes(facts, combine((1, value_of(result)), (-1, expected)), p)
        if rest:
            if facts.never({}):
                return
            raise Failure(f"is not congruent modulo p: {show(facts, rest)}")
        if self.name == "leave" and not facts.never(combine((1, value_of(result)), (-p, {0: 1}))):
            raise Failure("is not below p")

    def prove_montgomery(self, facts, result, modulus):
        hints, total = self.products(facts)
        top = WORD ** self.count
        if total is None:
            sign = 1 if self.name == "add" else -1
            exact = combine((1, value_of(result)), (-1, value_of(self.a)), (-sign, value_of(self.b)))
        else:
            factors, zeros = self.reduction(facts)
            if len(factors) != self.count:
                raise Failure(f"{len(factors)} words are made 0, and not {self.count}")
            facts.kept |= {factor.atom for factor in factors}
            multiple = combine(*((WORD ** (i + j), facts.product(x, y))
                                 for i, x in enumerate(factors) for j, y in enumerate(self.m)))
            # F ≤ R − 1 and m ≥ 0.
            hints.append(combine((top - 1, modulus), (-1, multiple)))
            for atom, _ in zeros:
                # word + factor·m0 is word·(1 + inverse·m0) modulo 2^64, which is 0, and the sum's word is below 2^64.
                facts.learn({atom: 1})
            exact = combine((top, value_of(result)), (-1, total), (-1, multiple))
            exact = combine((1, exact), *((WORD ** i, {atom: 1}) for i, (atom, _) in enumerate(zeros)))
        for form in hints:
            facts.assume(form)
        # The result may be less by m, or more: that multiple of m which leaves no remainder.
        step = modulus if total is None else combine((top, modulus))
        rests = []
        for times in (0, 1, -1):
            form = combine((1, exact), (times, step))
            rest = vanishes(facts, form)
            if not rest:
                facts.learn(form)
                break
            rests.append(rest)
        else:
            # The selections of the path may contradict each other: then no input reaches it.
            if facts.never({}):
                return
            raise Failure("is not congruent modulo m: " + show(facts, min(rests, key=len)))
        if not facts.never(combine((1, value_of(result)), (-1, modulus))):
            raise Failure("is not below m")


def compare(code, built, length):
    """The functions that are not inlined have the same instructions in both objects."""
    names = [name for name in built.functions if name in [f"{field}{length}_{name}" for field in ("folded", "any")
             for name in ("add", "subtract", "square", "multiply")]]
    for name in names:
        texts = []
        for place in (code, built):
            body = place.body(name)
            begin, last = place.functions[name], [a for a in body if place.instructions[a].name in ("ret", "jmp")][-1]
            texts.append(place.sections[".text"][begin:last + 1])
        if texts[0] != texts[1]:
            raise Failure(f"{name} of the library differs: build it by \"make build\", or remove .build/release")
    print(f"the same in the library: {', '.join(names)}")


def prove(claim, solver):
    begin, questions = time.monotonic(), solver.questions
    layouts = claim.layouts()
    paths_of = [claim.prove(solver, layouts[0])]
    # A function that has read everything before it writes does not notice that both are at one address.
    if claim.reads_late:
        paths_of += [claim.prove(solver, layout) for layout in layouts[1:]]
    print(f"proven: {claim.function[6:]}, {len(paths_of)} layout{'s' if len(paths_of) > 1 else ''}, {sum(paths_of)} paths, "
          f"{solver.questions - questions} bounds, {time.monotonic() - begin:.1f} s", flush=True)


def main():
    program, path, length = sys.argv[1], sys.argv[2], int(sys.argv[3])
    code, solver, claim = Object(path), Solver(program), None
    try:
        if len(sys.argv) > 4:
            compare(code, Object(sys.argv[4]), length)
        for field in ("folded", "any"):
            for name in ("add", "subtract", "enter", "leave", "square", "multiply"):
                claim = Claim(code, length, field, name)
                prove(claim, solver)
    except (Failure, Unknown, Leak) as error:
        sys.exit(f"NOT proven: {claim.function[6:] if claim else path}: {error}")
    finally:
        solver.close()


main()
