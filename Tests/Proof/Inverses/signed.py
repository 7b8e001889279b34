# SPDX-License-Identifier: Apache-2.0
# Words with and without sign, of 64 and 128 bits, as polynomials of whole numbers whose ranges are known: {monomial: factor}, where
# a monomial is the atoms that are multiplied. A value is such a form modulo 2^bits; where the number itself matters, that multiple
# of 2^bits is taken away which leaves it in the type's range. So all equations hold in whole numbers.
from math import gcd

from bounds import impossible

WORD = 1 << 64


class Unknown(Exception):
    """A value for which there are no rules here: nothing is proven then."""


def combine(*terms):
    result = {}
    for factor, form in terms:
        for key, value in form.items():
            result[key] = result.get(key, 0) + factor * value
    return {key: value for key, value in result.items() if value}


def multiply(one, other):
    result = {}
    for a, x in one.items():
        for b, y in other.items():
            key = tuple(sorted(a + b))
            result[key] = result.get(key, 0) + x * y
    return {key: value for key, value in result.items() if value}


def constant(value):
    return {(): value} if value else {}


def number_of(form):
    """The number that a form is, or None."""
    return form.get((), 0) if all(not key for key in form) else None


class Both:
    """The exclusive or of two forms."""

    def __init__(self, one, other):
        self.forms = [one, other]


class Domain:
    """The facts known on one path. `choices` are the values of the atoms that the code selects by; others take their lowest."""

    def __init__(self, choices):
        self.choices, self.taken, self.decided = list(choices), 0, {}
        self.ranges, self.quotients, self.known, self.signs = {}, {}, {}, {}

    # Atoms and forms.

    def fresh(self, low, high):
        atom = len(self.ranges) + 1
        self.ranges[atom] = (low, high)
        return {(atom,): 1}

    def settled(self, form):
        if not any(atom in self.decided for key in form for atom in key):
            return form
        result = {}
        for key, value in form.items():
            for atom in key:
                value *= self.decided.get(atom, 1)
            key = tuple(atom for atom in key if atom not in self.decided)
            result[key] = result.get(key, 0) + value
        return {key: value for key, value in result.items() if value}

    def range_of(self, form):
        low = high = 0
        for key, factor in form.items():
            one = other = factor
            for atom in key:
                ends = [end * bound for end in (one, other) for bound in self.ranges[atom]]
                one, other = min(ends), max(ends)
            low, high = low + min(one, other), high + max(one, other)
        known = self.known.get(tuple(sorted(form.items())))
        return (max(low, known[0]), min(high, known[1])) if known else (low, high)

    def know(self, form, low, high):
        self.known[tuple(sorted(form.items()))] = (low, high)

    def quotient(self, form, divisor):
        """A form divided by a number, without the remainder."""
        form = self.settled(form)
        low, high = (end // divisor for end in self.range_of(form))
        if low == high:
            return constant(low)
        common = gcd(divisor, *form.values())
        form, divisor = {key: value // common for key, value in form.items()}, divisor // common
        # Multiples of the divisor are no part of what is divided, so that equal quotients have one name.
        whole = {key: value // divisor for key, value in form.items() if value % divisor == 0}
        part = {key: value for key, value in form.items() if value % divisor}
        if not part:
            self.know(whole, low, high)
            return whole
        key = (tuple(sorted(part.items())), divisor)
        if key not in self.quotients:
            ends = [end // divisor for end in self.range_of(part)]
            self.quotients[key] = self.fresh(*ends) if ends[0] < ends[1] else constant(ends[0])
        result = combine((1, self.settled(self.quotients[key])), (1, whole))
        self.know(result, low, high)
        return result

    def remainder(self, form, divisor):
        form = self.settled(form)
        low, high = self.range_of(form)
        if 0 <= low and high < divisor:
            return form
        quotient = self.quotient(form, divisor)
        result = combine((1, form), (-divisor, quotient))
        self.know(result, 0, divisor - gcd(divisor, *form.values()))
        return result

    def decide(self, form):
        """The number that a form of one atom with two values is on this path."""
        form = self.settled(form)
        while number_of(form) is None:
            atoms = {atom for key in form for atom in key}
            if len(atoms) != 1 or (atom := atoms.pop()) not in self.ranges or self.ranges[atom] not in ((0, 1), (-1, 0)):
                raise Unknown("selects by what is no bit")
            if self.taken == len(self.choices):
                self.choices.append(0)
            low, high = self.ranges[atom]
            self.decided[atom] = (low, high)[self.choices[self.taken]]
            self.ranges[atom] = (self.decided[atom],) * 2
            self.taken += 1
            # A number whose sign this is.
            for (key, divisor), quotient in self.quotients.items():
                if quotient == {(atom,): 1} and len(key) == 1 and key[0][1] == 1 and len(key[0][0]) == 1:
                    source, value = key[0][0][0], self.decided[atom]
                    low, high = self.ranges[source]
                    self.ranges[source] = (max(low, value * divisor), min(high, value * divisor + divisor - 1))
            form = self.settled(form)
        return number_of(form)

    def impossible(self, solver, *inequalities):
        """Whether no input reaches this path on which forms are not negative."""
        forms = [self.settled(form) for form in inequalities]
        for (key, divisor), quotient in self.quotients.items():
            rest = combine((1, self.settled(dict(key))), (-divisor, self.settled(quotient)))
            forms += [rest, combine((-1, rest), (divisor - 1, constant(1)))]
        if any(len(key) > 1 for form in forms for key in form):
            raise Unknown("a product in a bound")
        flat = [{key[0] if key else 0: value for key, value in form.items()} for form in forms]
        return impossible(solver, self.ranges, [], flat)

    # Values, as forms modulo 2^bits.

    def read(self, form, bits):
        """The number itself, of a type with so many bits, or −bits with a sign."""
        if isinstance(form, Both):
            raise Unknown("bits of two numbers")
        form = self.settled(form)
        low, high = self.range_of(form)
        if bits > 0:
            return self.remainder(form, 1 << bits)
        if low < -1 << -bits - 1 or high >= 1 << -bits - 1:
            raise Unknown("a number with a sign may overflow")
        return form

    def operation(self, kind, bits, a, b, c, count):
        """The value of an operation, of forms; of shifts, `count` is by how many bits."""
        a, b, c = (form if isinstance(form, Both) else self.settled(form) for form in (a, b, c))
        if kind == "mask":
            return constant(-self.decide(self.read(a, 64)))
        if kind == "product":
            return multiply(self.read(a, 64), self.read(b, 64))
        if kind in ("sum", "carry", "difference", "borrow"):
            sign = 1 if kind in ("sum", "carry") else -1
            total = combine((1, self.read(a, 64)), (sign, self.read(b, 64)), (sign, c))
            over = self.quotient(total, WORD)
            return combine((1, total), (-WORD, over)) if kind in ("sum", "difference") else combine((sign, over))
        if kind in ("add", "subtract", "multiply"):
            result = multiply(a, b) if kind == "multiply" else combine((1, a), (1 if kind == "add" else -1, b))
            return result if bits > 0 else self.read(result, bits)
        if kind == "not":
            return combine((-1, a), (-1, constant(1)))
        if kind == "left":
            return combine((1 << count, a))
        if kind == "right":
            low, high = self.range_of(a)
            if bits == 64 and count == 63 and -WORD // 2 <= low and high < WORD // 2:
                return combine((-1, self.quotient(a, WORD // 2)))
            return self.quotient(self.read(a, bits), 1 << count)
        return self.bitwise(kind, bits, a, b)

    def bitwise(self, kind, bits, a, b):
        for one, other in ((a, b), (b, a)):
            if isinstance(one, dict) and len(one) == 1 and number_of(one) is None and self.range_of(one) in ((-1, 0), (0, 1)):
                # A mask, or a bit of two, as the path determines.
                if self.range_of(one) == (-1, 0) or kind == "or":
                    return self.bitwise(kind, bits, constant(self.decide(one)), self.settled(other) if isinstance(other, dict) else other)
        for one, other in ((a, b), (b, a)):
            value = number_of(one) if isinstance(one, dict) else None
            if value is None:
                continue
            if value in (-1, (1 << abs(bits)) - 1):
                return {"and": other, "or": constant(-1)}[kind] if kind != "xor" else combine((-1, other), (-1, constant(1)))
            if value == 0:
                return constant(0) if kind == "and" else other
            if kind == "and" and value & (value + 1) == 0:
                return self.remainder(other, value + 1)
            if kind in ("or", "xor") and value == 1 and isinstance(other, dict) and self.range_of(other) in ((0, 1), (0, 0), (1, 1)):
                return constant(1) if kind == "or" else combine((1, constant(1)), (-1, other))
        if kind == "xor":
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Both) and isinstance(other, dict) and other in one.forms:
                    return one.forms[1 - one.forms.index(other)]
            if isinstance(a, dict) and isinstance(b, dict):
                return Both(a, b)
        if kind == "or":
            one, other = self.read(a, bits), self.read(b, bits)
            for low, high in ((one, other), (other, one)):
                step = gcd(*high.values())
                if 0 <= self.range_of(low)[0] and self.range_of(low)[1] < step:
                    result = combine((1, low), (1, high))
                    self.know(result, 0, self.range_of(low)[1] + self.range_of(high)[1])
                    return result
        raise Unknown(f"bits: {kind}")


def paths(prove):
    """Calls a function with each path's domain."""
    choices, count = [], 0
    while True:
        domain = Domain(choices)
        prove(domain)
        count += 1
        choices = domain.choices[:domain.taken]
        while choices and choices[-1] == 1:
            choices.pop()
        if not choices:
            return count
        choices[-1] = 1
