# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of every processor of x86-64, beside those of x86.py and vectors.py: vectors of SSE, and comparisons of
# numbers with signs.
from forms import Unknown
from places import chunks
from processor import number
from calls import joined
from sums import SPREAD
from x86 import X86


class SSE(X86):
    """x86-64 without extensions."""

    def rule(self, instruction):
        # Instructions of SSE are as AVX's, but their target is a source, too.
        if getattr(self, "do_" + instruction.name, None) is None and hasattr(self, "do_v" + instruction.name):
            return self.bound(instruction, getattr(type(self), "do_v" + instruction.name))
        return super().rule(instruction)

    # Checks of sums and indices, which are public.

    def note(self, data, carry):
        super().note(data, carry)
        self.overflow = None

    def signed(self, operand, size, instruction):
        value = number(self.get(operand, instruction, size))
        return None if value is None else value - ((value >> 8 * size - 1) << 8 * size)

    def summed(self, instruction, target, source, carry):
        a, b = (self.signed(operand, target.size, instruction) for operand in (target, source))
        super().summed(instruction, target, source, carry)
        self.judge(None if None in (a, b) else a + b + carry, target.size)

    def difference(self, instruction, target, source):
        size = target.size or source.size
        a, b = (self.signed(operand, size, instruction) for operand in (target, source))
        data = super().difference(instruction, target, source)
        self.judge(a - b, size)
        return data

    def judge(self, total, size):
        """Sets the flag of overflow."""
        self.overflow = None if total is None else int(not -(1 << 8 * size - 1) <= total < 1 << 8 * size - 1)

    def do_inc(self, instruction, target):
        value = self.signed(target, target.size, instruction)
        super().do_inc(instruction, target)
        self.judge(None if value is None else value + 1, target.size)

    def do_dec(self, instruction, target):
        value = self.signed(target, target.size, instruction)
        super().do_dec(instruction, target)
        self.judge(None if value is None else value - 1, target.size)

    def bitwise(self, instruction, function, target, source, writes=True):
        super().bitwise(instruction, function, target, source, writes)
        self.overflow = 0

    def holds(self, condition, instruction):
        if condition in ("o", "no"):
            return bool(self.known_flag("overflow", instruction)) == (condition == "o")
        if condition in ("l", "ge", "g", "le"):
            is_less = self.known_flag("sign", instruction) != self.known_flag("overflow", instruction)
            is_equal = condition in ("g", "le") and bool(self.known_flag("zero", instruction))
            return (is_less or is_equal) == (condition in ("l", "le"))
        return super().holds(condition, instruction)

    def known_flag(self, flag, instruction):
        value = getattr(self, flag)
        return self.known(value if isinstance(value, int) else [self.junk], "a branch", instruction)

    def do_cmp(self, instruction, target, source):
        self.overflow = None
        super().do_cmp(instruction, target, source)

    def do_sar(self, instruction, target, count=None):
        self.moved(instruction, target, count, lambda number, count: self.names.shift_signed(number, -count), -1)

    def do_bt(self, instruction, target, place):
        if target.kind != "general":
            raise Unknown("a bit in memory")
        size = target.size
        place = self.known(self.get(place, instruction, size), "a place", instruction) % (8 * size)
        byte = self.get(target, instruction)[place // 8]
        self.forget_flags()
        self.carry = self.names.apply(bytes(x >> place % 8 & 1 for x in range(256)), byte)

    def do_sbb(self, instruction, target, source):
        """The carry in all places."""
        if target.name != source.name:
            raise Unknown("a difference")
        self.put(target, [self.names.apply(SPREAD, self.carry)] * target.size, instruction)
        self.forget_flags()

    def forget_flags(self):
        self.zero = self.carry = self.sign = self.overflow = None

    def do_pcmpeqd(self, instruction, target, source):
        # All ones, whatever the register has.
        if target.name != source.name:
            raise Unknown("a comparison")
        self.set(target, [0xFF] * 16, instruction)

    do_pcmpeqb = do_pcmpeqw = do_pcmpeqd

    # A word of a vector.

    def do_movlhps(self, instruction, target, source):
        self.set(target, self.get(target, instruction, 8) + self.get(source, instruction, 8), instruction)

    def do_movhlps(self, instruction, target, source):
        self.set(target, self.get(source, instruction)[8:16] + self.get(target, instruction)[8:16], instruction)

    def do_movsd(self, instruction, target, source):
        size = 4 if instruction.name == "movss" else 8
        data = self.get(source, instruction, size)
        if target.kind == "vector":
            data = data + (self.vectors[target.name][size:] if source.kind == "vector" else [0] * (64 - size))
            self.vectors[target.name] = data
        else:
            self.put(target, data, instruction)

    do_movss = do_movsd

    def do_orpd(self, instruction, target, source):
        self.do_vpor(instruction, target, source)

    def do_andpd(self, instruction, target, source):
        self.do_vpand(instruction, target, source)

    def do_psrad(self, instruction, target, count):
        count = self.known(self.get(count, instruction, 8), "a shift", instruction)
        data = chunks(self.fetch(target, 16, instruction), 4)
        self.set(target, joined(self.names.shift_signed(word, count) for word in data), instruction)

    def do_pslldq(self, instruction, target, count):
        self.set(target, ([0] * count.name + self.fetch(target, 16, instruction))[:16], instruction)

    def do_psrldq(self, instruction, target, count):
        self.set(target, (self.fetch(target, 16, instruction) + [0] * count.name)[count.name:], instruction)

    def do_pshuflw(self, instruction, target, source, order):
        data = self.fetch(source, 16, instruction)
        words = chunks(data[:8], 2)
        self.set(target, joined(words[order.name >> 2 * i & 3] for i in range(4)) + data[8:], instruction)

    def do_pshufhw(self, instruction, target, source, order):
        data = self.fetch(source, 16, instruction)
        words = chunks(data[8:], 2)
        self.set(target, data[:8] + joined(words[order.name >> 2 * i & 3] for i in range(4)), instruction)

    def do_shufpd(self, instruction, target, source, order):
        a, b = (chunks(self.fetch(operand, 16, instruction), 8) for operand in (target, source))
        self.set(target, a[order.name & 1] + b[order.name >> 1 & 1], instruction)

    def do_neg(self, instruction, target):
        data = self.get(target, instruction)
        if all(isinstance(x, int) for x in data):
            super().do_neg(instruction, target)
            return
        # One bit, which is in all places afterwards.
        if any(x != 0 for x in data[1:]) or data[0].support != 1:
            raise Unknown("an opposite")
        self.put(target, [self.names.apply(SPREAD, data[0])] * target.size, instruction)
        self.forget_flags()

    def do_setb(self, instruction, target):
        self.put(target, [self.carry] if self.carry is not None else self.names.several(1), instruction)

    def do_shld(self, instruction, target, source, count):
        data = self.get(source, instruction, target.size) + self.get(target, instruction)
        self.put(target, self.names.shift(data, count.name)[target.size:], instruction)
        self.forget_flags()
