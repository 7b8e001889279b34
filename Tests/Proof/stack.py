#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# stack.py OBJECT…: proves of the curves' objects that what a secret operation writes on the stack is overwritten. An operation runs in
# a function of its own, below the exported one. On each way from there to the end, that one calls a function which overwrites the
# stack as deep as any chain of calls can go, and the registers that a call may change.
import re
import sys

from objects import Object

CLEARING = ("gost_clear_stack", "gost_clear_little")
# Functions that are public by their header, or have no secret.
OPEN = ("gost_curve_size", "gost_curve_prepare", "gost_curve_has_x_modulo_q", "gost_curve_prepare_point",
        "gost_curve_prepared_has_x_modulo_q", "gost_public_answer")
# Functions of the C library keep this much at most on the stack; they are bound when the library is loaded.
LIBRARY_DEPTH = 256
CHANGED = {"rax", "rcx", "rdx", "rsi", "rdi", *(f"r{i}" for i in range(8, 12))}


class NotProven(Exception):
    """A claim that is not proven."""


class Stack:
    """The objects' functions, each with its use of the stack."""

    def __init__(self, objects):
        self.objects = objects
        self.places = {name: code for code in objects for name in code.functions if name in code.symbols}
        # The functions at each distance from the beginning of a table.
        self.tables = {}
        for code in objects:
            begins = sorted(value for section, value in code.symbols.values() if section == ".data.rel.ro")
            for place, offset in code.tables():
                begin = max(value for value in begins if value <= place)
                self.tables.setdefault(place - begin, []).append((code, code.starts[offset]))
        self.depths = {}

    def callees(self, code, instruction):
        """The functions that a call or a jump may lead to; None for one of the C library."""
        if instruction.target is not None and "[" not in instruction.operands[0]:
            name = instruction.target[0]
            return [(self.places[name], name)] if name in self.places else [None]
        if match := re.match(r"([0-9a-f]+) <", instruction.operands[0]):
            return [(code, code.starts[int(match[1], 16)])]
        if match := re.search(r"\[\w+(?:\+(0x[0-9a-f]+))?\]", instruction.operands[0]):
            return self.tables[int(match[1] or "0", 16)]
        raise NotProven(f"where this leads is unknown: {instruction}")

    def walk(self, code, name):
        """Each instruction that can be reached, with the distance of the stack's top from where it was at the function's begin."""
        begin, body = code.functions[name], set(code.body(name))
        work, seen = [(begin, 0, 0)], {}
        while work:
            address, distance, frame = work.pop()
            if address not in body:
                raise NotProven(f"{name}: runs on beyond its end")
            if address in seen:
                if seen[address] < distance:
                    raise NotProven(f"{name}: the stack's top is unknown at {address:x}")
                continue
            seen[address] = distance
            instruction = code.instructions[address]
            yield instruction, distance
            distance, frame = self.moved(name, instruction, distance, frame)
            if instruction.name in ("ret", "ud2") or instruction.name == "jmp" and self.leaves(instruction, body):
                continue
            if instruction.name.startswith("j"):
                work.append((int(instruction.operands[0].split()[0], 16), distance, frame))
            if instruction.name != "jmp" and not (instruction.name == "call" and instruction.target
                                                  and instruction.target[0] == "__stack_chk_fail"):
                work.append((instruction.next, distance, frame))

    @staticmethod
    def leaves(instruction, body):
        match = re.match(r"([0-9a-f]+) <", instruction.operands[0])
        return instruction.target is not None or match is None or int(match[1], 16) not in body

    @staticmethod
    def moved(name, instruction, distance, frame):
        """The distances of the top and of the frame after an instruction."""
        kind, operands = instruction.name, instruction.operands
        if kind == "push":
            return distance + 8, frame
        if kind == "pop":
            return distance - 8, frame
        if kind == "leave":
            return frame - 8, frame
        if not operands or operands[0] not in ("rsp", "rbp"):
            return distance, frame
        if (kind, *operands) == ("mov", "rbp", "rsp"):
            return distance, distance
        if operands[0] == "rsp":
            if kind in ("sub", "add"):
                size = int(operands[1], 16)
                size -= 1 << 64 if size >> 63 else 0
                return distance + (size if kind == "sub" else -size), frame
            if kind == "and":
                return distance + (1 << 64) - int(operands[1], 16), frame
            if match := kind == "lea" and re.fullmatch(r"\[rbp([+-]0x[0-9a-f]+)\]", operands[1]):
                return frame - int(match[1], 16), frame
        elif kind not in ("mov", "add", "lea", "xor"):
            return distance, frame
        raise NotProven(f"{name}: the stack's top is unknown after {instruction}")

    def depth(self, code, name, above=()):
        """How far a function and all that it calls go below the return address."""
        if (code, name) in self.depths:
            return self.depths[code, name]
        if (code, name) in above:
            raise NotProven(f"{name} calls itself")
        deepest = 0
        for instruction, distance in self.walk(code, name):
            below = max((int(offset, 16) for operand in instruction.operands
                         for offset in re.findall(r"\[rsp-(0x[0-9a-f]+)\]", operand)), default=0)
            deepest = max(deepest, distance + below)
            if instruction.name == "call" or instruction.name == "jmp" and self.leaves(instruction, set(code.body(name))):
                pushed = 8 if instruction.name == "call" else 0
                for callee in self.callees(code, instruction):
                    its = LIBRARY_DEPTH if callee is None else self.depth(*callee, (*above, (code, name)))
                    deepest = max(deepest, distance + pushed + its)
        self.depths[code, name] = deepest
        return deepest

    def cleared(self, name):
        """How much a clearing function overwrites below what it saves, which is the caller's frame."""
        code = self.places[name]
        body = [code.instructions[address] for address in code.body(name)]
        texts = [f"{i.name} {', '.join(i.operands)}" for i in body]
        sizes = [int(match[1], 16) for match in (re.fullmatch(r"sub rsp, (0x[0-9a-f]+)", text) for text in texts) if match]
        begin = texts.index("mov rbp, rsp")
        if len(sizes) != 1 or [t for t in texts[:begin + 1] if t.strip() != "endbr64"] != ["push rbp", "mov rbp, rsp"]:
            raise NotProven(f"{name} has another frame")
        size = hex(sizes[0])
        call = next((i for i, instruction in enumerate(body) if instruction.target and instruction.target[0] == "memset"), None)
        before = texts[begin:call]
        if call is None or not {f"lea rdi, [rbp-{size}]", f"mov edx, {size}", "xor esi, esi"} <= set(before):
            raise NotProven(f"{name} does not overwrite its array")
        last = max(i for i, instruction in enumerate(body) if instruction.name == "call")
        zeroed = {f"{i.operands[0]}" for i in body[call + 1:] if i.name in ("xorps", "vpxorq") and len(set(i.operands)) == 1}
        wanted = {f"xmm{i}" for i in range(32)}
        general = {i.operands[0] for i in body[last + 1:] if i.name == "xor" and len(set(i.operands)) == 1}
        general = {("r" + name[1:]) if name.startswith("e") else name.rstrip("d") for name in general}
        missing = sorted(wanted - zeroed) + sorted(CHANGED - general)
        if "vzeroupper " not in texts or missing:
            raise NotProven(f"{name} leaves registers: {' '.join(missing)}")
        return sizes[0]

    def check(self, code, name):
        """That an exported function clears what its operation has written; gives how deep that is, and how deep it clears."""
        deepest, result, ends = 0, None, []
        for instruction, distance in self.walk(code, name):
            is_tail = instruction.name == "jmp" and self.leaves(instruction, set(code.body(name)))
            if instruction.name == "call" or is_tail:
                (callee,) = self.callees(code, instruction)
                at = distance + (0 if is_tail else 8)
                if callee is not None and callee[1] in CLEARING:
                    # Both save the caller's frame first.
                    result = (at + 8 + self.cleared(callee[1]), instruction.address)
                elif callee is not None and callee[1] != "gost_public_answer":
                    if result is not None:
                        raise NotProven(f"{name}: computes after the stack is cleared")
                    deepest = max(deepest, at + self.depth(*callee))
                    first = [code.instructions[a] for a in code.body(callee[1])][:2]
                    if not any((i.name, *i.operands) == ("push", "rbp") for i in first):
                        raise NotProven(f"{callee[1]}: saves something else first")
                elif callee is None:
                    raise NotProven(f"{name}: calls the C library")
            elif instruction.name.startswith("j"):
                raise NotProven(f"{name}: has more than one way")
            elif instruction.name == "ret" or is_tail:
                ends.append(instruction)
        if result is None:
            raise NotProven(f"{name}: does not clear the stack")
        if deepest > result[0]:
            raise NotProven(f"{name}: goes {deepest} bytes deep, and clears {result[0]}")
        return deepest, result[0]


def main():
    stack = Stack([Object(path) for path in sys.argv[1:]])
    is_proven = True
    for name, code in sorted(stack.places.items()):
        if not re.match(r"gost_(curve|scalar)_", name) or name in OPEN:
            continue
        try:
            deepest, cleared = stack.check(code, name)
            print(f"proven: {name} goes {deepest} bytes deep, and clears {cleared}, and the registers")
        except NotProven as failure:
            print(f"NOT proven: {failure}")
            is_proven = False
    sys.exit(0 if is_proven else 1)


main()
