# SPDX-License-Identifier: Apache-2.0
# Executes machine code of x86-64 with words that are known by equations. No jump and no address may depend on a number:
# what is executed is the same for all inputs, but for conditional moves and masks, of which each choice is a path.
import re

from arithmetic import WORD, Facts, Unknown, Word, combine, constant


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
    """What is only saved and restored: a register of the caller, or an unknown part of one."""

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


class Machine:
    """One path through a function."""

    def __init__(self, code, facts, arguments, memory, sizes):
        self.code, self.facts = code, facts
        self.memory, self.sizes = memory, dict(sizes)
        # Single bytes of the stack.
        self.bytes = {}
        self.sizes["stack"] = None
        self.registers = {name: Opaque(name) for name, _ in REGISTERS.values()}
        self.saved = {name: self.registers[name] for name in SAVED}
        self.registers["rsp"] = Pointer("stack", 0)
        self.vectors = {}
        self.carry = self.result = None
        self.guard = facts.word("guard")
        for register, argument in zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), arguments):
            self.registers[register] = argument
        self.written = set()
        # Whether an argument is read after something was written: only then is it another matter if both are at one address.
        self.reads_late = False

    # Operands.

    def address(self, text, instruction):
        """A memory operand: its pointer, and its size if the text has it."""
        match = re.fullmatch(r"(?:(\w+) PTR )?(?:(fs):)?(?:\[(.*)\]|(0x[0-9a-f]+))", text)
        size = SIZES.get(match[1])
        if match[2]:
            return Pointer("fs", int(match[4], 16)), size
        if "rip" in match[3]:
            section, offset = self.code.place(instruction.target)
            return Pointer("section " + section, offset + 4), size
        base, offset = None, 0
        for sign, part in re.findall(r"([+-]?)([^+-]+)", match[3]):
            if part.startswith("0x"):
                offset += int(sign + part, 16)
                continue
            name, _, scale = part.partition("*")
            value = self.registers[name]
            if isinstance(value, Word):
                value = self.facts.settled(value)
            if isinstance(value, Pointer) and base is None and scale in ("", "1"):
                base = value
            elif isinstance(value, Word) and value.constant is not None:
                offset += value.constant * int(scale or 1)
            elif isinstance(value, Word) or isinstance(value, Bits):
                raise Leak(f"an address depends on a number: {instruction}")
            else:
                raise Unknown(f"address: {instruction}")
        if base is None:
            raise Unknown(f"address: {instruction}")
        offset += base.offset
        return Pointer(base.region, offset - WORD if offset >= WORD // 2 else offset), size

    def check(self, pointer, size, instruction):
        limit = self.sizes.get(pointer.region)
        if pointer.region.startswith("section "):
            limit = len(self.code.sections[pointer.region[8:]])
        elif pointer.region == "stack":
            if pointer.offset >= 8 or pointer.offset < self.registers["rsp"].offset - 128:
                raise Unknown(f"outside of the stack: {instruction}")
            return
        if limit is None or not 0 <= pointer.offset <= limit - size:
            raise Unknown(f"out of bounds, {pointer.region} at {pointer.offset}: {instruction}")

    def load(self, pointer, size, instruction):
        if pointer.region == "fs":
            return self.guard
        self.check(pointer, size, instruction)
        if pointer.region.startswith("section "):
            data = self.code.sections[pointer.region[8:]][pointer.offset:pointer.offset + size]
            return constant(int.from_bytes(data, "little"))
        if size == 1 and (pointer.region, pointer.offset) in self.bytes:
            return self.facts.settled(self.bytes[pointer.region, pointer.offset])
        if size != 8 or pointer.offset % 8 or (pointer.region, pointer.offset) not in self.memory:
            raise Unknown(f"reads what was not written, {pointer.region} at {pointer.offset}: {instruction}")
        self.reads_late |= pointer.region != "stack" and any(region != "stack" for region, _ in self.written)
        value = self.memory[pointer.region, pointer.offset]
        return self.facts.settled(value) if isinstance(value, Word) else value

    def store(self, pointer, size, value, instruction):
        self.check(pointer, size, instruction)
        if size == 1 and pointer.region == "stack":
            self.memory.pop(("stack", pointer.offset // 8 * 8), None)
            self.bytes["stack", pointer.offset] = value
            return
        if size != 8 or pointer.offset % 8 or pointer.region.startswith("section "):
            raise Unknown(f"a store of {size} bytes: {instruction}")
        for i in range(8):
            self.bytes.pop((pointer.region, pointer.offset + i), None)
        self.memory[pointer.region, pointer.offset] = value
        self.written.add((pointer.region, pointer.offset))

    def operand_size(self, text):
        if text in REGISTERS:
            return REGISTERS[text][1]
        match = re.match(r"(\w+) PTR", text)
        return SIZES[match[1]] if match else None

    def read(self, text, instruction, size=8):
        if text in REGISTERS:
            name, size = REGISTERS[text]
            value = self.registers[name]
            if isinstance(value, Word):
                value = self.facts.settled(value)
            if size == 8 or (isinstance(value, Word) and value.high < 1 << 8 * size):
                return value
            if isinstance(value, Word) and value.constant is not None:
                return constant(value.constant & ((1 << 8 * size) - 1))
            if isinstance(value, tuple) and size == 1:
                return value[1]
            return value if isinstance(value, Word) and self.facts.sign_of(value) else self.narrow(value, size, instruction)
        if re.fullmatch(r"-?0x[0-9a-f]+|\d+", text):
            return constant(int(text, 16) if "x" in text else int(text))
        pointer, size = self.address(text, instruction)
        return self.load(pointer, size or 8, instruction)

    def narrow(self, value, size, instruction):
        raise Unknown(f"{size} bytes of a longer number: {instruction}")

    def write(self, text, value, instruction):
        if text in REGISTERS:
            name, size = REGISTERS[text]
            if size == 1:
                old = self.registers[name]
                if not isinstance(old, Word) or old.constant is None or old.constant > 0xFF:
                    value = ("byte", value)
            elif size == 4 and isinstance(value, Word) and value.high >= 1 << 32:
                if value.constant is None:
                    raise Unknown(f"the lower half of a number: {instruction}")
                value = constant(value.constant & 0xFFFFFFFF)
            elif size == 2:
                raise Unknown(f"two bytes: {instruction}")
            self.registers[name] = value
        else:
            pointer, size = self.address(text, instruction)
            self.store(pointer, size or 8, value, instruction)

    # Operations on bits.

    def logical(self, name, a, b, instruction):
        facts = self.facts
        if isinstance(a, Word):
            a = facts.settled(a)
        if isinstance(b, Word):
            b = facts.settled(b)
        for one, other in ((a, b), (b, a)):
            value = one.constant if isinstance(one, Word) else None
            if value == 0:
                return constant(0) if name == "and" else other
            if value == WORD - 1:
                if name == "and":
                    return other
                if name == "or":
                    return one
                if isinstance(other, Word):
                    return self.complement(other)
            if value is not None and isinstance(other, Word):
                if other.constant is not None:
                    first, second = value, other.constant
                    return constant({"and": first & second, "or": first | second, "xor": first ^ second}[name])
                sign = facts.sign_of(other)
                if name == "and" and sign is not None:
                    return Word(combine((value, sign)), 0, value)
                if name == "and" and value & (value + 1) == 0 and other.high <= value:
                    return other
                if value == 1 and name == "xor" and other.high == 1:
                    return Word(combine((1, {0: 1}), (-1, other.form)), 0, 1)
        for one, other in ((a, b), (b, a)):
            # A choice by a mask or a bit makes two paths.
            if isinstance(one, Word) and one.constant is None and (facts.sign_of(one) or (one.high == 1 and name != "xor")):
                return self.logical(name, constant(self.decided(one)), other, instruction)
        if name == "xor":
            words = self.parts(a) ^ self.parts(b)
            if not words:
                return constant(0)
            if len(words) == 1:
                return self.known[next(iter(words))]
            return Bits(words)
        raise Unknown(f"bits: {instruction}")

    known = {}

    def parts(self, value):
        if isinstance(value, Bits):
            return value.words
        if isinstance(value, Word):
            key = tuple(sorted(value.form.items()))
            self.known[key] = value
            return frozenset([key])
        raise Unknown("bits of an address")

    def decided(self, word):
        """The value of a bit or a mask on this path."""
        sign = self.facts.sign_of(word)
        return (WORD - 1) * self.facts.decide(Word(sign, 0, 1)) if sign else self.facts.decide(word)

    def complement(self, a):
        if isinstance(a, Word):
            sign = self.facts.sign_of(a)
            if sign:
                return Word(combine((WORD - 1, {0: 1}), (1 - WORD, sign)), 0, WORD - 1) if False else constant(
                    WORD - 1 - self.decided(a))
            return self.facts.define(combine((-1, a.form), (1, {0: WORD - 1})), WORD - 1 - a.high, WORD - 1 - a.low, "not")
        raise Unknown("the complement of unknown bits")

    def condition(self, name, may_choose, instruction):
        """Whether a condition holds; on a number only where both values are paths."""
        negated = name in ("ae", "nb", "nc", "ne", "nz", "a")
        if name in ("b", "c", "ae", "nb", "nc"):
            flag = self.facts.settled(self.flag(instruction))
            if flag.constant is None and not may_choose:
                raise Leak(f"a branch depends on a number: {instruction}")
            value = self.facts.decide(flag)
        elif name in ("e", "z", "ne", "nz"):
            result = self.result
            if isinstance(result, Word):
                result = self.facts.settled(result)
            if isinstance(result, Word) and result.constant is not None:
                value = result.constant == 0
            elif isinstance(result, Word) and may_choose and (result.high == 1 or self.facts.sign_of(result)):
                value = self.decided(result) == 0
            else:
                raise Leak(f"a branch depends on a number: {instruction}")
        else:
            raise Unknown(f"condition: {instruction}")
        return bool(value) != negated

    def flag(self, instruction):
        if self.carry is None:
            raise Unknown(f"a carry without rules: {instruction}")
        return self.carry

    def run(self, function):
        """Executes a function until it returns."""
        self.known = {}
        address, calls = self.code.functions[function], []
        for _ in range(200000):
            instruction = self.code.instructions[address]
            following = self.step(instruction)
            if following == "return":
                if not calls:
                    self.finish()
                    return
                following = calls.pop()
            elif isinstance(following, tuple):
                calls.append(instruction.next)
                following = following[0]
            address = instruction.next if following is None else following
        raise Unknown(f"{function}: too many instructions")

    def finish(self):
        for name, value in self.saved.items():
            if self.registers[name] is not value:
                raise Unknown(f"{name} is not restored")
        if self.registers["rsp"].offset != 0:
            raise Unknown("the stack is not restored")

    def step(self, instruction):
        name, operands = instruction.name, instruction.operands
        handler = getattr(self, "do_" + name.replace(" ", "_"), None)
        if handler is not None:
            return handler(instruction, *operands)
        for prefix, method in (("cmov", self.move_if), ("set", self.set_if), ("j", self.jump_if)):
            if name.startswith(prefix):
                return method(name[len(prefix):], instruction, *operands)
        raise Unknown(f"no rule: {instruction}")

    # Instructions.

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


def paths(solver, prepare):
    """Each path of a function: `prepare` makes a machine of facts and runs it. Yields what it gives."""
    choices = []
    while True:
        facts = Facts(solver, choices)
        result = prepare(facts)
        yield facts, result
        choices = facts.choices[:facts.taken]
        while choices and choices[-1] == 1:
            choices.pop()
        if not choices:
            return
        choices[-1] = 1
