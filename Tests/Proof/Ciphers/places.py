# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of x86-64 that look bytes up, or move and multiply them within vectors: see vectors.py.
from functools import lru_cache

from forms import Unknown
from processor import number

LANE = 16


@lru_cache(maxsize=None)
def matrix_table(matrix, added):
    """gf2p8affineqb: bit i is the parity of x and byte 7 - i of the matrix."""
    return bytes(sum(((matrix >> 8 * (7 - i) & 0xFF & x).bit_count() & 1) << i for i in range(8)) ^ added for x in range(256))


@lru_cache(maxsize=None)
def aes_table(factor):
    """gf2p8mulb: products where t^8 + t^4 + t^3 + t + 1 = 0."""
    table = []
    for x in range(256):
        product, power = 0, factor
        for i in range(8):
            product ^= power if x >> i & 1 else 0
            power = power << 1 ^ (0x11B if power & 0x80 else 0)
        table.append(product)
    return bytes(table)


@lru_cache(maxsize=None)
def look_up_table(entries, mask, zeroes):
    """x ↦ the entry at x & mask, or 0 where x has the highest bit, if `zeroes` is set."""
    return bytes(0 if zeroes and x & 0x80 else entries[x & mask] for x in range(256))


def chunks(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def joined(pieces):
    return [byte for piece in pieces for byte in piece]


class Places:
    """The instructions of a processor that has `get`, `fetch`, `set` and `sources`."""

    # Places of bytes, and look-ups.

    def looked_up(self, entries, index, mask, zeroes):
        """The entry at an index. For an unknown index, the entries are constant."""
        if isinstance(index, int):
            return 0 if zeroes and index & 0x80 else entries[index & mask]
        if number(entries) is None:
            raise Unknown("an unknown entry at an unknown index")
        return self.names.apply(look_up_table(bytes(entries), mask, zeroes), index)

    def do_vpshufb(self, instruction, target, *operands):
        data, index = self.sources(target, operands, instruction)
        self.set(target, [self.looked_up(data[i // LANE * LANE:i // LANE * LANE + LANE], x, 15, True) for i, x in enumerate(index)],
                 instruction)

    do_pshufb = do_vpshufb

    def do_vpermb(self, instruction, target, index, table):
        size = target.size
        entries = self.fetch(table, size, instruction)
        self.set(target, [self.looked_up(entries, x, size - 1, False) for x in self.get(index, instruction, size)], instruction)

    def do_vpermi2b(self, instruction, target, a, table):
        first, second = self.get(target, instruction), self.get(a, instruction, target.size)
        index, low = (first, second) if instruction.name == "vpermi2b" else (second, first)
        entries = low + self.fetch(table, target.size, instruction)
        self.set(target, [self.looked_up(entries, x, 2 * target.size - 1, False) for x in index], instruction)

    do_vpermt2b = do_vpermi2b

    def do_vpermt2q(self, instruction, target, index, table):
        size = self.element(instruction)
        entries = chunks(self.get(target, instruction) + self.fetch(table, target.size, instruction), size)
        places = [self.known(piece, "an address", instruction) for piece in chunks(self.get(index, instruction, target.size), size)]
        self.set(target, joined(entries[place % len(entries)] for place in places), instruction)

    do_vpermt2d = do_vpermt2q

    def do_vpermq(self, instruction, target, a, b):
        size = self.element(instruction)
        if b.kind == "number":
            data = self.fetch(a, target.size, instruction)
            pieces = [chunks(part, size) for part in chunks(data, 32)]
            self.set(target, joined(joined(part[b.name >> 2 * i & 3] for i in range(4)) for part in pieces), instruction)
        else:
            pieces = chunks(self.fetch(b, target.size, instruction), size)
            index = chunks(self.get(a, instruction, target.size), size)
            places = [self.known(piece, "an address", instruction) for piece in index]
            self.set(target, joined(pieces[place % len(pieces)] for place in places), instruction)

    do_vpermd = do_vpermq

    def do_vpshufd(self, instruction, target, source, order):
        data = [chunks(lane, 4) for lane in chunks(self.fetch(source, target.size, instruction), LANE)]
        self.set(target, joined(joined(lane[order.name >> 2 * i & 3] for i in range(4)) for lane in data), instruction)

    do_pshufd = do_vpshufd

    def do_vshufps(self, instruction, target, *operands):
        a, b = ([chunks(lane, 4) for lane in chunks(data, LANE)] for data in self.sources(target, operands[:-1], instruction))
        order = operands[-1].name
        self.set(target, joined(joined((x if i < 2 else y)[order >> 2 * i & 3] for i in range(4)) for x, y in zip(a, b)), instruction)

    do_shufps = do_vshufps

    def do_vshufi64x2(self, instruction, target, a, b, order):
        x, y = (chunks(self.fetch(operand, target.size, instruction), LANE) for operand in (a, b))
        if target.size != 64:
            raise Unknown(f"no rule: {instruction}")
        self.set(target, joined((x if i < 2 else y)[order.name >> 2 * i & 3] for i in range(4)), instruction)

    do_vshufi32x4 = do_vshufi64x2

    def do_vperm2i128(self, instruction, target, a, b, order):
        halves = chunks(self.get(a, instruction, 32), LANE) + chunks(self.get(b, instruction, 32), LANE)
        self.set(target, joined([0] * LANE if order.name >> 4 * i & 8 else halves[order.name >> 4 * i & 3] for i in range(2)),
                 instruction)

    do_vperm2f128 = do_vperm2i128

    def do_valignq(self, instruction, target, a, b, count):
        size = self.element(instruction)
        data = self.fetch(b, target.size, instruction) + self.get(a, instruction, target.size)
        self.set(target, data[size * count.name:size * count.name + target.size], instruction)

    do_valignd = do_valignq

    def do_vpblendw(self, instruction, target, a, b, choice):
        size = self.element(instruction)
        x, y = (chunks(self.fetch(operand, target.size, instruction), size) for operand in (a, b))
        self.set(target, joined(q if choice.name >> i % 8 & 1 else p for i, (p, q) in enumerate(zip(x, y))), instruction)

    do_vpblendd = do_vpblendw

    def unpacked(self, instruction, target, operands, size, upper):
        pieces = ([chunks(lane, size) for lane in chunks(data, LANE)] for data in self.sources(target, operands, instruction))
        result, half = [], LANE // size // 2
        for x, y in zip(*pieces):
            for i in range(half * upper, half * upper + half):
                result += x[i] + y[i]
        self.set(target, result, instruction)

    def do_vpunpcklbw(self, instruction, target, *operands):
        size = {"bw": 1, "wd": 2, "dq": 4, "ps": 4, "pd": 8}[instruction.name[-2:]]
        if instruction.name.endswith("qdq"):
            size = 8
        self.unpacked(instruction, target, operands, size, "unpckh" in instruction.name)

    do_vpunpcklwd = do_vpunpckldq = do_vpunpcklqdq = do_vpunpckhbw = do_vpunpckhwd = do_vpunpckhdq = do_vpunpckhqdq = do_vpunpcklbw
    do_vunpcklps = do_vunpckhps = do_vunpcklpd = do_vunpckhpd = do_punpcklqdq = do_punpckhqdq = do_punpckldq = do_vpunpcklbw

    # Products.

    def do_vgf2p8affineqb(self, instruction, target, source, matrix, added):
        rows = [self.known(piece, "a matrix", instruction) for piece in chunks(self.fetch(matrix, target.size, instruction), 8)]
        data = self.fetch(source, target.size, instruction)
        self.set(target, [self.names.apply(matrix_table(rows[i // 8], added.name), x) for i, x in enumerate(data)], instruction)

    def do_vgf2p8mulb(self, instruction, target, a, b):
        factors = [self.known([x], "a factor", instruction) for x in self.fetch(b, target.size, instruction)]
        data = self.fetch(a, target.size, instruction)
        self.set(target, [self.names.apply(aes_table(factor), x) for factor, x in zip(factors, data)], instruction)

    def multiplied(self, instruction, target, source, first, second):
        a, b = self.get(target, instruction, 16), self.get(source, instruction, 16)
        self.set(target, self.names.product(a[8 * first:8 * first + 8], b[8 * second:8 * second + 8]), instruction)

    def do_pclmullqlqdq(self, instruction, target, source):
        self.multiplied(instruction, target, source, 0, 0)

    def do_pclmulhqlqdq(self, instruction, target, source):
        self.multiplied(instruction, target, source, 1, 0)

    def do_pclmullqhqdq(self, instruction, target, source):
        self.multiplied(instruction, target, source, 0, 1)

    def do_pclmulhqhqdq(self, instruction, target, source):
        self.multiplied(instruction, target, source, 1, 1)
