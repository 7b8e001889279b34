# SPDX-License-Identifier: Apache-2.0
# Names for sums with carries, and for products. A sum of the same two numbers has the same name always; that of a number and of two
# constants, one after the other, is that of their sum. A sum modulo 2^32 − 1 is known by any of the ways in which compilers make
# it of a sum and its carry.
from functools import lru_cache

LOWEST = bytes(x & 1 for x in range(256))
SPREAD = bytes(0xFF if x & 1 else 0 for x in range(256))


def key_of(number):
    return tuple(x if isinstance(x, int) else x.key for x in number)


def value_of(number):
    """The value if it is constant, or None."""
    return int.from_bytes(bytes(number), "little") if all(isinstance(x, int) for x in number) else None


def bits_of_byte(x):
    """The bits that may be set."""
    return x if isinstance(x, int) else x.support


def low_zeroes(number):
    """The number of lowest bits that cannot be set."""
    for i, x in enumerate(number):
        bits = bits_of_byte(x)
        if bits:
            return 8 * i + (bits & -bits).bit_length() - 1
    return 8 * len(number)


def bytes_of(value, size):
    return list((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))


class Sums:
    """Numbers of some bytes, the least significant first."""

    def __init__(self):
        # For a sum: the pairs of numbers that it is of, with the carry; the number and the constant that it is of.
        self.pairs, self.origins = {}, {}
        # The beginning of the last sum within words.
        self.place = 0
        # Of a number: the largest of it and another; what is one less than a sum, unless that has a carry; sums modulo 2^32 − 1.
        self.largest, self.lessened, self.rings = {}, {}, {}

    def add(self, a, b, carry=0):
        """The sum of two numbers and a carry, a byte 0 or 1, and the carry out of it."""
        size, x, y = len(a), value_of(a), value_of(b)
        if x is not None and y is not None and isinstance(carry, int):
            return bytes_of(x + y + carry, size), x + y + carry >> 8 * size
        if carry == 0 and 0 in (x, y):
            return list(b if x == 0 else a), 0
        if carry == 0 and not any(bits_of_byte(p) & bits_of_byte(q) for p, q in zip(a, b)):
            return [self.xor(p, q) for p, q in zip(a, b)], 0
        place = self.place_of_sum(a, b) if carry == 0 else 0
        if place:
            self.place = place
            return self.sum_at(place, a, b)
        operands = frozenset((key_of(a), key_of(b)))
        out = self.apply(LOWEST, self.result(("carry", operands, key_of([carry])), 1)[0])
        if x is not None:
            a, b, y = b, a, x
        if carry == 0 and y is not None:
            base, before = self.origins.get(key_of(a), (a, 0))
            y = (y + before) % (1 << 8 * size)
            total = self.result(("sum", frozenset((key_of(base), key_of(bytes_of(y, size)))), 0), size) if y else base
            self.origins[key_of(total)] = (base, y)
        else:
            total = self.result(("sum", operands, key_of([carry])), size)
        if carry == 0:
            self.pairs.setdefault(key_of(total), {})[operands] = (a, b, out)
            for *_, its in self.pairs_of(a):
                if key_of(b) == key_of([self.apply(SPREAD, self.xor(its, 1))] * size):
                    self.lessened[key_of(total)] = (a, its)
        return total, out

    # Sums of numbers of 32 bits that begin within a byte: below the place one of both has no bits, so that nothing is carried.

    @staticmethod
    def place_of_sum(a, b):
        """The bit where the sum of two words of 64 unknown bits begins, if that is within a byte, or 0."""
        place = max(low_zeroes(a), low_zeroes(b))
        is_unknown = value_of(a) is None and value_of(b) is None
        return place if len(a) == 8 and is_unknown and place < 8 else 0

    def parted(self, place, a):
        """The number above a place, and the bits below it."""
        return self.shift(a, -place), self.apply(bytes(x & (1 << place) - 1 for x in range(256)), a[0])

    def put_together(self, place, upper, lower):
        first, *rest = self.shift(upper, place)
        return [self.xor(first, lower), *rest]

    def sum_at(self, place, a, b):
        (a, p), (b, q) = self.parted(place, a), self.parted(place, b)
        low, carry = self.add(a[:4], b[:4])
        high, _ = self.add(a[4:], b[4:], carry)
        # The carry out of the word is a bit of what is above the place.
        out = self.apply(bytes(x >> 8 - place & 1 for x in range(256)), high[-1])
        return self.put_together(place, low + high, self.xor(p, q)), out

    def settled(self, a):
        """The same word, by the names that its bytes have from the place on where the last such sum began."""
        return self.put_together(self.place, *self.parted(self.place, a))

    def pairs_of(self, total):
        return self.pairs.get(key_of(total), {}).values()

    # Sums modulo 2^n − 1: a sum and its carry (RFC 5830, 6.1).

    def ring_sum(self, a, constant):
        """a + constant + the carry of that. One after another is one of the sum of their constants, if that is below 2^n − 1: each is
        from 1 to 2^n − 1, and congruent to a + constant modulo 2^n − 1."""
        size = len(a)
        base, before = self.rings.get(key_of(a), (a, 0))
        if before + constant >= (1 << 8 * size) - 1:
            base, before = a, 0
        total = self.result(("ring", key_of(base), before + constant), size)
        self.rings[key_of(total)] = (base, before + constant)
        return total

    def ring_sum_of(self, total, is_its):
        """A sum with a constant and the carry of it, which `is_its`."""
        for a, b, carry in self.pairs_of(total):
            if value_of(b) is not None and is_its(carry):
                return self.ring_sum(a, value_of(b))
        return None

    def is_below(self, a, b):
        """Whether a < b, as a bit, if a is a sum that b is a part of: then it is the carry."""
        for *parts, carry in self.pairs_of(a):
            if key_of(b) in map(key_of, parts):
                return carry
        return None

    def maximum(self, a, b):
        largest = self.result(("max", frozenset((key_of(a), key_of(b)))), len(a))
        self.largest[key_of(largest)] = (a, b)
        return largest

    def is_equal(self, a, b):
        """Whether a number is the largest of it and another: then it is not below that one."""
        for one, other in ((a, b), (b, a)):
            x, y = self.largest.get(key_of(other), ((), ()))
            for this, that in ((x, y), (y, x)):
                bit = self.is_below(one, that) if key_of(this) == key_of(one) else None
                if bit is not None:
                    return self.xor(bit, 1)
        return None

    def subtract(self, a, b):
        """a − b, if b is constant. If a is a sum less one unless it has a carry, and b is −1, that is the sum and its carry; so
        it is where a is a sum, and b is −1 if it has a carry."""
        spread = self.ring_sum_of(a, lambda carry: key_of(b) == key_of([self.apply(SPREAD, carry)] * len(a)))
        if spread is not None and value_of(b) is None:
            return spread
        if value_of(b) == (1 << 8 * len(b)) - 1 and key_of(a) in self.lessened:
            total, its = self.lessened[key_of(a)]
            return self.ring_sum_of(total, lambda carry: carry == its)
        y = value_of(b)
        return None if y is None else self.add(a, bytes_of(-y, len(a)))[0]

    def choose(self, bit, yes, no):
        """The one or the other number by the carry of `no`, of which `yes` is one more."""
        for a, b, carry in self.pairs_of(no):
            for base, other, _ in self.pairs_of(yes):
                if carry == bit and key_of(a) == key_of(base) and None not in (value_of(b), value_of(other)) and (
                        value_of(other) == value_of(b) + 1):
                    return self.ring_sum(a, value_of(b))
        return None

    def product(self, a, b):
        """The product of two words as polynomials over GF(2): 16 bytes."""
        for one, other in ((a, b), (b, a)):
            if value_of(one) is not None:
                result = [0] * 16
                for i, byte in enumerate(other):
                    for place, table in enumerate(multiples(value_of(one))):
                        if i + place < 16:
                            result[i + place] = self.xor(result[i + place], self.apply(table, byte))
                return result
        return self.result(("product", frozenset((key_of(a), key_of(b)))), 16)


def carryless(a, b):
    """The product of two polynomials over GF(2)."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = a << 1, b >> 1
    return product


@lru_cache(maxsize=None)
def multiples(factor):
    """The terms that a byte adds to each byte of its product with a factor."""
    products = [carryless(factor, x) for x in range(256)]
    return [bytes(product >> 8 * i & 0xFF for product in products) for i in range(9)]
