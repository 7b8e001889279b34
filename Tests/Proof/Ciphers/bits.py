# SPDX-License-Identifier: Apache-2.0
# Bytes whose bits are known one by one, for code that keeps bytes in bit planes: a bit is a constant and a sum, by exclusive or, of
# functions of one unknown byte each. As in forms.py, a bit has one notation only; a function of a sum has none, so that the sums
# that the standard's steps substitute get names, bit by bit, and are unknown bytes from there on.
from functools import lru_cache

from forms import Form, Names, Unknown, following, linear_part
from sums import LOWEST, key_of

ALL = (1 << 256) - 1
# Limits of the number of products and of their terms: products grow without end if sums have names that differ from the standard's.
MOST_PRODUCTS, MOST_TERMS = 300000, 300
# Bit i of x for each x, as the bits of a number.
BITS = [sum(1 << x for x in range(256) if x >> i & 1) for i in range(8)]


class Bit(Form):
    """An unknown bit. `terms` has a function for each name, 0 at 0, as a number whose bit x is the function's value at x."""

    __slots__ = ()


class Byte:
    """Eight bits, the lowest first, of which some are unknown."""

    __slots__ = ("bits", "_key")

    def __init__(self, bits):
        self.bits = bits
        self._key = None

    @property
    def support(self):
        """The bits that may be set."""
        return sum(1 << i for i, bit in enumerate(self.bits) if bit != 0)

    @property
    def key(self):
        if self._key is None:
            self._key = tuple(bit if isinstance(bit, int) else bit.key for bit in self.bits)
        return self._key

    def __eq__(self, other):
        return isinstance(other, Byte) and self.bits == other.bits

    def __hash__(self):
        return hash(self.key)


@lru_cache(maxsize=None)
def constant_bits(x):
    return [x >> i & 1 for i in range(8)]


def bits_of(x):
    return constant_bits(x) if isinstance(x, int) else x.bits


def byte_of(bits):
    value = 0
    for i, bit in enumerate(bits):
        if not isinstance(bit, int):
            return Byte(bits)
        value |= bit << i
    return value


@lru_cache(maxsize=None)
def tables_of(function, tables):
    """The bits, as functions, of a function of a byte whose bits are functions of one unknown byte."""
    results = [0] * 8
    for x in range(256):
        value = function[sum((table >> x & 1) << i for i, table in enumerate(tables))]
        for i in range(8):
            results[i] |= (value >> i & 1) << x
    return results


def is_bit(number):
    """Whether the lowest bit alone is unknown."""
    return isinstance(number[0], Byte) and number[0].support == 1 and not any(number[1:])


class Planes(Names):
    """The unknown bytes, and which sums have names."""

    def __init__(self):
        super().__init__()
        self.products = {}

    def new(self):
        self.count = following(self.count)
        return Byte([Bit({self.count: table}, 0, hash((self.count, table))) for table in BITS])

    @staticmethod
    def bit_of(name, table):
        """A function of one unknown byte."""
        constant = table & 1
        table ^= ALL if constant else 0
        return Bit({name: table}, constant, hash((name, table))) if table else constant

    def cut(self, value, images=(), waits=False, wants_one=False):
        """Names the bits of a sum, or, if one name is wanted, all bits. They are known by that name from now on, wherever they come
        out."""
        if isinstance(value, int) or self.name_of(value) is not None:
            return value
        bits = []
        new = self.new()
        for bit, name in zip(value.bits, new.bits):
            if isinstance(bit, Bit) and len(bit.terms) == 1 and not wants_one:
                name = bit
            elif isinstance(bit, Bit):
                self.sums[bit.mark] = (bit.terms, Bit(name.terms, 0, name.mark))
                name = Bit(name.terms, bit.constant, name.mark)
            bits.append(bit if isinstance(bit, int) else name)
        return byte_of(bits)

    @staticmethod
    def name_of(value):
        """The name that all bits are functions of, or None."""
        names = {name for bit in value.bits if isinstance(bit, Bit) for name in bit.terms}
        return names.pop() if len(names) == 1 else None

    # Functions of bits.

    def sum_of_bits(self, a, b):
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, int):
            return a ^ b
        if isinstance(b, int):
            return Bit(a.terms, a.constant ^ 1, a.mark) if b else a
        if len(a.terms) < len(b.terms):
            a, b = b, a
        terms, mark = dict(a.terms), a.mark ^ b.mark
        for name, table in b.terms.items():
            old = terms.get(name)
            if old is not None:
                mark ^= hash((name, old)) ^ hash((name, table))
                table ^= old
                if not table:
                    del terms[name]
                    continue
                mark ^= hash((name, table))
            terms[name] = table
        constant = a.constant ^ b.constant
        if len(terms) > 1:
            known = self.sums.get(mark)
            if known is not None and known[0] == terms:
                return self.sum_of_bits(known[1], constant)
        return Bit(terms, constant, mark) if terms else constant

    def product_of_bits(self, a, b):
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            return a & b if isinstance(a, int) else a if b else 0
        if len(a.terms) == len(b.terms) == 1:
            (name, f), = a.terms.items()
            (other, g), = b.terms.items()
            if name == other:
                return self.bit_of(name, (f ^ ALL if a.constant else f) & (g ^ ALL if b.constant else g))
        if a == b:
            return a
        # Of bits of several bytes, as in the carry of a sum: their product is unknown, the same for the same bits.
        factors = frozenset((frozenset(a.terms.items()), frozenset(b.terms.items())))
        if factors not in self.products:
            if len(self.products) == MOST_PRODUCTS or max(len(a.terms), len(b.terms)) > MOST_TERMS:
                raise Unknown("too many products of sums that have no names")
            self.count = following(self.count)
            self.products[factors] = self.bit_of(self.count, BITS[0])
        product = self.products[factors]
        product = self.sum_of_bits(product, Bit(a.terms, 0, a.mark)) if b.constant else product
        return self.sum_of_bits(product, Bit(b.terms, a.constant & b.constant, b.mark)) if a.constant else product

    def product(self, a, b):
        """The product of two words as polynomials over GF(2): 16 bytes."""
        first, second = ([bit for x in word for bit in bits_of(x)] for word in (a, b))
        bits = [0] * 128
        for i, x in enumerate(first):
            for j, y in enumerate(second):
                bits[i + j] = self.sum_of_bits(bits[i + j], self.product_of_bits(x, y))
        return [byte_of(bits[i:i + 8]) for i in range(0, 128, 8)]

    # Functions of bytes.

    def xor(self, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        return byte_of([self.sum_of_bits(x, y) for x, y in zip(bits_of(a), bits_of(b))])

    def both(self, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a & b
        return byte_of([self.product_of_bits(x, y) for x, y in zip(bits_of(a), bits_of(b))])

    def either(self, a, b):
        if isinstance(a, int) and isinstance(b, int):
            return a | b
        return self.xor(self.xor(a, b), self.both(a, b))

    def apply(self, function, a):
        if isinstance(a, int):
            return function[a]
        linear = linear_part(function, a.support)
        if linear is not None:
            bits = constant_bits(function[0])
            for i, bit in enumerate(a.bits):
                if bit != 0:
                    image = linear[1 << i]
                    bits = [self.sum_of_bits(x, bit) if image >> j & 1 else x for j, x in enumerate(bits)]
            return byte_of(bits)
        a = self.cut(a, wants_one=True)
        name = self.name_of(a)
        tables = tuple((ALL if bit else 0) if isinstance(bit, int) else bit.terms[name] ^ (ALL if bit.constant else 0)
                       for bit in a.bits)
        return byte_of([self.bit_of(name, table) for table in tables_of(function, tables)])

    def together(self, function, a, b):
        if isinstance(b, int):
            return function(a, b) if isinstance(a, int) else self.apply(bytes(function(x, b) for x in range(256)), a)
        if isinstance(a, int):
            return self.apply(bytes(function(a, x) for x in range(256)), b)
        if a == b:
            return self.apply(bytes(function(x, x) for x in range(256)), a)
        raise Unknown(f"{function.__name__} of two bytes")

    # Numbers of some bytes, the least significant first.

    def shift(self, number, count):
        bits = [bit for x in number for bit in bits_of(x)]
        size = len(bits)
        bits = [bits[i - count] if 0 <= i - count < size else 0 for i in range(size)]
        return [byte_of(bits[i:i + 8]) for i in range(0, size, 8)]

    def rotate(self, number, count):
        bits = [bit for x in number for bit in bits_of(x)]
        count %= len(bits)
        bits = bits[-count:] + bits[:-count]
        return [byte_of(bits[i:i + 8]) for i in range(0, len(bits), 8)]

    def add(self, a, b, carry=0):
        """The sum and the carry out of it, which is known as what the highest bits make it, too. Twice a number is shifted by one
        place."""
        if all(isinstance(x, int) for x in (*a, *b)):
            return super().add(a, b, carry)
        if carry == 0 and a == b:
            return self.shift(a, 1), byte_of([bits_of(a[-1])[7]] + [0] * 7)
        three = self.with_carry(a, b) if carry == 0 else None
        if three:
            # The carry out of the second sum differs from the carry out of all three.
            operands = frozenset((key_of(a), key_of(b)))
            return self.add(*three)[0], self.apply(LOWEST, self.result(("carry", operands, key_of([0])), 1)[0])
        total, out = super().add(a, b, carry)
        x, y, z = a[-1], b[-1], self.xor(total[-1], 0xFF)
        known = bits_of(self.either(self.both(x, y), self.both(self.either(x, y), z)))[7]
        if isinstance(known, Bit) and not isinstance(out, int):
            self.sums[known.mark] = (known.terms, self.sum_of_bits(out.bits[0], known.constant))
        return total, out

    def with_carry(self, a, b):
        """The numbers and the carry that a sum of three is of, one of which is a bit; None for another sum."""
        for one, other in ((a, b), (b, a)):
            for p, q, _ in self.pairs_of(one):
                for numbers in ((p, q, other), (other, p, q), (q, other, p)):
                    if is_bit(numbers[2]):
                        return numbers[0], numbers[1], numbers[2][0]
        return None

    def shift_signed(self, number, count):
        """A number shifted to the right, with its highest bit in the places that are free."""
        bits = [bit for x in number for bit in bits_of(x)]
        bits = bits[count:] + bits[-1:] * min(count, len(bits))
        return [byte_of(bits[i:i + 8]) for i in range(0, len(bits), 8)]

    def subtract(self, a, b):
        """a − b, if a is 16·b and b has no bits but the lowest of each four: 15·b, without a carry. Else, b is constant."""
        if a == self.shift(b, 4) and not any(x & 0xEE if isinstance(x, int) else x.support & 0xEE for x in b):
            return [byte_of([bits_of(x)[i & 4] for i in range(8)]) for x in b]
        return super().subtract(a, b)
