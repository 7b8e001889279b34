# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of x86-64 on general registers, and the operands of all: see processor.py. Vectors are in vectors.py.
import re

from forms import Form, Unknown
from processor import CANARY, RETURN, STACK, Processor, number, parts
from vectors import Vectors

GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16))]
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
REGISTERS = {name: (name, 8) for name in GENERAL}
for _name in GENERAL[:8]:
    REGISTERS["e" + _name[1:]] = (_name, 4)
    REGISTERS[_name[1:]] = (_name, 2)
for _name in GENERAL[8:]:
    REGISTERS |= {_name + "d": (_name, 4), _name + "w": (_name, 2), _name + "b": (_name, 1)}
REGISTERS |= {name: ("r" + name[0] + "x", 1) for name in ("al", "cl", "dl", "bl")}
REGISTERS |= {name: ("r" + name[:2], 1) for name in ("spl", "bpl", "sil", "dil")}
SAVED = ("rbx", "rbp", "rsp", "r12", "r13", "r14", "r15")
CONDITIONS = {"e": ("zero", True), "ne": ("zero", False), "b": ("carry", True), "ae": ("carry", False), "s": ("sign", True),
              "ns": ("sign", False)}


class Operand:
    """A register, a number or a place in memory, with the mask that chooses what is written."""

    __slots__ = ("kind", "name", "size", "base", "index", "scale", "offset", "is_repeated", "mask", "zeroes")

    def __init__(self, text):
        self.mask, self.zeroes, self.is_repeated = None, "{z}" in text, False
        if match := re.search(r"\{k(\d)\}", text):
            self.mask = int(match[1])
        text = text.split("{")[0].strip() if not text.startswith("{") else text
        if text in REGISTERS:
            self.kind, (self.name, self.size) = "general", REGISTERS[text]
        elif match := re.fullmatch(r"([xyz])mm(\d+)", text):
            self.kind, self.name, self.size = "vector", int(match[2]), {"x": 16, "y": 32, "z": 64}[match[1]]
        elif match := re.fullmatch(r"k(\d)", text):
            self.kind, self.name, self.size = "mask", int(match[1]), 8
        elif re.fullmatch(r"-?(0x)?[0-9a-f]+", text):
            self.kind, self.name, self.size = "number", int(text, 16), None
        else:
            self.parse_place(text)

    def parse_place(self, text):
        match = re.fullmatch(r"(?:(\w+) (PTR|BCST) )?(?:(fs|ds):)?(?:\[(.*)\]|(0x[0-9a-f]+))", text)
        if not match:
            raise Unknown(f"operand: {text}")
        self.kind, self.size = "memory", SIZES.get(match[1])
        self.is_repeated = match[2] == "BCST"
        self.base = self.index = None
        self.name, self.scale, self.offset = match[3], 1, int(match[5] or "0", 16)
        for sign, part in re.findall(r"([+-]?)([^+-]+)", match[4] or ""):
            if part.startswith("0x"):
                self.offset += int(sign + part, 16)
                continue
            register, _, scale = part.partition("*")
            if scale in ("", "1") and self.base is None and not re.match(r"[xyz]mm", register):
                self.base = REGISTERS[register][0]
            elif register not in ("riz", "eiz"):
                self.index, self.scale = register, int(scale or 1)


class X86(Vectors, Processor):
    """x86-64. A general register is a number, or eight bytes of which some are unknown."""

    def begin(self, arguments):
        self.registers = {name: self.names.several(8) for name in GENERAL}
        self.forget()
        self.registers["rsp"] = STACK - 0x100
        for i, value in enumerate(arguments[6:]):
            self.store(STACK - 0x100 + 8 * i, parts(value, 8))
        for register, value in zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), arguments):
            self.registers[register] = value
        self.push(parts(RETURN, 8))
        self.saved = {name: self.registers[name] for name in SAVED}

    def forget(self):
        """Leaves unknown bytes in vectors, masks and flags, as a call does."""
        self.vectors = [self.names.several(64) for _ in range(32)]
        self.masks = [self.names.several(64) for _ in range(8)]
        self.zero = self.carry = self.sign = None

    def end(self):
        for name, value in self.saved.items():
            if self.registers[name] != (value + 8 if name == "rsp" else value):
                raise Unknown(f"{name} is not restored")
        return self.registers["rax"]

    def call_library(self, name, instruction):
        result = self.library(name, [self.registers[register] for register in ("rdi", "rsi", "rdx")], instruction)
        for register in ("rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"):
            self.registers[register] = self.names.several(8)
        self.registers["rax"] = result
        self.forget()
        return number(self.pop())

    # Operands.

    def rule(self, instruction):
        """The rule of an instruction, whose operands are read once."""
        name = instruction.name
        handler = getattr(type(self), "do_" + name, None)
        if handler is None:
            for prefix in ("cmov", "set", "j"):
                if name.startswith(prefix):
                    condition, method = name[len(prefix):], getattr(type(self), "if_" + prefix)
                    return self.bound(instruction, lambda self, i, *operands: method(self, i, condition, *operands))
            raise Unknown(f"no rule: {instruction}")
        return self.bound(instruction, handler)

    @staticmethod
    def bound(instruction, handler):
        operands = [] if instruction.name == "nop" else [Operand(text) for text in instruction.operands]
        return lambda self, i: handler(self, i, *operands)

    def address(self, operand, instruction):
        address = operand.offset
        if operand.base is not None:
            address += self.known(self.registers[operand.base], "an address", instruction)
        if operand.index is not None:
            index = self.registers[REGISTERS[operand.index][0]]
            address += operand.scale * self.known(index, "an address", instruction)
        return address & ((1 << 64) - 1)

    def get(self, operand, instruction, size=None):
        """The bytes of an operand."""
        size = size or operand.size
        if operand.kind == "general":
            value = self.registers[operand.name]
            return parts(value, size) if isinstance(value, int) else value[:size]
        if operand.kind == "vector":
            return self.vectors[operand.name][:size]
        if operand.kind == "number":
            return parts(operand.name, size)
        if operand.name == "fs":
            return parts(CANARY, 8)
        return self.load(self.address(operand, instruction), size, instruction)

    def put(self, operand, data, instruction):
        """Writes bytes to a general register or to memory."""
        if operand.kind == "memory":
            self.store(self.address(operand, instruction), data, instruction)
            return
        if len(data) < 4:
            old = self.registers[operand.name]
            data = data + (parts(old, 8) if isinstance(old, int) else old)[len(data):]
        data = data + [0] * (8 - len(data))
        value = number(data)
        self.registers[operand.name] = data if value is None else value

    def push(self, data):
        self.registers["rsp"] -= 8
        self.store(self.registers["rsp"], data)

    def pop(self):
        data = self.load(self.registers["rsp"], 8)
        self.registers["rsp"] += 8
        return data

    def note(self, data, carry):
        """Sets the flags by a result."""
        value = number(data)
        self.carry = carry
        self.zero = None if value is None else int(value == 0)
        self.sign = None if value is None else value >> 8 * len(data) - 1

    # Moves and jumps.

    def holds(self, condition, instruction):
        if condition in ("a", "be"):
            both = (self.known_flag("carry", instruction), self.known_flag("zero", instruction))
            return (both == (0, 0)) == (condition == "a")
        if condition not in CONDITIONS:
            raise Unknown(f"condition: {instruction}")
        flag, wanted = CONDITIONS[condition]
        return bool(self.known_flag(flag, instruction)) == wanted

    def known_flag(self, flag, instruction):
        value = getattr(self, flag)
        return self.known([value] if isinstance(value, Form) else [self.junk] if value is None else value, "a branch", instruction)

    def if_j(self, instruction, condition, target):
        return target.name if self.holds(condition, instruction) else None

    def if_cmov(self, instruction, condition, target, source):
        self.put(target, self.get(source if self.holds(condition, instruction) else target, instruction), instruction)

    def if_set(self, instruction, condition, target):
        if condition == "b" and isinstance(self.carry, Form):
            self.put(target, [self.carry], instruction)
        else:
            self.put(target, [int(self.holds(condition, instruction))], instruction)

    def do_jmp(self, instruction, target):
        if target.kind == "number":
            return target.name
        return self.known(self.get(target, instruction, 8), "a jump", instruction)

    def do_call(self, instruction, target):
        address = self.do_jmp(instruction, target)
        self.push(parts(instruction.next, 8))
        return address

    def do_ret(self, instruction):
        return number(self.pop())

    def do_nop(self, instruction, *operands):
        pass

    do_endbr64 = do_nop

    def do_mov(self, instruction, target, source):
        self.put(target, self.get(source, instruction, target.size or source.size), instruction)

    do_movabs = do_mov

    def do_movzx(self, instruction, target, source):
        data = self.get(source, instruction)
        self.put(target, data + [0] * (target.size - len(data)), instruction)

    def do_lea(self, instruction, target, source):
        if source.index is None and source.base is not None and source.offset == 0 or all(
                isinstance(self.registers[name], int) for name in (source.base, source.index and REGISTERS[source.index][0]) if name):
            self.put(target, parts(self.address(source, instruction), target.size), instruction)
            return
        # A sum of numbers that are no addresses.
        total = parts(source.offset, target.size)
        for name, scale in ((source.base, 1), (source.index and REGISTERS[source.index][0], source.scale)):
            if name is not None:
                value = self.registers[name]
                data = (parts(value, 8) if isinstance(value, int) else value)[:target.size]
                total = self.names.add(total, self.names.shift(data, scale.bit_length() - 1))[0]
        self.put(target, total, instruction)

    def do_push(self, instruction, source):
        self.push(self.get(source, instruction, 8))

    def do_pop(self, instruction, target):
        self.put(target, self.pop(), instruction)

    def do_xchg(self, instruction, target, source):
        a, b = self.get(target, instruction), self.get(source, instruction)
        self.put(target, b, instruction)
        self.put(source, a, instruction)

    # Sums.

    def summed(self, instruction, target, source, carry):
        a = self.get(target, instruction)
        data, out = self.names.add(a, self.get(source, instruction, len(a)), carry)
        self.put(target, data, instruction)
        self.note(data, out)

    def do_add(self, instruction, target, source):
        self.summed(instruction, target, source, 0)

    def do_adc(self, instruction, target, source):
        self.summed(instruction, target, source, self.carry)

    def difference(self, instruction, target, source):
        size = target.size or source.size
        a = self.known(self.get(target, instruction, size), "a flag", instruction)
        b = self.known(self.get(source, instruction, size), "a flag", instruction)
        data = parts(a - b, size)
        self.note(data, int(a < b))
        return data

    def do_cmp(self, instruction, target, source):
        size = target.size or source.size
        if number(self.get(target, instruction, size) + self.get(source, instruction, size)) is None:
            # Flags that may be used by an error alone.
            self.zero = self.carry = self.sign = None
            return
        self.difference(instruction, target, source)

    def do_sub(self, instruction, target, source):
        self.put(target, self.difference(instruction, target, source), instruction)

    def do_inc(self, instruction, target):
        data, _ = self.names.add(self.get(target, instruction), parts(1, target.size))
        self.put(target, data, instruction)
        self.note(data, self.carry)

    def do_dec(self, instruction, target):
        data, _ = self.names.add(self.get(target, instruction), parts(-1, target.size))
        self.put(target, data, instruction)
        self.note(data, self.carry)

    # Bits.

    def bitwise(self, instruction, function, target, source, writes=True):
        a = self.get(target, instruction, target.size or source.size)
        data = [function(x, y) for x, y in zip(a, self.get(source, instruction, len(a)))]
        if writes:
            self.put(target, data, instruction)
        self.note(data, 0)

    def do_xor(self, instruction, target, source):
        self.bitwise(instruction, self.names.xor, target, source)

    def do_and(self, instruction, target, source):
        self.bitwise(instruction, self.names.both, target, source)

    def do_or(self, instruction, target, source):
        self.bitwise(instruction, self.names.either, target, source)

    def do_test(self, instruction, target, source):
        self.bitwise(instruction, self.names.both, target, source, writes=False)

    def do_not(self, instruction, target):
        self.put(target, [self.names.xor(x, 0xFF) for x in self.get(target, instruction)], instruction)

    def do_bswap(self, instruction, target):
        self.put(target, self.get(target, instruction)[::-1], instruction)

    def moved(self, instruction, target, count, function, sign):
        count = sign * (1 if count is None else self.known(self.get(count, instruction, 1), "a shift", instruction))
        data = function(self.get(target, instruction), count)
        self.put(target, data, instruction)
        self.note(data, None)

    def do_shl(self, instruction, target, count=None):
        self.moved(instruction, target, count, self.names.shift, 1)

    def do_shr(self, instruction, target, count=None):
        self.moved(instruction, target, count, self.names.shift, -1)

    def do_rol(self, instruction, target, count=None):
        self.moved(instruction, target, count, self.names.rotate, 1)

    def do_ror(self, instruction, target, count=None):
        self.moved(instruction, target, count, self.names.rotate, -1)

    def do_neg(self, instruction, target):
        value = self.known(self.get(target, instruction), "a flag", instruction)
        self.put(target, parts(-value, target.size), instruction)
        self.note(parts(-value, target.size), int(value != 0))
