# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of arm64 on vectors: a vector is a list of 16 bytes, each a form.
from forms import Unknown
from places import chunks, joined
from processor import number, parts
from sums import SPREAD, bits_of_byte, multiples
from vectors import wrapped_sum


def table_of(entries, old):
    """x ↦ the entry at x, or `old`, which is constant, beyond the last."""
    return bytes(entries) + bytes([old]) * (256 - len(entries))


class Neon:
    """The instructions on vectors of a processor that has `get`, `put`, `vectors` and `registers`."""

    def fetch(self, operand, instruction, size=None):
        """The bytes of a vector, or of an element of it."""
        data = self.vectors[operand.name]
        if operand.index is not None:
            return data[operand.index * operand.element:(operand.index + 1) * operand.element]
        return data[:size or operand.size]

    def set(self, operand, data):
        self.vectors[operand.name] = data + [0] * (16 - len(data))

    def each(self, function, instruction, target, *operands):
        if operands[0].kind == "number":
            # A number in each element of the target, shifted if the instruction has a shift.
            value = operands[0].name << (operands[1].name if len(operands) > 1 else 0)
            data = [self.fetch(target, instruction), parts(value, target.element) * (target.size // target.element)]
        else:
            data = [self.fetch(operand, instruction) for operand in operands]
        self.set(target, [function(*values) for values in zip(*data)])

    def elements(self, function, instruction, target, *operands):
        data = [chunks(self.fetch(operand, instruction), target.element) for operand in operands]
        self.set(target, joined(function(*values) for values in zip(*data)))

    # Moves.

    def vector_mov(self, instruction, target, source):
        if target.index is not None:
            data = self.get(source, instruction) if source.kind == "general" else self.fetch(source, instruction)
            at = target.index * target.element
            old = self.vectors[target.name]
            self.vectors[target.name] = old[:at] + data[:target.element] + old[at + target.element:]
        elif target.kind == "scalar":
            self.set(target, self.fetch(source, instruction))
        else:
            self.set(target, self.fetch(source, instruction, target.size))

    def do_umov(self, instruction, target, source):
        self.put(target, self.fetch(source, instruction))

    def do_mov(self, instruction, target, source):
        if source.kind == "vector":
            self.do_umov(instruction, target, source)
        else:
            self.put(target, self.get(source, instruction, target.size))

    def do_fmov(self, instruction, target, source):
        if target.kind == "general":
            data = self.fetch(source, instruction) if source.kind == "vector" else self.vectors[source.name][:target.size]
            self.put(target, data)
        elif target.kind == "vector":
            self.vector_mov(instruction, target, source)
        else:
            self.set(target, self.get(source, instruction, target.size) if source.kind == "general"
                     else self.vectors[source.name][:target.size])

    def vector_dup(self, instruction, target, source):
        data = self.get(source, instruction)[:target.element] if source.kind == "general" else self.fetch(source, instruction)
        self.set(target, data * (target.size // target.element) if target.kind == "vector" else data)

    def vector_movi(self, instruction, target, value, shift=None):
        if shift is not None and shift.kind == "msl":
            raise Unknown(f"no rule: {instruction}")
        data = parts(value.name << (shift.name if shift else 0), target.element)
        data = data * (target.size // target.element)
        self.set(target, [x ^ 0xFF for x in data] if instruction.name == "mvni" else data)

    vector_mvni = vector_movi

    def do_ld1(self, instruction, targets, place, after=None):
        if targets.index is not None:
            raise Unknown(f"no rule: {instruction}")
        address = self.address(place, instruction, after)
        for i, name in enumerate(targets.name):
            self.vectors[name] = self.load(address + targets.size * i, targets.size, instruction) + [0] * (16 - targets.size)

    def do_st1(self, instruction, sources, place, after=None):
        if sources.index is not None:
            raise Unknown(f"no rule: {instruction}")
        address = self.address(place, instruction, after)
        for i, name in enumerate(sources.name):
            self.store(address + sources.size * i, self.vectors[name][:sources.size], instruction)

    def do_ld1r(self, instruction, target, place, after=None):
        data = self.load(self.address(place, instruction, after), target.element, instruction)
        self.vectors[target.name[0]] = data * (target.size // target.element) + [0] * (16 - target.size)

    # Bits.

    def vector_eor(self, instruction, target, a, b):
        self.each(self.names.xor, instruction, target, a, b)

    def vector_and(self, instruction, target, a, b):
        self.each(self.names.both, instruction, target, a, b)

    def vector_orr(self, instruction, target, *operands):
        self.each(self.names.either, instruction, target, *operands)

    def vector_bic(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.both(x, self.names.xor(y, 0xFF)), instruction, target, *operands)

    def vector_mvn(self, instruction, target, a):
        self.each(lambda x: self.names.xor(x, 0xFF), instruction, target, a)

    def vector_shl(self, instruction, target, a, count):
        self.elements(lambda x: self.names.shift(x, count.name), instruction, target, a)

    def vector_ushr(self, instruction, target, a, count):
        self.elements(lambda x: self.names.shift(x, -count.name), instruction, target, a)

    def vector_usra(self, instruction, target, a, count):
        self.elements(lambda x, y: self.total(x, self.names.shift(y, -count.name)), instruction, target, target, a)

    def vector_sri(self, instruction, target, a, count):
        bits = 8 * target.element
        kept = parts((1 << bits) - (1 << bits - count.name), target.element)
        self.elements(lambda x, y: [self.names.xor(self.names.both(p, m), q)
                                    for p, m, q in zip(x, kept, self.names.shift(y, -count.name))], instruction, target, target, a)

    def vector_sli(self, instruction, target, a, count):
        kept = parts((1 << count.name) - 1, target.element)
        self.elements(lambda x, y: [self.names.xor(self.names.both(p, m), q)
                                    for p, m, q in zip(x, kept, self.names.shift(y, count.name))], instruction, target, target, a)

    # Sums and comparisons.

    def total(self, x, y):
        """A sum of elements. One of bytes is a function of each, or has no carries."""
        if len(x) == 1 and (bits_of_byte(x[0]) & bits_of_byte(y[0])):
            return [self.names.together(wrapped_sum, x[0], y[0])]
        return self.names.add(x, y)[0]

    def vector_add(self, instruction, target, a, b):
        self.elements(self.total, instruction, target, a, b)

    def vector_sub(self, instruction, target, a, b):
        def difference(x, y):
            if len(x) == 1 and number(y) is not None:
                return [self.names.apply(bytes((i - y[0]) & 0xFF for i in range(256)), x[0])]
            result = self.names.subtract(x, y)
            if result is None:
                raise Unknown(f"a difference: {instruction}")
            return result
        self.elements(difference, instruction, target, a, b)

    def vector_cmhi(self, instruction, target, a, b):
        def is_higher(x, y):
            bit = self.names.is_below(y, x) if number(x + y) is None else int(number(x) > number(y))
            if bit is None:
                self.known(x + y, "a counter", instruction)
            return [self.names.apply(SPREAD, bit)] * target.element
        self.elements(is_higher, instruction, target, a, b)

    def vector_cmeq(self, instruction, target, a, b):
        def is_equal(x, y=(0,) * target.element):
            x, y = (self.known(value, "a counter", instruction) for value in (x, list(y)))
            return [0xFF if x == y else 0] * target.element
        self.elements(is_equal, instruction, target, a, *([b] if b.kind == "vector" else []))

    # Places of bytes, and look-ups.

    def vector_tbl(self, instruction, target, table, index):
        entries = joined(self.vectors[name] for name in table.name)
        keeps = instruction.name == "tbx"
        result = []
        for x, old in zip(self.fetch(index, instruction), self.fetch(target, instruction)):
            old = old if keeps else 0
            if isinstance(x, int):
                result.append(entries[x] if x < len(entries) else old)
                continue
            if number(entries) is None:
                raise Unknown(f"an unknown entry at an unknown index: {instruction}")
            value = self.names.apply(table_of(entries, 0), x)
            if old != 0:
                # The result for an index beyond the table.
                beyond = self.names.apply(bytes([0] * len(entries) + [0xFF] * (256 - len(entries))), x)
                value = self.names.xor(value, self.names.both(beyond, old))
            result.append(value)
        self.set(target, result)

    vector_tbx = vector_tbl

    def vector_ext(self, instruction, target, a, b, count):
        self.set(target, (self.fetch(a, instruction) + self.fetch(b, instruction))[count.name:count.name + target.size])

    def vector_rev64(self, instruction, target, a):
        self.set(target, joined(joined(chunks(word, target.element)[::-1]) for word in chunks(self.fetch(a, instruction), 8)))

    def vector_zip1(self, instruction, target, a, b):
        x, y = (chunks(self.fetch(operand, instruction), target.element) for operand in (a, b))
        half = len(x) // 2
        begin = half if instruction.name == "zip2" else 0
        self.set(target, joined(x[i] + y[i] for i in range(begin, begin + half)))

    vector_zip2 = vector_zip1

    def vector_uzp1(self, instruction, target, a, b):
        pieces = joined(chunks(self.fetch(operand, instruction), target.element) for operand in (a, b))
        self.set(target, joined(pieces[int(instruction.name[-1]) - 1::2]))

    vector_uzp2 = vector_uzp1

    def vector_trn1(self, instruction, target, a, b):
        x, y = (chunks(self.fetch(operand, instruction), target.element) for operand in (a, b))
        begin = int(instruction.name[-1]) - 1
        self.set(target, joined(x[i] + y[i] for i in range(begin, len(x), 2)))

    vector_trn2 = vector_trn1

    def vector_ushll(self, instruction, target, a, count=None):
        data = self.vectors[a.name][8:] if instruction.name.endswith("2") else self.vectors[a.name][:8]
        small = target.element // 2
        self.set(target, joined(self.names.shift(piece + [0] * small, count.name if count else 0) for piece in chunks(data, small)))

    vector_uxtl = vector_uxtl2 = vector_ushll2 = vector_shll = vector_shll2 = vector_ushll

    def vector_xtn(self, instruction, target, a):
        data = joined(piece[:len(piece) // 2] for piece in chunks(self.vectors[a.name], a.element))
        if instruction.name == "xtn2":
            self.vectors[target.name] = self.vectors[target.name][:8] + data
        else:
            self.set(target, data)

    vector_xtn2 = vector_xtn

    # Products of polynomials.

    def vector_pmull(self, instruction, target, a, b):
        begin = 8 if instruction.name == "pmull2" else 0
        x, y = (self.vectors[operand.name][begin:begin + 8] for operand in (a, b))
        if a.element == 8:
            self.set(target, self.names.product(x, y))
            return
        result = []
        for p, q in zip(x, y):
            if isinstance(p, int):
                p, q = q, p
            result += [self.names.apply(table, p) for table in multiples(self.known([q], "a factor", instruction))[:2]]
        self.set(target, result)

    vector_pmull2 = vector_pmull
