# SPDX-License-Identifier: Apache-2.0
# Rules for the instructions of arm64 on general registers, and the operands of all: see processor.py. Vectors are in neon.py.
import re

from forms import Unknown
from image import GUARD
from neon import Neon
from processor import CANARY, RETURN, STACK, Processor, number, parts

SAVED = [*(f"x{i}" for i in range(19, 30)), "sp"]
SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
CONDITIONS = ("eq", "ne", "cs", "cc", "hs", "lo", "mi", "pl", "hi", "ls", "ge", "lt", "gt", "le")
NEGATED = {"eq": "ne", "cs": "cc", "hs": "lo", "mi": "pl", "hi": "ls", "ge": "lt", "gt": "le"}


class Operand:
    """A register, a vector or an element of it, a list of vectors, a number, a condition, a shift, or a place in memory."""

    __slots__ = ("kind", "name", "size", "element", "index", "base", "offset", "shift", "writes_back")

    def __init__(self, text):
        self.index = self.shift = None
        if match := re.fullmatch(r"([xw])(\d+|zr)|(w?sp)", text):
            self.kind, self.size = "general", 4 if text[0] == "w" else 8
            self.name = "sp" if match[3] else None if match[2] == "zr" else f"x{match[2]}"
        elif match := re.fullmatch(r"v(\d+)\.(\d*)([bhsdq])(?:\[(\d+)\])?", text):
            self.kind, self.name, self.element = "vector", int(match[1]), SIZES[match[3]]
            self.size = int(match[2] or 0) * self.element
            self.index = None if match[4] is None else int(match[4])
        elif match := re.fullmatch(r"([bhsdq])(\d+)", text):
            self.kind, self.name, self.size = "scalar", int(match[2]), SIZES[match[1]]
            self.element = self.size
        elif match := re.fullmatch(r"#?(-?(?:0x[0-9a-f]+|\d+))", text) if text.startswith("#") else None:
            self.kind, self.name, self.size = "number", int(match[1], 0), None
        elif match := re.fullmatch(r"(lsl|lsr|asr|ror|msl|uxtw|sxtw|uxtx)(?: #(\d+))?", text):
            self.kind, self.name, self.size = match[1], int(match[2] or 0), None
        elif text in CONDITIONS:
            self.kind, self.name = "condition", text
        elif re.fullmatch(r"[0-9a-f]+", text):
            self.kind, self.name = "target", int(text, 16)
        elif text.startswith("{"):
            self.parse_list(text)
        elif text.startswith("["):
            self.parse_place(text)
        else:
            raise Unknown(f"operand: {text}")

    def parse_list(self, text):
        match = re.fullmatch(r"\{(.*)\}(?:\[(\d+)\])?", text)
        names = [int(name) for name in re.findall(r"v(\d+)\.", match[1])]
        if "-" in match[1]:
            names = [(names[0] + i) % 32 for i in range((names[1] - names[0]) % 32 + 1)]
        count, self.element = re.search(r"\.(\d*)([bhsdq])", match[1]).groups()
        self.element = SIZES[self.element]
        self.kind, self.name, self.size = "list", names, int(count or 0) * self.element
        self.index = match[2]

    def parse_place(self, text):
        match = re.fullmatch(r"\[(\w+)(?:, (?:#(-?(?:0x[0-9a-f]+|\d+))|(\w+)(?:, (\w+)(?: #(\d+))?)?))?\](!?)", text)
        if not match:
            raise Unknown(f"operand: {text}")
        self.kind, self.base, self.offset = "memory", Operand(match[1]), int(match[2] or "0", 0)
        self.index, self.shift = (Operand(match[3]) if match[3] else None), (match[4], int(match[5] or 0))
        self.writes_back = bool(match[6])


class ARM64(Neon, Processor):
    """arm64. A general register is a number, or eight bytes of which some are unknown."""

    def begin(self, arguments):
        self.registers = {f"x{i}": self.names.several(8) for i in range(31)} | {"sp": STACK - 0x100}
        self.vectors = [self.names.several(16) for _ in range(32)]
        self.flags = self.carry = None
        self.image.memory |= dict(enumerate(parts(CANARY, 8), GUARD))
        for i, value in enumerate(arguments):
            self.registers[f"x{i}"] = value
        self.registers["x30"] = RETURN
        self.saved = {name: self.registers[name] for name in SAVED}
        self.saved_vectors = [vector[:8] for vector in self.vectors[8:16]]

    def end(self):
        for name, value in self.saved.items():
            if self.registers[name] != value:
                raise Unknown(f"{name} is not restored")
        if [vector[:8] for vector in self.vectors[8:16]] != self.saved_vectors:
            raise Unknown("v8 to v15 are not restored")
        return self.registers["x0"]

    def call_library(self, name, instruction):
        result = self.library(name, [self.registers[f"x{i}"] for i in range(3)], instruction)
        following = self.registers["x30"]
        for i in range(18):
            self.registers[f"x{i}"] = self.names.several(8)
        self.registers["x0"], self.flags = result, None
        # Of v8 to v15 the lower halves stay.
        self.vectors = [vector[:8] + self.names.several(8) if i in range(8, 16) else self.names.several(16)
                        for i, vector in enumerate(self.vectors)]
        return following

    def rule(self, instruction):
        """The rule of an instruction, whose operands are read once."""
        name = "b_if" if instruction.name.startswith("b.") else instruction.name
        texts = [instruction.name[2:], *instruction.operands] if name == "b_if" else instruction.operands
        texts = [] if name in ("bti", "nop", "paciasp", "autiasp", "ret") else texts
        operands = [Operand({"hs": "cs", "lo": "cc"}.get(text, text)) for text in texts]
        is_vector = operands and operands[0].kind in ("vector", "scalar")
        handler = getattr(type(self), "vector_" + name, None) if is_vector else None
        handler = handler or getattr(type(self), "do_" + name, None)
        if handler is None:
            raise Unknown(f"no rule: {instruction}")
        return lambda self, i: handler(self, i, *operands)

    # Operands.

    def get(self, operand, instruction, size=None):
        size = size or operand.size
        if operand.kind == "number":
            return parts(operand.name, size)
        value = 0 if operand.name is None else self.registers[operand.name]
        return parts(value, size) if isinstance(value, int) else value[:size]

    def put(self, operand, data):
        if operand.name is not None:
            data = data + [0] * (8 - len(data))
            value = number(data)
            self.registers[operand.name] = data if value is None else value

    def source(self, operands, instruction, size):
        """The last operand, with its shift applied."""
        data = self.get(operands[0], instruction, size)
        if len(operands) > 1:
            kind, count = operands[1].kind, operands[1].name
            if kind in ("uxtw", "uxtx"):
                data = self.get(operands[0], instruction, 4 if kind == "uxtw" else 8) + [0] * 8
                data = data[:size]
            elif kind not in ("lsl", "lsr", "ror"):
                raise Unknown(f"no rule: {instruction}")
            if kind == "ror":
                return self.names.rotate(data, -count)
            data = self.names.shift(data, -count if kind == "lsr" else count)
        return data

    def address(self, operand, instruction, after=None):
        """An address; `after` is a distance that is added to the register later."""
        base = self.known(self.get(operand.base, instruction), "an address", instruction)
        address = base + operand.offset
        if operand.index is not None:
            kind, count = operand.shift
            index = self.known(self.get(operand.index, instruction), "an address", instruction)
            if kind == "sxtw":
                index -= 1 << 32 if index >> 31 else 0
            address += index << count
        if operand.writes_back or after is not None:
            self.put(operand.base, parts(address if after is None else base + after.name, 8))
        return address & ((1 << 64) - 1)

    # Memory.

    def slot(self, operand, data=None):
        """Writes a register of any kind, or gives what is in it."""
        if operand.kind == "scalar":
            if data is None:
                return self.vectors[operand.name][:operand.size]
            self.vectors[operand.name] = data + [0] * (16 - len(data))
        elif data is None:
            return self.get(operand, None)
        else:
            self.put(operand, data)
        return None

    def do_ldr(self, instruction, target, place, after=None):
        size = {"ldrb": 1, "ldurb": 1, "ldrh": 2}.get(instruction.name, target.size)
        self.slot(target, self.load(self.address(place, instruction, after), size, instruction))

    do_ldur = do_ldrb = do_ldrh = do_ldurb = do_ldr

    def do_str(self, instruction, source, place, after=None):
        size = {"strb": 1, "sturb": 1, "strh": 2}.get(instruction.name, source.size)
        self.store(self.address(place, instruction, after), self.slot(source)[:size], instruction)

    do_stur = do_strb = do_strh = do_sturb = do_str

    def do_ldp(self, instruction, first, second, place, after=None):
        data = self.load(self.address(place, instruction, after), 2 * first.size, instruction)
        self.slot(first, data[:first.size])
        self.slot(second, data[first.size:])

    def do_stp(self, instruction, first, second, place, after=None):
        self.store(self.address(place, instruction, after), self.slot(first) + self.slot(second), instruction)

    # Jumps.

    def do_nop(self, instruction):
        pass

    do_bti = do_paciasp = do_autiasp = do_nop

    def do_ret(self, instruction):
        return self.known(self.registers["x30"], "a jump", instruction)

    def do_b(self, instruction, target):
        return target.name

    def do_bl(self, instruction, target):
        self.registers["x30"] = instruction.next
        return target.name

    def do_blr(self, instruction, target):
        self.registers["x30"] = instruction.next
        return self.known(self.get(target, instruction), "a jump", instruction)

    def do_br(self, instruction, target):
        return self.known(self.get(target, instruction), "a jump", instruction)

    def holds(self, condition, instruction):
        if self.flags is None:
            self.known([self.junk], "a branch", instruction)
        n, z, c, v = self.flags
        holds = {"eq": z, "cs": c, "mi": n, "hi": c and not z, "ge": n == v, "gt": not z and n == v}
        if condition in holds:
            return bool(holds[condition])
        return not holds[next(name for name, other in NEGATED.items() if other == condition)]

    def do_b_if(self, instruction, condition, target):
        return target.name if self.holds(condition.name, instruction) else None

    def do_cbz(self, instruction, source, target):
        return target.name if self.known(self.get(source, instruction), "a branch", instruction) == 0 else None

    def do_cbnz(self, instruction, source, target):
        return target.name if self.known(self.get(source, instruction), "a branch", instruction) != 0 else None

    def do_tbz(self, instruction, source, bit, target):
        value = self.names.both(self.get(source, instruction)[bit.name // 8], 1 << bit.name % 8)
        return target.name if self.known([value], "a branch", instruction) == 0 else None

    def do_tbnz(self, instruction, source, bit, target):
        return instruction.next if self.do_tbz(instruction, source, bit, target) else target.name

    def chosen(self, instruction, target, a, b, condition, change=lambda self, data: data):
        data = self.get(a, instruction) if self.holds(condition, instruction) else change(self, self.get(b, instruction))
        self.put(target, data)

    def do_csel(self, instruction, target, a, b, condition):
        self.chosen(instruction, target, a, b, condition.name)

    @staticmethod
    def next_number(self, data):
        return self.names.add(data, parts(1, len(data)))[0]

    def do_csinc(self, instruction, target, a, b, condition):
        self.chosen(instruction, target, a, b, condition.name, ARM64.next_number)

    def do_cinc(self, instruction, target, a, condition):
        negated = {**NEGATED, **{other: name for name, other in NEGATED.items()}}[condition.name]
        self.chosen(instruction, target, a, a, negated, ARM64.next_number)

    def do_cset(self, instruction, target, condition):
        self.put(target, parts(int(self.holds(condition.name, instruction)), target.size))

    def do_csetm(self, instruction, target, condition):
        self.put(target, parts(-int(self.holds(condition.name, instruction)), target.size))

    # Sums.

    def compare(self, instruction, a, b, size, carry=1):
        """The flags of a − b, or of a + b."""
        x, y = number(a), number(b)
        if x is None or y is None:
            self.flags = None
            return
        bits = 8 * size
        result = (x - y if carry else x + y) & ((1 << bits) - 1)
        sign, first, second = result >> bits - 1, x >> bits - 1, y >> bits - 1
        overflow = (first != second and sign != first) if carry else (first == second and sign != first)
        self.flags = (sign, int(result == 0), int(x >= y) if carry else x + y >> bits, int(overflow))

    def do_cmp(self, instruction, a, *b):
        self.compare(instruction, self.get(a, instruction), self.source(b, instruction, a.size), a.size)

    def do_cmn(self, instruction, a, *b):
        self.compare(instruction, self.get(a, instruction), self.source(b, instruction, a.size), a.size, carry=0)

    def do_ccmp(self, instruction, a, b, otherwise, condition):
        if self.holds(condition.name, instruction):
            self.compare(instruction, self.get(a, instruction), self.get(b, instruction, a.size), a.size)
        else:
            self.flags = tuple(otherwise.name >> i & 1 for i in (3, 2, 1, 0))

    def do_add(self, instruction, target, a, *b):
        self.put(target, self.names.add(self.get(a, instruction), self.source(b, instruction, a.size))[0])

    def do_adds(self, instruction, target, a, *b):
        x, y = self.get(a, instruction), self.source(b, instruction, a.size)
        total, carry = self.names.add(x, y)
        self.compare(instruction, x, y, a.size, carry=0)
        self.carry = carry
        self.put(target, total)

    def do_adcs(self, instruction, target, a, b):
        total, self.carry = self.names.add(self.get(a, instruction), self.get(b, instruction), self.carry)
        self.put(target, total)

    do_adc = do_adcs

    def do_sub(self, instruction, target, a, *b):
        difference = self.names.subtract(self.get(a, instruction), self.source(b, instruction, a.size))
        if difference is None:
            raise Unknown(f"a difference: {instruction}")
        self.put(target, difference)

    def do_subs(self, instruction, target, a, *b):
        self.compare(instruction, self.get(a, instruction), self.source(b, instruction, a.size), a.size)
        self.do_sub(instruction, target, a, *b)

    def do_neg(self, instruction, target, a):
        self.put(target, parts(-self.known(self.get(a, instruction), "a difference", instruction), target.size))

    def do_adr(self, instruction, target, place):
        self.put(target, parts(place.name, 8))

    do_adrp = do_adr

    # Bits.

    def bitwise(self, instruction, function, target, a, b):
        data = [function(x, y) for x, y in zip(self.get(a, instruction), self.source(b, instruction, a.size))]
        if target is not None:
            self.put(target, data)
        return data

    def do_eor(self, instruction, target, a, *b):
        self.bitwise(instruction, self.names.xor, target, a, b)

    def do_and(self, instruction, target, a, *b):
        self.bitwise(instruction, self.names.both, target, a, b)

    def do_orr(self, instruction, target, a, *b):
        self.bitwise(instruction, self.names.either, target, a, b)

    def do_bic(self, instruction, target, a, *b):
        data = self.bitwise(instruction, lambda x, y: self.names.both(x, self.names.xor(y, 0xFF)), target, a, b)
        if instruction.name == "bics":
            self.compare(instruction, data, [0] * a.size, a.size)

    do_bics = do_bic

    def do_tst(self, instruction, a, *b):
        self.compare(instruction, self.bitwise(instruction, self.names.both, None, a, b), [0] * a.size, a.size)

    def do_mvn(self, instruction, target, *a):
        self.put(target, [self.names.xor(x, 0xFF) for x in self.source(a, instruction, target.size)])

    def do_movk(self, instruction, target, value, shift=None):
        data, at = self.get(target, instruction), (shift.name if shift else 0) // 8
        self.put(target, data[:at] + parts(value.name, 2) + data[at + 2:])

    def moved(self, instruction, target, a, count, function, sign):
        count = sign * self.known(self.get(count, instruction, 1), "a shift", instruction)
        self.put(target, function(self.get(a, instruction), count))

    def do_lsl(self, instruction, target, a, count):
        self.moved(instruction, target, a, count, self.names.shift, 1)

    def do_lsr(self, instruction, target, a, count):
        self.moved(instruction, target, a, count, self.names.shift, -1)

    def do_ror(self, instruction, target, a, count):
        self.moved(instruction, target, a, count, self.names.rotate, -1)

    def do_ubfiz(self, instruction, target, a, place, width):
        mask = parts((1 << width.name) - 1, target.size)
        data = [self.names.both(x, y) for x, y in zip(self.get(a, instruction), mask)]
        self.put(target, self.names.shift(data, place.name))

    def do_ubfx(self, instruction, target, a, place, width):
        mask = parts((1 << width.name) - 1, target.size)
        data = self.names.shift(self.get(a, instruction), -place.name)
        self.put(target, [self.names.both(x, y) for x, y in zip(data, mask)])

    def do_rev(self, instruction, target, a):
        self.put(target, self.get(a, instruction)[::-1])
