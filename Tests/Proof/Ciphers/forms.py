# SPDX-License-Identifier: Apache-2.0
# Bytes that depend on unknown bytes: a form is a constant and a sum, by exclusive or, of functions of one unknown byte each. A
# form has one notation only, so that two forms are equal for all values of the unknown bytes if, and only if, they are the same.
#
# A function of a sum has no form, unless it is linear. There the sum is given a name: it is an unknown byte from then on. The
# standard's steps do so first (`Names.cut`), and the code has to come to the same sums. Results of additions with carries and of
# products are named by what is added or multiplied.
import operator
from functools import lru_cache

from sums import Sums

LINE = bytes(range(256))
ZERO = bytes(256)


class Unknown(Exception):
    """A value without a form, or an instruction without a rule."""


class Leak(Unknown):
    """A branch or an address that depends on an unknown byte."""


@lru_cache(maxsize=None)
def summed(f, g):
    """The sum of two functions."""
    return (int.from_bytes(f, "little") ^ int.from_bytes(g, "little")).to_bytes(256, "little")


@lru_cache(maxsize=None)
def composed(g, f):
    """x ↦ g(f(x)) + g(f(0)), and g(f(0))."""
    table = f.translate(g)
    first = table[0]
    return (summed(table, bytes([first]) * 256) if first else table), first


@lru_cache(maxsize=None)
def shifted(g, constant):
    """x ↦ g(x + constant)."""
    return bytes(g[x ^ constant] for x in range(256))


@lru_cache(maxsize=None)
def linear_part(g, support):
    """x ↦ g(x) + g(0) if that is linear for all x whose bits are within `support`."""
    g = bytes(g[x & support] for x in range(256))
    images = [g[1 << i] ^ g[0] for i in range(8)]
    table = [0] * 256
    for x in range(1, 256):
        low = x & -x
        table[x] = table[x ^ low] ^ images[low.bit_length() - 1]
    table = bytes(table)
    return table if summed(g, bytes([g[0]]) * 256) == table else None


@lru_cache(maxsize=None)
def bits_of(table):
    bits = 0
    for value in table:
        bits |= value
    return bits


def summed_up(*forms):
    """The sum of forms, none of which is given a name."""
    terms, constant = {}, 0
    for form in forms:
        constant ^= form.constant
        for variable, table in form.terms.items():
            terms[variable] = summed(terms.get(variable, ZERO), table)
    return Form({variable: table for variable, table in terms.items() if table != ZERO}, constant)


def following(name):
    """The name after another, of which there are 2^61. They are far apart, so that marks, which are sums of hashes, differ."""
    return (name * 6364136223846793005 + 1442695040888963407) % (1 << 61)


def mark_of(terms):
    mark = 0
    for term in terms.items():
        mark ^= hash(term)
    return mark


class Form:
    """An unknown byte. `terms` has a function for each name, 0 at 0."""

    __slots__ = ("terms", "constant", "mark", "_support", "_key")

    def __init__(self, terms, constant, mark=None):
        self.terms, self.constant = terms, constant
        # A sum of marks of the terms: different marks are of different forms.
        self.mark = mark_of(terms) if mark is None else mark
        self._support = self._key = None

    @property
    def support(self):
        """The bits that may be set."""
        if self._support is None:
            self._support = self.constant
            for table in self.terms.values():
                self._support |= bits_of(table)
        return self._support

    @property
    def key(self):
        if self._key is None:
            self._key = (self.constant, frozenset(self.terms.items()))
        return self._key

    def __eq__(self, other):
        return isinstance(other, Form) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self):
        return hash(self.key)


class Names(Sums):
    """The unknown bytes, and what the sums are that have names."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.sums, self.later = {}, {}
        # The meaning of each name of a sum.
        self.definitions = {}
        self.results = {}

    def new(self):
        """An unknown byte."""
        self.count = following(self.count)
        return Form({self.count: LINE}, 0)

    def several(self, count):
        return [self.new() for _ in range(count)]

    def cut(self, value, images=(), waits=False):
        """Names a sum. It, and each of the `images` of it, linear maps as tables, is known by that name from now on: wherever it
        comes out, or, if it `waits`, where a function wants one unknown byte. The latter is for sums that are added up further."""
        if not isinstance(value, Form) or len(value.terms) < 2:
            return value
        known = self.named(value)
        if len(known.terms) < 2:
            return known
        name = self.new()
        self.definitions[self.count] = value
        for form in (value, self.expanded(value)):
            for image in (LINE, *images):
                terms = {v: f for v, f in ((v, composed(image, t)[0]) for v, t in form.terms.items()) if f != ZERO}
                (self.later if waits else self.sums)[mark_of(terms)] = (terms, name, image, image[form.constant])
        return name

    def expanded(self, value):
        """The same sum, in which sums have no names: a compiler may add what is added to one before the rest of it."""
        for variable, table in value.terms.items():
            if table == LINE and variable in self.definitions:
                value = summed_up(value, Form({variable: LINE}, 0), self.definitions[variable])
        return value

    def named(self, a, wants_one=True):
        """The same byte by the name that it has, if it has one."""
        for sums in (self.sums, self.later) if wants_one else (self.sums,):
            known = sums.get(a.mark)
            if known is not None and known[0] == a.terms:
                _, name, image, offset = known
                (variable, table), = name.terms.items()
                return Form({variable: composed(image, table)[0]}, a.constant ^ offset)
        return a

    def result(self, key, count):
        """The bytes of what has no form: always the same for the same key."""
        if key not in self.results:
            self.results[key] = self.several(count)
        return self.results[key]

    # Functions of bytes. A constant is a number.

    def xor(self, a, b):
        if isinstance(a, int):
            if isinstance(b, int):
                return a ^ b
            return Form(b.terms, b.constant ^ a, b.mark) if a else b
        if isinstance(b, int):
            return Form(a.terms, a.constant ^ b, a.mark) if b else a
        terms, mark = dict(a.terms), a.mark ^ b.mark
        for name, table in b.terms.items():
            if name in terms:
                old = terms[name]
                mark ^= hash((name, old)) ^ hash((name, table))
                table = summed(old, table)
                if table == ZERO:
                    del terms[name]
                    continue
                mark ^= hash((name, table))
            terms[name] = table
        return self.formed(terms, a.constant ^ b.constant, mark)

    def formed(self, terms, constant, mark):
        if not terms:
            return constant
        form = Form(terms, constant, mark)
        return self.named(form, wants_one=False) if len(terms) > 1 else form

    def apply(self, function, a):
        """The function, a table, of a byte."""
        if isinstance(a, int):
            return function[a]
        if len(a.terms) == 1:
            (name, table), = a.terms.items()
            table, constant = composed(shifted(function, a.constant) if a.constant else function, table)
            return constant if table == ZERO else Form({name: table}, constant)
        linear = linear_part(function, a.support)
        if linear is None:
            return self.apply(function, self.cut(a))
        terms = {}
        for name, table in a.terms.items():
            table = composed(linear, table)[0]
            if table != ZERO:
                terms[name] = table
        return self.formed(terms, function[a.constant], mark_of(terms))

    def together(self, function, a, b):
        """A function of two bytes, where both depend on one unknown byte, or one is constant."""
        if isinstance(a, int) and isinstance(b, int):
            return function(a, b)
        if isinstance(b, int):
            return self.apply(left_table(function, b), a)
        if isinstance(a, int):
            return self.apply(right_table(function, a), b)
        if a == b:
            return self.apply(both_table(function), a)
        a, b = (self.named(x) if len(x.terms) > 1 else x for x in (a, b))
        if len(a.terms) == 1 and a.terms.keys() == b.terms.keys():
            (variable, f), = a.terms.items()
            (g,) = b.terms.values()
            table, constant = pointwise(function, f, a.constant, g, b.constant)
            return constant if table == ZERO else Form({variable: table}, constant)
        raise Unknown(f"{function.__name__} of two sums")

    def both(self, a, b):
        """a & b."""
        if isinstance(a, int) and isinstance(b, int):
            return a & b
        if isinstance(a, Form) and isinstance(b, Form) and not a.support & b.support:
            return 0
        return self.together(operator.and_, a, b)

    def either(self, a, b):
        """a | b."""
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, int):
            return a | b
        if not a.support & (b if isinstance(b, int) else b.support):
            return self.xor(a, b)
        return self.together(operator.or_, a, b)

    # Numbers of some bytes, the least significant first.

    def shift(self, number, count):
        """A number shifted to the left, or by a negative count to the right, within its length."""
        whole, rest = divmod(count, 8)
        result = []
        for i in range(len(number)):
            value = 0
            for place, table in ((i - whole, left_shift(rest)), (i - whole - 1, right_shift(8 - rest))):
                if 0 <= place < len(number):
                    value = self.xor(value, self.apply(table, number[place]))
            result.append(value)
        return result

    def rotate(self, number, count):
        count %= 8 * len(number)
        return [self.xor(a, b) for a, b in zip(self.shift(number, count), self.shift(number, count - 8 * len(number)))]


@lru_cache(maxsize=None)
def left_table(function, b):
    return bytes(function(x, b) for x in range(256))


@lru_cache(maxsize=None)
def right_table(function, a):
    return bytes(function(a, x) for x in range(256))


@lru_cache(maxsize=None)
def both_table(function):
    return bytes(function(x, x) for x in range(256))


@lru_cache(maxsize=None)
def pointwise(function, f, c, g, d):
    table = bytes(function(x ^ c, y ^ d) for x, y in zip(f, g))
    first = table[0]
    return summed(table, bytes([first]) * 256) if first else table, first


@lru_cache(maxsize=None)
def left_shift(count):
    return bytes(x << count & 0xFF for x in range(256))


@lru_cache(maxsize=None)
def right_shift(count):
    return bytes(x >> count for x in range(256))
