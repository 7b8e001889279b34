#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# secrets.py OBJECT…: proves of machine code that no jump and no address depends on a secret. A value is public or secret: what is
# read by a pointer is secret, but for what a curve's numbers are, constants, and public values that the function has put on its
# stack. Functions are followed from the exported ones to all that they call. Secrets end only in gost_public_answer.
import re
import sys

from objects import Object

# CURVE marks pointers to public values: a curve, or constants. ZERO may be no pointer, but is read by none.
# LOST is what a call leaves in registers: secret if it is read, and no argument of what is called next.
PUBLIC, CURVE, SECRET, ZERO, GUARD, LOST = "public", "curve", "secret", "zero", "guard", "lost"
ORDER = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
# Further arguments are above the address that a function returns to.
STACKED = [("at", "entry", 8 + offset) for offset in range(48)]
# Functions whose inputs are all public by their header: no claim is made of them.
OPEN = re.compile(r"(^gost_curve_prepare|^gost_curve_has_x_modulo_q|^gost_curve_size|_has_x_modulo_q|_has_x_of_parts|_public_\w+|_make_digits"
                  r"|_make_public\w*|_prepare|_prepare_form|_prepare_point|_make_table|^prepare_modulus|^gost_\w+_set_(at|of)|^gost_sbox_named|^gost_has_path)$")
LIBRARY = {"memcpy", "memset", "memmove", "__memcpy_chk", "__memset_chk", "__memmove_chk"}
MOVES = re.compile(r"v?mov|lea|v?pshuf[dlh]|v?pbroadcast|vbroadcast|v?pmovzx|v?pmovsx|vpmov|bswap$|v?pextr|vextract|vpabs|"
                   r"vperm[qd]$|vpermilp|kmov|bs[rf]|tzcnt|lzcnt|popcnt|sqrt")
NAMES = {}
for letter in "abcd":
    for text in (f"r{letter}x", f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h"):
        NAMES[text] = f"r{letter}x"
for text in ("si", "di", "bp", "sp"):
    NAMES.update({f"r{text}": f"r{text}", f"e{text}": f"r{text}", text: f"r{text}", f"{text}l": f"r{text}"})
for index in range(8, 16):
    NAMES.update({f"r{index}{suffix}": f"r{index}" for suffix in ("", "d", "w", "b")})
for index in range(32):
    NAMES.update({f"{kind}mm{index}": f"v{index}" for kind in "xyz"})
NAMES.update({f"k{index}": f"k{index}" for index in range(8)})


def join(a, b):
    """The union of both. A value of the stack is ("stack", base, offset)."""
    if a == b:
        return a
    if ZERO in (a, b) and CURVE in (a, b):
        return CURVE
    return LOST if LOST in (a, b) else SECRET if SECRET in (a, b) else PUBLIC


class Function:
    def __init__(self, code, name):
        self.code, self.name = code, name
        self.entry, self.result = None, None
        self.body = code.body(name)


class Walk:
    def __init__(self, codes):
        self.functions, self.found = {}, {}
        # The functions whose address an object uses: each indirect call may be one of them.
        self.pointed = {}
        for code in codes:
            for name in code.functions:
                self.functions[code.path, name] = Function(code, name)
            self.pointed[code.path] = [self.functions[code.path, code.starts[place]]
                                       for place in [*self.addresses(code), *code.pointers()] if place in code.starts]
        self.by_name = {name: function for (_, name), function in self.functions.items()}
        self.work = []

    @staticmethod
    def addresses(code):
        for instruction in code.instructions.values():
            for operand in instruction.operands:
                match = re.search(r"\[rip([+-]0x[0-9a-f]+)\]", operand)
                if instruction.name == "lea" and match and instruction.target is None:
                    yield instruction.next + int(match[1], 16)
                elif instruction.name == "lea" and match:
                    section, offset = code.place(instruction.target)
                    if section == ".text":
                        yield offset + 4

    def enter(self, function, arguments):
        """Joins a call's arguments with the arguments of other calls."""
        if OPEN.search(function.name):
            return
        old = function.entry
        new = arguments if old is None else {
            r: value if old[r] == LOST else old[r] if value == LOST else join(old[r], value) for r, value in arguments.items()}
        if new != old:
            function.entry = new
            if function not in self.work:
                self.work.append(function)

    def run(self):
        while self.work:
            function = self.work.pop()
            result = self.follow(function)
            if result != function.result:
                function.result = result
                # Callers see another result.
                self.work += [f for f in self.functions.values() if f.entry is not None and f not in self.work
                              and f is not function and function.name in f.calls]

    def follow(self, function):
        function.calls = set()
        instructions = function.code.instructions
        start = {register: PUBLIC for register in set(NAMES.values())}
        start.update(function.entry)
        start["rsp"] = ("stack", "entry", 0)
        start["flags"] = PUBLIC
        states, work, result = {function.body[0]: start}, [function.body[0]], ZERO
        self.found = {key: value for key, value in self.found.items() if key[0] != function.name}
        inside = set(function.body)
        while work:
            address = work.pop()
            instruction, state = instructions[address], dict(states[address])
            for following in self.step(function, instruction, state):
                if following == "return":
                    result = join(result, PUBLIC if isinstance(state["rax"], tuple) else state["rax"])
                    continue
                if following not in inside:
                    # A jump to another function is a call that returns from here.
                    there = dict(state)
                    self.call(function, instruction, there, function.code.starts.get(following))
                    result = join(result, there["rax"])
                    continue
                old = states.get(following)
                new = dict(state) if old is None else self.merge(old, state)
                if new != old:
                    states[following] = new
                    work.append(following)
        return result

    @staticmethod
    def merge(a, b):
        # A place of the stack that only one way has written is secret.
        return {key: join(a.get(key, SECRET), b.get(key, SECRET)) for key in a.keys() | b.keys()}

    def report(self, function, instruction, what):
        self.found[function.name, instruction.address] = f"{function.name}: {what}: {instruction}"

    # Operands.

    def place(self, function, instruction, text, state):
        """A memory operand: what its base is, and whether an index is added."""
        match = re.search(r"(?:(\w+):)?(?:\[(.*)\]|(0x[0-9a-f]+))", text)
        if match[1] == "fs":
            return GUARD, False
        if match[2] is None or "rip" in match[2]:
            return "constant", False
        base, offset, is_indexed = None, 0, False
        for sign, part in re.findall(r"([+-]?)([^+-]+)", match[2]):
            if part.startswith("0x"):
                offset += int(sign + part, 16)
                continue
            name, _, scale = part.partition("*")
            value = state[NAMES[name]]
            if value in (SECRET, LOST):
                self.report(function, instruction, "an address depends on a secret")
            if base is None and scale in ("", "1") and (isinstance(value, tuple) or value in (CURVE, PUBLIC)):
                base = value
            elif isinstance(value, tuple) or (value == CURVE and base == PUBLIC):
                base, is_indexed = value, True
            else:
                is_indexed = True
        if isinstance(base, tuple):
            return (base[0], base[1], base[2] + offset), is_indexed
        return base or PUBLIC, is_indexed

    def read(self, function, instruction, text, state):
        name = text.split("{")[0]
        if name in NAMES:
            return state[NAMES[name]]
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return PUBLIC
        base, is_indexed = self.place(function, instruction, text, state)
        if isinstance(base, tuple):
            if is_indexed:
                return SECRET
            value = PUBLIC
            for offset in range(self.size(text)):
                value = state.get(("at", base[1], base[2] + offset), SECRET) if offset == 0 else (
                    value if state.get(("at", base[1], base[2] + offset), SECRET) == value else SECRET)
            return value
        return GUARD if base == GUARD else PUBLIC if base in ("constant", CURVE) else SECRET

    @staticmethod
    def size(text):
        for name, size in (("ZMMWORD", 64), ("YMMWORD", 32), ("XMMWORD", 16), ("QWORD", 8), ("DWORD", 4), ("BYTE", 1), ("WORD", 2)):
            if name + " PTR" in text or name + " BCST" in text:
                return size
        return 8

    def write(self, function, instruction, text, value, state):
        name = text.split("{")[0]
        if name in NAMES:
            if "{" in text and "{z}" not in text:
                value = join(value, state[NAMES[name]])
            state[NAMES[name]] = value
            return
        base, is_indexed = self.place(function, instruction, text, state)
        if not isinstance(base, tuple):
            return
        if is_indexed:
            self.forget(state, base)
        else:
            for offset in range(self.size(text)):
                state["at", base[1], base[2] + offset] = value

    @staticmethod
    def forget(state, base):
        """Another function writes at an address, as far as public values follow one another."""
        offset = base[2]
        while state.get(("at", base[1], offset), SECRET) not in (SECRET, GUARD):
            state["at", base[1], offset] = SECRET
            offset += 1

    # Instructions.

    def call(self, function, instruction, state, name):
        arguments = {register: state[register] for register in ORDER}
        for value in arguments.values():
            if isinstance(value, tuple):
                self.forget(state, value)
        top = state["rsp"]
        for distance, place in enumerate(STACKED):
            arguments[place] = state.get(("at", top[1], top[2] + distance), SECRET)
        clean = {register: PUBLIC if isinstance(value, tuple) else value for register, value in arguments.items()}
        result = SECRET
        if name in LIBRARY:
            if {SECRET, LOST} & {clean[r] for r in (("rdi", "rdx") if "memset" in name else ("rdi", "rsi", "rdx"))}:
                self.report(function, instruction, "a length or an address depends on a secret")
            result = arguments["rdi"]
        elif name is not None and name.startswith("__x86_get_cpuid"):
            result = CURVE
        elif name == "gost_public_answer":
            result = PUBLIC
        elif name is not None and (function.code.path, name) in self.functions or name in self.by_name:
            callee = self.functions.get((function.code.path, name)) or self.by_name[name]
            function.calls.add(callee.name)
            self.enter(callee, clean)
            result = PUBLIC if OPEN.search(callee.name) else callee.result or ZERO
        elif name is None:
            for callee in self.pointed[function.code.path]:
                function.calls.add(callee.name)
                self.enter(callee, clean)
        for register in ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", *(f"v{i}" for i in range(32)),
                         *(f"k{i}" for i in range(8))):
            state[register] = LOST
        state["rax"], state["flags"] = result, SECRET

    def step(self, function, instruction, state):
        name, operands = instruction.name, instruction.operands
        following = [instruction.next]
        if name.startswith("rep "):
            if {SECRET, LOST} & {state["rcx"], state["rdi"]}:
                self.report(function, instruction, "a length or an address depends on a secret")
            if isinstance(state["rdi"], tuple):
                self.forget(state, state["rdi"])
            state["rcx"] = PUBLIC
            return following
        if name in ("ret", "repz ret"):
            return ["return"]
        if name in ("endbr64", "nop", "data16", "vzeroupper", "ud2", "int3", "leave", "cs", "xgetbv", "cpuid", "prefetcht0"):
            if name == "leave":
                state["rsp"] = state["rbp"]
                self.pop(state, "rbp")
            return [] if name == "ud2" else following
        if name == "call":
            target = instruction.target[0] if instruction.target else None
            if target is None and (match := re.match(r"([0-9a-f]+) <", operands[0])):
                target = function.code.starts.get(int(match[1], 16))
            elif target is None or "[" in operands[0] and "rip" not in operands[0]:
                self.read(function, instruction, operands[0], state)
                target = None
            self.call(function, instruction, state, target)
            return [] if target == "__stack_chk_fail" else following
        if name.startswith("j"):
            if name != "jmp" and state["flags"] == SECRET:
                self.report(function, instruction, "a jump depends on a secret")
            match = re.match(r"([0-9a-f]+) <", operands[0])
            if match is None:
                if self.read(function, instruction, operands[0], state) in (SECRET, LOST):
                    self.report(function, instruction, "a jump depends on a secret")
                raise SystemExit(f"NOT proven: {function.name}: a jump by a table: {instruction}")
            if instruction.target is not None and name == "jmp":
                self.call(function, instruction, state, instruction.target[0])
                return ["return"]
            return [int(match[1], 16)] + ([] if name == "jmp" else following)
        if name == "push":
            top = state["rsp"] = ("stack", state["rsp"][1], state["rsp"][2] - 8)
            value = self.read(function, instruction, operands[0], state)
            for offset in range(8):
                state["at", top[1], top[2] + offset] = value
            return following
        if name == "pop":
            self.pop(state, NAMES[operands[0]])
            return following
        self.compute(function, instruction, state)
        return following

    @staticmethod
    def pop(state, register):
        top = state["rsp"]
        state[register] = state.get(("at", top[1], top[2]), SECRET)
        state["rsp"] = ("stack", top[1], top[2] + 8)

    def compute(self, function, instruction, state):
        name, operands = instruction.name, instruction.operands
        target = operands[0]
        if name == "lea":
            parts = {state[NAMES[part]] for part in re.findall(r"[a-z]\w+", operands[1]) if part in NAMES}
            base, is_indexed = (SECRET, True) if parts & {SECRET, LOST} else self.place(
                function, instruction, operands[1], state)
            value = base if not is_indexed or base in (CURVE, SECRET) else PUBLIC
            self.write(function, instruction, target, CURVE if value == "constant" else value, state)
            return
        values = [self.read(function, instruction, operand, state) for operand in operands]
        sources = [PUBLIC if isinstance(value, tuple) or value in (ZERO, GUARD) else SECRET if value == LOST else value
                   for value in values]
        own = state[NAMES["rsp"]] if target in ("rsp", "esp") else values[0]
        reads_flags = name.startswith(("adc", "sbb", "cmov", "set", "rcl", "rcr"))
        flags = [state["flags"]] if reads_flags else []
        is_zero = name in ("xor", "pxor", "xorps", "sub", "pcmpeqd", "sbb") and len(operands) == 2 and operands[0] == operands[1] or (
            name.startswith(("vpxor", "vxorp", "vpcmpeq")) and len(operands) == 3 and operands[1] == operands[2])
        if name == "mov" and len(operands) == 2 and (isinstance(values[1], tuple) or values[1] in (CURVE, ZERO, GUARD)):
            value = values[1]
        elif name == "xor" and is_zero:
            value = ZERO
        elif name.startswith("cmov") and PUBLIC == state["flags"]:
            value = join(values[0], values[1])
        elif isinstance(own, tuple) and name in ("add", "sub") and re.fullmatch(r"-?0x[0-9a-f]+", operands[1]):
            distance = int(operands[1], 16)
            distance -= 1 << 64 if distance >= 1 << 63 else 0
            value = (own[0], own[1], own[2] + (distance if name == "add" else -distance))
        elif isinstance(own, tuple) and name == "and" and target == "rsp":
            value = ("stack", "aligned", 0)
        else:
            if is_zero:
                inputs = []
            elif MOVES.match(name) or name.startswith("set") or (
                    name.startswith("v") and len(operands) >= 2 and not re.match(r"vpternlog|vpermt2|vpermi2|vpdp|vfm", name)):
                inputs = sources[1:]
            elif name in ("mul", "imul", "div", "idiv") and len(operands) == 1:
                inputs = sources + [SECRET if state["rax"] in (SECRET, LOST) else PUBLIC]
            elif name == "imul" and len(operands) == 3:
                inputs = sources[1:]
            else:
                inputs = sources
            # A mask selects what is written.
            inputs = inputs + [state[f"k{mask}"] for mask in re.findall(r"\{k(\d)\}", " ".join(operands))]
            value = SECRET if {SECRET, LOST} & {*inputs, *flags} else PUBLIC
            # A curve's pointer and a public distance.
            if value == PUBLIC and name in ("add", "sub") and values[0] == CURVE:
                value = CURVE
        if name in ("mul", "imul", "div", "idiv") and len(operands) == 1:
            state["rax"] = state["rdx"] = state["flags"] = value
            return
        if name == "xchg":
            self.write(function, instruction, operands[1], values[0], state)
            self.write(function, instruction, operands[0], values[1], state)
            return
        if name not in ("cmp", "test", "bt", "ptest", "vptest", "comisd", "ucomisd") and not name.startswith("kortest"):
            self.write(function, instruction, target, value, state)
        if not re.match(r"v|p(?!test)|mov|lea|set|cmov|not|bswap|k(?!ortest)|xorps|andps|orps|andnps|shufps", name) or "ptest" in name:
            state["flags"] = SECRET if value == SECRET else PUBLIC


def main():
    walk = Walk([Object(path) for path in sys.argv[1:]])
    public = {register: PUBLIC for register in [*ORDER, *STACKED]}
    for function in walk.functions.values():
        symbol = function.name
        # Exported functions, and those that tables name: their first argument is a curve, if it is.
        if symbol.startswith("gost_") and symbol not in ("gost_public_answer",):
            is_curve = symbol.startswith(("gost_curve_", "gost_scalar_"))
            known = {"rdi": CURVE} if is_curve else {}
            # The cipher has pointers and an order; a counter counts in public.
            if symbol.startswith("gost_28147_") and not symbol.endswith("_meshed"):
                known["rsi"] = CURVE
            if symbol.endswith("_ctr"):
                known["rdx"] = CURVE
            walk.enter(function, public | known)
            if symbol in ("gost_scalar256", "gost_scalar512"):
                walk.enter(function, public | {"rsi": CURVE})
        elif re.search(r"(edwards|group|minus)\w*_(is_on_curve|has_order_q|multiply_base|multiply|sum)$", symbol):
            walk.enter(function, public | {"rdi": CURVE})
    walk.run()
    if walk.found:
        for text in walk.found.values():
            print(f"NOT proven: {text}")
        sys.exit(1)
    names = [function.name for function in walk.functions.values() if function.entry is not None]
    print(f"proven: no jump and no address depends on a secret in {len(names)} functions, "
          f"{sum(len(f.body) for f in walk.functions.values() if f.entry is not None)} instructions")


main()
