# SPDX-License-Identifier: Apache-2.0
# The effects of instructions of x86-64: a method for each, of the machine in machine.py, which has their operands.
import re

from arithmetic import WORD, Unknown, Word, combine, constant


class Leak(Exception):
    """A branch or an address that depends on a number."""


class Pointer:
    """An address: a region of memory, and the distance in bytes."""

    def __init__(self, region, offset):
        self.region, self.offset = region, offset


class Bits:
    """The exclusive or of words that are not known."""

    def __init__(self, words):
        self.words = words


class Opaque:
    """A value that is only saved and restored: a register of the caller, or an unknown part of one."""

    def __init__(self, name):
        self.name = name


def registers():
    names = {}
    for name in "abcd":
        for form, size in ((f"r{name}x", 8), (f"e{name}x", 4), (f"{name}x", 2), (f"{name}l", 1)):
            names[form] = (f"r{name}x", size)
    for name in ("si", "di", "bp", "sp"):
        for form, size in ((f"r{name}", 8), (f"e{name}", 4), (name, 2), (f"{name}l", 1)):
            names[form] = (f"r{name}", size)
    for index in range(8, 16):
        for suffix, size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
            names[f"r{index}{suffix}"] = (f"r{index}", size)
    return names


REGISTERS = registers()
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16}
SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")


class Instructions:
    """The part of a machine that has the instructions."""

    def do_endbr64(self, instruction):
        pass

    def do_nop(self, instruction, *operands):
        pass

    def do_push(self, instruction, source):
        value = self.read(source, instruction)
        top = self.registers["rsp"] = Pointer("stack", self.registers["rsp"].offset - 8)
        self.memory["stack", top.offset] = value

    def do_pop(self, instruction, target):
        top = self.registers["rsp"]
        self.registers["rsp"] = Pointer("stack", top.offset + 8)
        self.write(target, self.memory["stack", top.offset], instruction)

    def do_ret(self, instruction):
        return "return"

    def do_call(self, instruction, target):
        address = re.match(r"([0-9a-f]+) <", target)
        return (int(address[1], 16),) if instruction.target is None else (self.code.functions[instruction.target[0]],)

    def do_jmp(self, instruction, target):
        return int(re.match(r"([0-9a-f]+)", target)[1], 16)

    def jump_if(self, name, instruction, target):
        if self.condition(name, False, instruction):
            return int(re.match(r"([0-9a-f]+)", target)[1], 16)
        return None

    def move_if(self, name, instruction, target, source):
        value = self.read(source, instruction)
        old = self.read(target, instruction)
        self.write(target, value if self.condition(name, True, instruction) else old, instruction)

    def set_if(self, name, instruction, target):
        if name in ("b", "c"):
            self.write(target, self.facts.settled(self.flag(instruction)), instruction)
        elif name in ("ae", "nb", "nc"):
            flag = self.facts.settled(self.flag(instruction))
            self.write(target, self.logical("xor", flag, constant(1), instruction), instruction)
        else:
            self.write(target, constant(int(self.condition(name, True, instruction))), instruction)

    def do_mov(self, instruction, target, source):
        value = self.read(source, instruction, self.operand_size(target))
        if self.operand_size(target) == 8 or isinstance(value, Word):
            if value.__class__ is Word and self.operand_size(target) == 4 and value.constant is not None:
                value = constant(value.constant & 0xFFFFFFFF)
            self.write(target, value, instruction)
        else:
            raise Unknown(f"a part of a value: {instruction}")

    do_movabs = do_mov

    def do_movzx(self, instruction, target, source):
        self.write(target, self.read(source, instruction), instruction)

    def do_lea(self, instruction, target, source):
        match = re.fullmatch(r"\[(.*)\]", source)
        total, pointer = [], None
        if "rip" in match[1]:
            self.write(target, self.address(source, instruction)[0], instruction)
            return
        for sign, part in re.findall(r"([+-]?)([^+-]+)", match[1]):
            if part.startswith("0x"):
                total.append(constant(int(sign + part, 16)))
                continue
            name, _, scale = part.partition("*")
            value = self.read(name, instruction)
            if isinstance(value, Pointer):
                pointer = value
            else:
                total += [value] * int(scale or 1)
        if pointer is not None:
            offset = sum(word.constant if word.constant < WORD // 2 else word.constant - WORD for word in total)
            self.write(target, Pointer(pointer.region, pointer.offset + offset), instruction)
            return
        result = total[0]
        for word in total[1:]:
            result = self.facts.add(result, word, constant(0))[0]
        self.write(target, result, instruction)

    def arithmetic(self, operation, instruction, target, source, carry, keeps=True):
        a, b = self.read(target, instruction), self.read(source, instruction)
        if isinstance(a, Pointer) and b.constant is not None:
            offset = b.constant if b.constant < WORD // 2 else b.constant - WORD
            sign = 1 if operation == self.facts.add else -1
            self.write(target, Pointer(a.region, a.offset + sign * offset), instruction)
            self.carry = self.result = None
            return
        if not isinstance(a, Word) or not isinstance(b, Word):
            raise Unknown(f"operands: {instruction}")
        if self.operand_size(target) not in (8, None) and (a.constant is None or b.constant is None):
            raise Unknown(f"a sum of less than a word: {instruction}")
        self.result, self.carry = operation(a, b, carry)
        if keeps:
            self.write(target, self.result, instruction)

    def do_add(self, instruction, target, source):
        if self.operand_size(target) == 1 and source == "0xff":
            # 255 more than a bit in a byte: the carry is the bit.
            bit = self.read(target, instruction)
            if not isinstance(bit, Word) or bit.high > 1:
                raise Unknown(f"a sum of less than a word: {instruction}")
            self.carry, self.result = bit, None
            if target in REGISTERS:
                self.registers[REGISTERS[target][0]] = Opaque("byte")
            else:
                self.bytes.pop((lambda pointer: (pointer.region, pointer.offset))(self.address(target, instruction)[0]))
            return
        self.arithmetic(self.facts.add, instruction, target, source, constant(0))

    def do_adc(self, instruction, target, source):
        self.arithmetic(self.facts.add, instruction, target, source, self.facts.settled(self.flag(instruction)))

    def do_sub(self, instruction, target, source):
        self.arithmetic(self.facts.subtract, instruction, target, source, constant(0))

    def do_sbb(self, instruction, target, source):
        if target == source and not isinstance(self.read(target, instruction), Word):
            self.write(target, constant(0), instruction)
        self.arithmetic(self.facts.subtract, instruction, target, source, self.facts.settled(self.flag(instruction)))

    def do_cmp(self, instruction, target, source):
        self.arithmetic(self.facts.subtract, instruction, target, source, constant(0), keeps=False)

    def do_inc(self, instruction, target):
        carry = self.carry
        self.arithmetic(self.facts.add, instruction, target, "0x1", constant(0))
        self.carry = carry

    def do_dec(self, instruction, target):
        carry = self.carry
        self.arithmetic(self.facts.subtract, instruction, target, "0x1", constant(0))
        self.carry = carry

    def do_neg(self, instruction, target):
        a = self.read(target, instruction)
        self.result, self.carry = self.facts.subtract(constant(0), a, constant(0))
        self.write(target, self.result, instruction)

    def do_not(self, instruction, target):
        self.write(target, self.complement(self.read(target, instruction)), instruction)

    def bitwise(self, name, instruction, target, source):
        if name == "xor" and target == source:
            value = constant(0)
        else:
            value = self.logical(name, self.read(target, instruction), self.read(source, instruction), instruction)
        self.write(target, value, instruction)
        self.result, self.carry = value, constant(0)

    def do_xor(self, instruction, target, source):
        self.bitwise("xor", instruction, target, source)

    def do_and(self, instruction, target, source):
        if self.operand_size(target) == 4 and isinstance(self.read(source, instruction), Word):
            value = self.read(source, instruction).constant
            if value is not None:
                source = hex(value & 0xFFFFFFFF)
        self.bitwise("and", instruction, target, source)

    def do_or(self, instruction, target, source):
        self.bitwise("or", instruction, target, source)

    def do_test(self, instruction, target, source):
        a = self.read(target, instruction)
        self.result = a if target == source else self.logical("and", a, self.read(source, instruction), instruction)
        self.carry = constant(0)

    def do_mul(self, instruction, source):
        a, b = self.read("rax", instruction), self.read(source, instruction)
        self.registers["rax"], self.registers["rdx"] = self.facts.multiply(a, b)
        self.carry = self.result = None

    def do_imul(self, instruction, target, source, factor=None):
        a, b = self.read(source, instruction), self.read(factor or target, instruction)
        self.write(target, self.facts.multiply(a, b)[0], instruction)
        self.carry = self.result = None

    def do_shl(self, instruction, target, count="1"):
        self.shift_left(instruction, target, constant(0), int(count, 0))

    def do_shld(self, instruction, target, source, count):
        self.shift_left(instruction, target, self.read(source, instruction), int(count, 0))

    def shift_left(self, instruction, target, below, count):
        rest = self.facts.top_bits(self.read(target, instruction), count)[1]
        more = self.facts.top_bits(below, count)[0]
        form = combine((1 << count, rest.form), (1, more.form))
        word = self.facts.define(form, (rest.low << count) + more.low, (rest.high << count) + more.high, "shifted")
        self.write(target, word, instruction)
        self.carry = self.result = None

    def do_shr(self, instruction, target, count="1"):
        above = self.facts.top_bits(self.read(target, instruction), 64 - int(count, 0))[0]
        self.write(target, above, instruction)
        self.carry, self.result = None, above

    def do_shrd(self, instruction, target, source, count):
        count = int(count, 0)
        above = self.facts.top_bits(self.read(target, instruction), 64 - count)[0]
        rest = self.facts.top_bits(self.read(source, instruction), 64 - count)[1]
        form = combine((1 << (64 - count), rest.form), (1, above.form))
        low, high = (rest.low << (64 - count)) + above.low, (rest.high << (64 - count)) + above.high
        self.write(target, self.facts.define(form, low, high, "shifted"), instruction)
        self.carry = self.result = None

    def do_sar(self, instruction, target, count="1"):
        a = self.read(target, instruction)
        if self.facts.sign_of(a) is None:
            if int(count, 0) != 63 or not isinstance(a, Word):
                raise Unknown(f"a shift of a signed number: {instruction}")
            top = self.facts.top_bits(a, 1)[0]
            a = constant(WORD - 1 if top.constant else 0) if top.constant is not None else Word(
                combine((WORD - 1, top.form)), 0, WORD - 1)
        self.write(target, a, instruction)
        self.carry = self.result = None

    def do_xchg(self, instruction, target, source):
        if target == source:
            return
        a, b = self.read(target, instruction), self.read(source, instruction)
        self.write(target, b, instruction)
        self.write(source, a, instruction)

    # Vectors of two words.

    def vector(self, text, instruction):
        if text.startswith("xmm"):
            return self.vectors[text]
        pointer, _ = self.address(text, instruction)
        return [self.load(Pointer(pointer.region, pointer.offset + 8 * i), 8, instruction) for i in range(2)]

    def do_movups(self, instruction, target, source):
        value = self.vector(source, instruction)
        if target.startswith("xmm"):
            self.vectors[target] = list(value)
            return
        pointer, _ = self.address(target, instruction)
        for i in range(2):
            self.store(Pointer(pointer.region, pointer.offset + 8 * i), 8, value[i], instruction)

    do_movaps = do_movdqa = do_movdqu = do_movapd = do_movupd = do_movups

    def do_movq(self, instruction, target, source):
        if target.startswith("xmm"):
            value = self.vectors[source][0] if source.startswith("xmm") else self.read(source, instruction)
            self.vectors[target] = [value, constant(0)]
        else:
            self.write(target, self.vectors[source][0], instruction)

    def do_pshufd(self, instruction, target, source, order):
        value = self.vector(source, instruction)
        if order not in ("0x44", "0xee"):
            raise Unknown(f"order: {instruction}")
        self.vectors[target] = [value[0], value[0]] if order == "0x44" else [value[1], value[1]]

    def do_punpcklqdq(self, instruction, target, source):
        self.vectors[target] = [self.vectors[target][0], self.vector(source, instruction)[0]]

    def pairwise(self, name, instruction, target, source):
        if name == "xor" and target == source:
            self.vectors[target] = [constant(0), constant(0)]
            return
        a, b = self.vectors[target], self.vector(source, instruction)
        self.vectors[target] = [self.logical(name, a[i], b[i], instruction) for i in range(2)]

    def do_pand(self, instruction, target, source):
        self.pairwise("and", instruction, target, source)

    do_andps = do_pand

    def do_por(self, instruction, target, source):
        self.pairwise("or", instruction, target, source)

    do_orps = do_por

    def do_pxor(self, instruction, target, source):
        self.pairwise("xor", instruction, target, source)

    do_xorps = do_pxor

    def do_pandn(self, instruction, target, source):
        self.vectors[target] = [self.complement(word) for word in self.vectors[target]]
        self.pairwise("and", instruction, target, source)

    do_andnps = do_pandn
