# SPDX-License-Identifier: Apache-2.0
# Executes machine code of x86-64 with words that are known by equations. No jump and no address may depend on a number:
# what is executed is the same for all inputs, but for conditional moves and masks, of which each choice is a path.
import re

from arithmetic import WORD, Facts, Unknown, Word, combine, constant
from instructions import REGISTERS, SAVED, SIZES, Bits, Instructions, Leak, Opaque, Pointer


class Machine(Instructions):
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
        # The words of which an exclusive or is made.
        self.known = {}
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
            if not isinstance(value, Word) or not self.facts.sign_of(value):
                raise Unknown(f"{size} bytes of a longer number: {instruction}")
            return value
        if re.fullmatch(r"-?0x[0-9a-f]+|\d+", text):
            return constant(int(text, 16) if "x" in text else int(text))
        pointer, size = self.address(text, instruction)
        return self.load(pointer, size or 8, instruction)

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
        if not isinstance(a, Word):
            raise Unknown("the complement of unknown bits")
        if self.facts.sign_of(a):
            return constant(WORD - 1 - self.decided(a))
        return self.facts.define(combine((-1, a.form), (1, {0: WORD - 1})), WORD - 1 - a.high, WORD - 1 - a.low, "not")

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
