#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# portable.py LINKER OBJECT… [-- CLAIM…]: proves that the ciphers and hash functions in Swift, which processors without kernels use,
# give what the standards say, for all keys, texts and states. Their methods are executed as callers call them, on the path that has
# no kernels: spans, boxes of secrets and the kernels that refuse are a part of what is executed.
import sys
import tempfile

from bits import Planes
from calls import BIG, LITTLE, Failure, Run, joined, ordered, prove
from forms import Leak, Unknown
from image import Image
from places import chunks
from processor import number, parts
from published import ROWS, Z, check
from standards import Standards
from sums import SPREAD
from x86 import X86

# What the linker calls the methods and variables.
SPAN, WRITABLE = "s4SpanVys5UInt8VG", "s11MutableSpanVys5UInt8VG"
BLOCKS = f"yy{WRITABLE}zF"
CHOSEN = "$s4GOST12InstructionsO6chosen"
PORTABLE = 0
ALLOCATE = "$s7Secrets12SecretMemoryO8allocateySvSiFZ"


class Swift(X86):
    """x86-64 with Swift's convention: the address of what a method changes is in r13, if it is that of the method."""

    def begin(self, arguments):
        *others, this = arguments
        super().begin(others)
        if this is not None:
            self.registers["r13"] = self.saved["r13"] = this

    def library(self, name, arguments, instruction):
        if name in ("swift_retain", "swift_release"):
            return arguments[0]
        if name == "swift_once":
            # What it would make has been made.
            return self.names.several(8)
        if name == "swift_allocObject" or name == ALLOCATE:
            count = self.known(arguments[name == "swift_allocObject"], "a length", instruction)
            if count > 0x10000:
                raise Unknown("too much memory")
            return self.place(self.names.several(count), may_write=True)
        return super().library(name, arguments, instruction)

    def rule(self, instruction):
        # Instructions of SSE are those of AVX, but for the target, which is a source.
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


class Stepwise(Standards):
    """The standards' steps, with a name for each byte that a linear function of Kuznyechik makes."""

    def linear(self, block):
        return self.names.cut(super().linear(block))


class Call(Run):
    """A call of a method."""

    def __init__(self, image, standards=Standards):
        super().__init__(Swift, image)
        self.names = Planes()
        self.standards = standards(self.names)
        self.processor = Swift(image, self.names)
        self.place = self.processor.place
        self.put(CHOSEN, [PORTABLE])
        for name, function in (("6direct", self.standards.transformed_l), ("7inverse", self.standards.transformed_l_back)):
            self.table(name, function)

    def put(self, variable, data):
        """Sets a variable whose name begins so."""
        (address,) = (place for name, place in self.processor.image.variables.items()
                      if name.startswith(variable) and name.endswith("pZ"))
        self.processor.regions.append((address, address + len(data), True))
        for i, byte in enumerate(data):
            self.processor.memory[address + i] = byte

    def array(self, variable, data, count):
        """Sets a variable that is an array of so many elements: they follow its header."""
        self.put(variable, parts(self.place(parts(0, 16) + parts(count, 8) + parts(2 * count, 8) + data), 8))

    def table(self, variable, transformation):
        """A matrix of a linear function of blocks, as Swift keeps it: what each bit adds."""
        columns = []
        for index in range(128):
            block = [0] * 16
            block[(index ^ 31) // 8] = 1 << (index ^ 31) % 8
            columns += transformation(block)
        self.array(f"$s4GOST10KuznyechikV6LinearV{variable}", columns, 128)

    def box(self, data):
        """A box of secrets: an object whose first property is the address."""
        return self.place(parts(0, 16) + parts(self.place(data, may_write=True), 8) + parts(len(data), 8), may_write=True)

    def sum(self, a, b):
        """The sum of two numbers, without the carry out of it."""
        carry, words = 0, []
        for i in range(0, len(a), 8):
            word, carry = self.names.add(a[i:i + 8], b[i:i + 8], carry)
            words += word
        return words

    def span(self, address, count):
        """A span in memory, as methods take it that change it."""
        return self.place(parts(address, 8) + parts(count, 8), may_write=True)

    def call(self, method, *arguments, this=None):
        try:
            return self.processor.run(method, (*arguments, this))
        except Leak as leak:
            raise Failure(str(leak)) from leak


def substitution(rows):
    """Rows, and the coefficients of each product of bits in their substitutes, eight rows in a word."""
    words = [sum(rows[16 * place + value] << 4 * place for place in range(8)) for value in range(16)]
    for bit in (1, 2, 4, 8):
        words = [word ^ (words[value ^ bit] if value & bit else 0) for value, word in enumerate(words)]
    return list(rows) + joined(parts(word, 4) for word in words)


class Portable:
    """The claims."""

    def __init__(self, image):
        self.image, self.calls = image, 0

    def run(self, standards=Standards):
        self.calls += 1
        return Call(self.image, standards)

    # Kuznyechik.

    def kuznyechik(self, method, count, standards=Standards):
        run = self.run(standards)
        keys, text = run.unknown(16, 10), run.unknown(16, count)
        address = run.place(joined(text), may_write=True)
        step = run.standards.kuznyechik_back if method == "decrypt" else run.standards.kuznyechik
        expected = joined(step(keys, block) for block in text)
        if 11 < count < 128:
            # A batch that is not full has blocks of zeros, too.
            step(keys, [0] * 16)
        run.call(f"$s4GOST10KuznyechikV7{method}{BLOCKS}", run.span(address, 16 * count), run.box(joined(keys)))
        run.require("the text", address, expected)

    def all_kuznyechik(self):
        for count in (0, 1, 9):
            self.kuznyechik("encrypt", count)

    def back_kuznyechik(self):
        for count in (0, 1, 9):
            self.kuznyechik("decrypt", count)

    # 128 blocks at once, all of which come, or some.

    def many_kuznyechik(self):
        for count in (12, 128):
            self.kuznyechik("encrypt", count)

    def many_back_kuznyechik(self):
        for count in (12, 128):
            self.kuznyechik("decrypt", count, Stepwise)

    def schedule(self):
        run = self.run()
        keys, constants = run.unknown(16, 2), run.unknown(16, 32)
        run.array("$s4GOST10KuznyechikV9constants", joined(constants), 32)
        expected = run.standards.schedule(*keys, constants)
        box = run.call(f"$s4GOST10KuznyechikV7paddingAC{SPAN}_tcfC", run.place(joined(keys)), 32)
        run.require("the keys", number(run.processor.load(box + 16, 8)), joined(expected))

    # GOST 28147-89 and Magma.

    def cipher(self, run, order, rows):
        """A cipher: a box with its keys, four times each, and the rows, with the sums of products of bits."""
        key = run.unknown(4, 8)
        words = joined(ordered(word, order) * 4 for word in key)
        return run.place(parts(run.box(words), 8) + substitution(ROWS[rows])), key

    def block28147(self, method, decrypts, order, count, rows=Z):
        run = self.run()
        cipher, key = self.cipher(run, LITTLE, rows)
        text = run.unknown(8, count)
        address = run.place(joined(text), may_write=True)
        expected = [ordered(run.standards.cipher28147(ROWS[rows], key, ordered(block, order), decrypts), order) for block in text]
        run.call(method, run.span(address, 8 * count), this=cipher)
        run.require("the text", address, joined(expected))

    def all_28147(self):
        for name, decrypts in (("encrypt", False), ("decrypt", True)):
            for rows in ROWS:
                self.block28147(f"$s4GOST9GOST28147V7{name}{BLOCKS}", decrypts, LITTLE, 5, rows)

    def all_magma(self):
        for name, decrypts in (("encrypt", False), ("decrypt", True)):
            for count in (0, 1, 5):
                self.block28147(f"$s4GOST5MagmaV7{name}{BLOCKS}", decrypts, BIG, count)

    def imit(self, count):
        run = self.run()
        cipher, key = self.cipher(run, LITTLE, Z)
        (code,), text = run.unknown(8), run.unknown(8, count)
        place = run.place(code, may_write=True)
        expected = run.standards.imit(ROWS[Z], key, code, text)
        run.call(f"$s4GOST9GOST28147V12authenticateyy{SPAN}_s6UInt64VztF", run.place(joined(text)), 8 * count, place, this=cipher)
        run.require("the code", place, expected)

    def all_imits(self):
        for count in (0, 1, 3):
            self.imit(count)

    # GOST R 34.11-94.

    def hash94(self, rows, count):
        run = self.run()
        (hash, total), (length,), data = run.unknown(32, 2), run.unknown(8), run.unknown(32, count)
        state = run.place(substitution(ROWS[rows]) + hash + total + length + [0] * 40, may_write=True)
        for block in data:
            hash = run.standards.hash94(ROWS[rows], hash, block)
            length = run.names.add(length, parts(256, 8))[0]
            total = run.sum(total, block)
        run.call(f"$s4GOST11GOSTR341194V5StateV6updateyy{SPAN}F", run.place(joined(data)), 32 * count, this=state)
        run.require("the hash", state + 192, hash)
        run.require("the sum", state + 224, total)
        run.require("the length", state + 256, length)

    def all_hash94(self):
        for rows in ROWS:
            self.hash94(rows, 1)
        self.hash94(Z, 2)

    # Streebog.

    def streebog(self, count):
        run = self.run()
        (hash, total), (counter,) = run.unknown(64, 2), run.unknown(8)
        data, constants = run.unknown(64, count), run.unknown(64, 12)
        run.put("$s4GOST8StreebogO9constants", joined(constants))
        state = run.place(hash + counter + [0] * 8 + total + [0] * 72, may_write=True)
        for block in data:
            hash = run.standards.compressed(hash, block, counter + [0] * 56, constants)
            counter = run.names.add(counter, parts(512, 8))[0]
            total = run.sum(total, block)
        run.call(f"$s4GOST13StreebogStateV6updateyy{SPAN}F", run.place(joined(data)), 64 * count, this=state)
        run.require("the hash", state, hash)
        run.require("the length", state + 64, counter)
        run.require("the sum", state + 80, total)

    def all_streebog(self):
        for count in (0, 1, 2):
            self.streebog(count)


CLAIMS = (
    ("28147-89", "all_28147"),
    ("28147-89, authentication codes", "all_imits"),
    ("Magma", "all_magma"),
    ("GOST R 34.11-94", "all_hash94"),
    ("Kuznyechik", "all_kuznyechik"),
    ("Kuznyechik, deciphering", "back_kuznyechik"),
    ("Kuznyechik, round keys", "schedule"),
    ("Streebog", "all_streebog"),
)
# Those that take long.
MANY = (
    ("Kuznyechik, 128 blocks at once", "many_kuznyechik"),
    ("Kuznyechik, deciphering 128 blocks at once", "many_back_kuznyechik"),
)


def main():
    linker, *objects = sys.argv[1:]
    wanted = objects[objects.index("--") + 1:] if "--" in objects else [claim for _, claim in CLAIMS]
    objects = objects[:objects.index("--")] if "--" in objects else objects
    with tempfile.TemporaryDirectory() as directory:
        image = Image(linker, objects, f"{directory}/image", flags=("--unresolved-symbols=ignore-all",))
    count, fault = check()
    if fault:
        print(f"NOT proven: the standards' steps, {fault}")
        sys.exit(1)
    chosen = [(what, claim) for what, claim in CLAIMS + MANY if claim in wanted]
    sys.exit(0 if prove(chosen, "in Swift", lambda: Portable(image)) else 1)


main()
