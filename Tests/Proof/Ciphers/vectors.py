# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of x86-64 on vectors, of SSE to AVX-512: a vector is a list of 64 bytes, each a form.
import operator
import re
from functools import lru_cache

from forms import Unknown
from places import LANE, Places, chunks, joined
from processor import number
from sums import SPREAD


def signed(x):
    return x - 256 if x >= 128 else x


def saturated_sum(x, y):
    return min(x + y, 255)


def wrapped_sum(x, y):
    return x + y & 0xFF


def wrapped_difference(x, y):
    return x - y & 0xFF


def is_equal(x, y):
    return 0xFF if x == y else 0


def is_greater(x, y):
    return 0xFF if signed(x) > signed(y) else 0


@lru_cache(maxsize=None)
def shift_tables(value, size, sign):
    """Each byte of a number that is shifted to the left, or to the right, by x."""
    whole = (1 << 8 * size) - 1
    shifts = [(value << x if sign > 0 else value >> x) & whole for x in range(256)]
    return [bytes(shifted >> 8 * i & 0xFF for shifted in shifts) for i in range(size)]


class Vectors(Places):
    """The instructions on vectors of a processor that has `get`, `put`, `vectors` and `masks`."""

    def fetch(self, operand, size, instruction):
        """The bytes of a source; one element for all if it is repeated."""
        if operand.kind == "memory" and operand.is_repeated:
            return self.get(operand, instruction, operand.size) * (size // operand.size)
        return self.get(operand, instruction, size)

    def set(self, operand, data, instruction, element=1):
        """Writes a vector: what is above it becomes 0, and a mask chooses elements."""
        if operand.mask:
            old = self.get(operand, instruction, len(data))
            mask = self.masks[operand.mask]
            data = joined(self.chosen(mask[i], new, [0] * len(new) if operand.zeroes else was)
                          for i, (new, was) in enumerate(zip(chunks(data, element), chunks(old, element))))
        if operand.kind == "memory":
            self.store(self.address(operand, instruction), data, instruction)
        elif instruction.name.startswith("v"):
            self.vectors[operand.name] = data + [0] * (64 - len(data))
        else:
            self.vectors[operand.name][:len(data)] = data

    def chosen(self, bit, yes, no):
        """The bytes `yes` where the bit, the lowest of a byte, is 1, else `no`."""
        if isinstance(bit, int):
            return yes if bit else no
        names = self.names
        known = names.choose(bit, yes, no)
        if known is not None:
            return known
        mask = names.apply(SPREAD, bit)
        return [names.xor(n, names.both(mask, names.xor(y, n))) for y, n in zip(yes, no)]

    def sources(self, target, operands, instruction):
        """The bytes of all sources, as long as the target; the target itself is the first one before VEX."""
        if not instruction.name.startswith("v"):
            operands = (target, *operands)
        return [self.fetch(operand, target.size, instruction) for operand in operands]

    def each(self, function, instruction, target, operands, element=1):
        a, b = self.sources(target, operands, instruction)
        self.set(target, [function(x, y) for x, y in zip(a, b)], instruction, element)

    @staticmethod
    def element(instruction, default=1):
        return {"b": 1, "w": 2, "d": 4, "q": 8}.get(re.sub(r"(64x\d|32x\d|\d+)$", "", instruction.name)[-1], default)

    # Moves.

    def do_vmovdqa(self, instruction, target, source):
        size = target.size if target.kind == "vector" else source.size
        element = {"vmovdqu8": 1, "vmovdqu16": 2, "vmovdqa32": 4, "vmovdqu32": 4}.get(instruction.name, 8)
        self.set(target, self.get(source, instruction, size), instruction, element)

    do_vmovdqu = do_vmovups = do_vmovaps = do_vmovdqa64 = do_vmovdqu64 = do_vmovdqu8 = do_vmovapd = do_vmovupd = do_vmovdqa
    do_movdqa = do_movdqu = do_movups = do_movaps = do_vmovdqa32 = do_vmovdqu32 = do_vmovdqa

    def do_vmovd(self, instruction, target, source):
        size = 4 if instruction.name.endswith("d") else 8
        data = self.get(source, instruction, size)
        if target.kind == "vector":
            self.vectors[target.name] = data + [0] * (64 - size)
        else:
            self.put(target, data, instruction)

    do_vmovq = do_movq = do_movd = do_vmovd

    def do_vzeroupper(self, instruction):
        for i in range(16):
            self.vectors[i] = self.vectors[i][:16] + [0] * 48

    def do_vpbroadcastb(self, instruction, target, source):
        size = {"vpbroadcastb": 1, "vpbroadcastw": 2, "vpbroadcastd": 4, "vbroadcastss": 4, "vpbroadcastq": 8,
                "vbroadcastsd": 8}.get(instruction.name, 16)
        self.set(target, self.get(source, instruction, size) * (target.size // size), instruction, size)

    do_vpbroadcastw = do_vpbroadcastd = do_vpbroadcastq = do_vbroadcastss = do_vbroadcastsd = do_vpbroadcastb
    do_vbroadcastf128 = do_vbroadcasti128 = do_vbroadcasti32x4 = do_vbroadcastf32x4 = do_vpbroadcastb

    def do_vinserti128(self, instruction, target, a, b, place):
        size = 32 if "64x4" in instruction.name else 16
        data = self.get(a, instruction, target.size)[:]
        at = place.name % (target.size // size) * size
        data[at:at + size] = self.get(b, instruction, size)
        self.set(target, data, instruction)

    do_vinsertf128 = do_vinserti32x4 = do_vinserti64x4 = do_vinsertf64x4 = do_vinserti64x2 = do_vinserti128

    def do_vextracti128(self, instruction, target, source, place):
        size = 32 if "64x4" in instruction.name else 16
        self.set(target, self.get(source, instruction)[place.name * size:(place.name + 1) * size], instruction)

    do_vextractf128 = do_vextracti32x4 = do_vextracti64x4 = do_vextractf64x4 = do_vextracti128

    def do_vpinsrd(self, instruction, target, a, b, place):
        size = self.element(instruction)
        data = self.get(a, instruction, 16)[:]
        data[place.name * size:(place.name + 1) * size] = self.get(b, instruction, size)
        self.set(target, data, instruction)

    do_vpinsrb = do_vpinsrw = do_vpinsrq = do_vpinsrd

    def do_vpextrw(self, instruction, target, source, place):
        size = self.element(instruction)
        data = self.get(source, instruction)[place.name * size:(place.name + 1) * size]
        self.put(target, data + [0] * (4 - size if target.kind == "general" else 0), instruction)

    do_vpextrb = do_vpextrd = do_vpextrq = do_vpextrw

    def do_vpmovzxbq(self, instruction, target, source):
        small, large = (({"b": 1, "w": 2, "d": 4}[instruction.name[-2]]), self.element(instruction))
        data = self.get(source, instruction, target.size // large * small)
        self.set(target, joined(piece + [0] * (large - small) for piece in chunks(data, small)), instruction, large)

    do_vpmovzxdq = do_vpmovzxbw = do_vpmovzxbd = do_vpmovzxwd = do_vpmovzxwq = do_vpmovzxbq

    def do_vpmovqd(self, instruction, target, source):
        self.set(target, joined(piece[:4] for piece in chunks(self.get(source, instruction), 8)), instruction, 4)

    # Bits.

    def do_vpxor(self, instruction, target, *operands):
        self.each(self.names.xor, instruction, target, operands, self.element(instruction))
        if self.names.place and target.kind == "vector" and target.size == LANE and not target.mask:
            halves = chunks(self.vectors[target.name][:LANE], 8)
            self.vectors[target.name][:LANE] = joined(self.names.settled(half) for half in halves)

    do_vpxord = do_vpxorq = do_vxorps = do_vxorpd = do_pxor = do_xorps = do_vpxor

    def do_vpand(self, instruction, target, *operands):
        self.each(self.names.both, instruction, target, operands, self.element(instruction))

    do_vpandd = do_vpandq = do_vandps = do_pand = do_andps = do_vpand

    def do_vpandn(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.both(self.names.xor(x, 0xFF), y), instruction, target, operands,
                  self.element(instruction))

    do_vpandnd = do_vpandnq = do_pandn = do_vpandn

    def do_vpor(self, instruction, target, *operands):
        self.each(self.names.either, instruction, target, operands, self.element(instruction))

    do_vpord = do_vporq = do_vorps = do_por = do_vpor

    def do_vpternlogd(self, instruction, target, b, c, choice):
        sources = [self.fetch(operand, target.size, instruction) for operand in (target, b, c)]
        # The function as a sum of products: which products, by the inputs that are in them.
        products = [choice.name >> i & 1 for i in range(8)]
        for bit in (1, 2, 4):
            products = [products[i] ^ (products[i ^ bit] if i & bit else 0) for i in range(8)]
        result = []
        for x, y, z in zip(*sources):
            total = 0xFF if products[0] else 0
            for i in range(1, 8):
                if products[i]:
                    factors = [value for bit, value in ((4, x), (2, y), (1, z)) if i & bit]
                    product = factors[0]
                    for factor in factors[1:]:
                        product = self.names.both(product, factor)
                    total = self.names.xor(total, product)
            result.append(total)
        self.set(target, result, instruction, self.element(instruction))

    do_vpternlogq = do_vpternlogd

    def shifted(self, instruction, target, operands, function, sign):
        size = self.element(instruction)
        *rest, count = operands
        source = rest[0] if rest else target
        count = sign * self.known(self.get(count, instruction, 8), "a shift", instruction)
        data = self.fetch(source, target.size, instruction)
        self.set(target, joined(function(piece, count) for piece in chunks(data, size)), instruction, size)

    def do_vpslld(self, instruction, target, *operands):
        self.shifted(instruction, target, operands, self.names.shift, 1)

    do_vpsllw = do_vpsllq = do_pslld = do_psllq = do_psllw = do_vpslld

    def do_vpsrld(self, instruction, target, *operands):
        self.shifted(instruction, target, operands, self.names.shift, -1)

    do_vpsrlw = do_vpsrlq = do_psrld = do_psrlq = do_psrlw = do_vpsrld

    def each_shifted(self, instruction, target, data, counts, sign):
        """Each element by a count of its own. An unknown count is one byte, of a shift of a known number."""
        size, result = self.element(instruction), []
        for piece, count in zip(*(chunks(self.fetch(operand, target.size, instruction), size) for operand in (data, counts))):
            value = number(count)
            if value is not None:
                result += self.names.shift(piece, sign * min(value, 8 * size))
                continue
            if number(count[1:]) != 0:
                raise Unknown(f"a shift by more than a byte: {instruction}")
            shifts = shift_tables(self.known(piece, "a number that is shifted", instruction), size, sign)
            result += [self.names.apply(table, count[0]) for table in shifts]
        self.set(target, result, instruction, size)

    def do_vpsllvq(self, instruction, target, data, counts):
        self.each_shifted(instruction, target, data, counts, 1)

    def do_vpsrlvq(self, instruction, target, data, counts):
        self.each_shifted(instruction, target, data, counts, -1)

    do_vpsllvd, do_vpsrlvd = do_vpsllvq, do_vpsrlvq

    def do_vprold(self, instruction, target, *operands):
        self.shifted(instruction, target, operands, self.names.rotate, 1)

    do_vprolq = do_vprold

    # Sums and comparisons.

    def do_vpaddb(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(wrapped_sum, x, y), instruction, target, operands)

    def do_vpsubb(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(wrapped_difference, x, y), instruction, target, operands)

    def do_vpaddusb(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(saturated_sum, x, y), instruction, target, operands)

    def do_vpminub(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(min, x, y), instruction, target, operands)

    def do_vpcmpeqb(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(is_equal, x, y), instruction, target, operands)

    def do_vpcmpgtb(self, instruction, target, *operands):
        self.each(lambda x, y: self.names.together(is_greater, x, y), instruction, target, operands)

    def elements(self, function, instruction, target, operands):
        """A function of elements."""
        size = self.element(instruction)
        a, b = (chunks(data, size) for data in self.sources(target, operands, instruction))
        self.set(target, joined(function(x, y) for x, y in zip(a, b)), instruction, size)

    def do_vpaddd(self, instruction, target, *operands):
        self.elements(lambda x, y: self.names.add(x, y)[0], instruction, target, operands)

    do_vpaddq = do_vpaddw = do_paddd = do_paddq = do_vpaddd

    def do_vpmaddubsw(self, instruction, target, a, b):
        x, y = (self.known(data, "a factor", instruction) for data in self.sources(target, (a, b), instruction))
        x, y = (value.to_bytes(target.size, "little") for value in (x, y))
        sums = [x[i] * signed(y[i]) + x[i + 1] * signed(y[i + 1]) for i in range(0, target.size, 2)]
        self.set(target, joined(list((max(-0x8000, min(total, 0x7FFF)) & 0xFFFF).to_bytes(2, "little")) for total in sums),
                 instruction)

    def do_vpmuludq(self, instruction, target, *operands):
        x, y = (chunks(data, 8) for data in self.sources(target, operands, instruction))
        products = [self.known(p[:4], "a factor", instruction) * self.known(q[:4], "a factor", instruction) for p, q in zip(x, y)]
        self.set(target, joined(list(product.to_bytes(8, "little")) for product in products), instruction)

    def do_vpackuswb(self, instruction, target, *operands):
        if target.size != 16:
            raise Unknown(f"no rule: {instruction}")
        words = []
        for low, high in chunks(joined(self.sources(target, operands, instruction)), 2):
            if high == 0:
                words.append(low)
                continue
            value = self.known([low, high], "a word", instruction)
            words.append(0 if value & 0x8000 else min(value, 0xFF))
        self.set(target, words, instruction)

    def compared(self, instruction, target, operands, function, unknown=None):
        """The result of a comparison: a vector of ones and zeros, or a mask. `unknown` returns the bit for unknown numbers."""
        size = self.element(instruction)
        length = max(operand.size for operand in (target, *operands) if operand.kind == "vector")
        operands = operands if instruction.name.startswith("v") else (target, *operands)
        x, y = (chunks(self.fetch(operand, length, instruction), size) for operand in operands)
        bits = []
        for p, q in zip(x, y):
            bit = unknown(p, q) if unknown and number(p + q) is None else None
            if bit is None:
                bit = int(function(self.known(p, "a counter", instruction), self.known(q, "a counter", instruction)))
            bits.append(bit)
        if target.kind == "mask":
            self.masks[target.name] = bits + [0] * (64 - len(bits))
        else:
            self.set(target, joined([self.names.apply(SPREAD, bit)] * size for bit in bits), instruction)

    def do_vpsubd(self, instruction, target, *operands):
        def difference(x, y):
            result = self.names.subtract(x, y)
            if result is None:
                raise Unknown(f"a difference: {instruction}")
            return result
        self.elements(difference, instruction, target, operands)

    do_vpsubq = do_vpsubd

    def do_vpmaxud(self, instruction, target, *operands):
        def maximum(x, y):
            return max(x, y, key=number) if number(x + y) is not None else self.names.maximum(x, y)
        self.elements(maximum, instruction, target, operands)

    def do_vpcmpeqd(self, instruction, target, *operands):
        # All ones, whatever the register has.
        if target.kind == operands[0].kind == operands[-1].kind == "vector" and operands[0].name == operands[-1].name:
            self.set(target, [0xFF] * target.size, instruction)
        else:
            self.compared(instruction, target, operands, operator.eq, self.names.is_equal)

    do_vpcmpeqq = do_vpcmpeqd

    def do_vpcmpgtq(self, instruction, target, *operands):
        half = 1 << 8 * self.element(instruction) - 1
        sign = [0] * (self.element(instruction) - 1) + [0x80]

        def is_greater(x, y):
            """Of numbers without a sign, whose highest bits have been turned round."""
            return self.names.is_below(*([self.names.xor(p, q) for p, q in zip(number, sign)] for number in (y, x)))

        self.compared(instruction, target, operands, lambda x, y: (x ^ half) > (y ^ half), is_greater)

    do_vpcmpgtd = do_vpcmpgtq

    def do_vpcmpltud(self, instruction, target, *operands):
        self.compared(instruction, target, operands, operator.lt, self.names.is_below)

    do_vpcmpltuq = do_vpcmpltud

    def do_vpcmpnleud(self, instruction, target, *operands):
        self.compared(instruction, target, operands, operator.gt)

    do_vpcmpnleuq = do_vpcmpnleud

    def do_vpmovb2m(self, instruction, target, source):
        bits = [self.names.apply(bytes(x >> 7 for x in range(256)), byte) for byte in self.get(source, instruction)]
        self.masks[target.name] = bits + [0] * (64 - len(bits))

    def do_kxnorw(self, instruction, target, a, b):
        if a.name != b.name:
            raise Unknown(f"masks: {instruction}")
        self.masks[target.name] = [1] * 16 + [0] * 48

    def do_vpblendvb(self, instruction, target, no, yes, mask):
        size = {"vblendvps": 4, "vblendvpd": 8}.get(instruction.name, 1)
        signs = self.get(mask, instruction)[size - 1::size]
        bits = [self.names.apply(bytes(x >> 7 for x in range(256)), byte) for byte in signs]
        a, b = (chunks(self.fetch(operand, target.size, instruction), size) for operand in (no, yes))
        self.set(target, joined(self.chosen(bit, y, n) for bit, y, n in zip(bits, b, a)), instruction)

    do_vblendvps = do_vblendvpd = do_vpblendvb

    def do_vpblendmq(self, instruction, target, no, yes):
        size, mask = self.element(instruction), self.masks[target.mask]
        a, b = (chunks(self.fetch(operand, target.size, instruction), size) for operand in (no, yes))
        data = joined(self.chosen(mask[i], y, n) for i, (y, n) in enumerate(zip(b, a)))
        self.vectors[target.name] = data + [0] * (64 - len(data))

    do_vpblendmd = do_vpblendmb = do_vpblendmq

    def do_vpgatherdd(self, instruction, target, place, mask=None):
        step = 4 if instruction.name[-2] == "d" else 8
        size = self.element(instruction)
        index = self.vectors[int(re.sub(r"\D", "", place.index))]
        base = place.offset + (self.known(self.registers[place.base], "an address", instruction) if place.base else 0)
        length = target.size // size
        data = []
        for i in range(length):
            at = self.known(index[step * i:step * (i + 1)], "an address", instruction)
            at -= 1 << 8 * step if at >> 8 * step - 1 else 0
            if mask is not None and number([self.vectors[mask.name][size * (i + 1) - 1]]) != 0xFF:
                raise Unknown(f"a mask: {instruction}")
            if mask is None and self.masks[target.mask][i] != 1:
                raise Unknown(f"a mask: {instruction}")
            data += self.load(base + place.scale * at & ((1 << 64) - 1), size, instruction)
        self.vectors[target.name] = data + [0] * (64 - len(data))
        if mask is not None:
            self.vectors[mask.name] = [0] * 64
        else:
            self.masks[target.mask] = [0] * 64

    do_vpgatherqd = do_vpgatherqq = do_vpgatherdd
