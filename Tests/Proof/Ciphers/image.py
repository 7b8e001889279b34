# SPDX-License-Identifier: Apache-2.0
# A program of the objects that are proven, linked at fixed addresses: its bytes, its instructions, and where its functions begin.
import re
import struct
import subprocess

# Functions of the C library that the kernels call, and of Swift's that the code in Swift calls: each has an address, at which there is no code.
LIBRARY = {name: 0x1000 + 16 * i for i, name in enumerate(
    ("memcpy", "memmove", "memset", "explicit_bzero", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__explicit_bzero_chk",
     "__stack_chk_fail", "getauxval", "gost_public_answer", "swift_retain", "swift_release", "swift_once", "swift_allocObject",
     "$s7Secrets12SecretMemoryO8allocateySvSiFZ"))}
# The word that the compiler puts at the end of arrays, on arm64.
GUARD = 0x2000


class Instruction:
    """An instruction: its address, its name, its operands, and the address after it."""

    __slots__ = ("address", "name", "operands", "next", "text", "run")

    def __init__(self, address, name, operands, text):
        self.address, self.name, self.operands, self.text = address, name, operands, text
        self.next = self.run = None

    def __repr__(self):
        return f"{self.address:x}: {self.text}"


def split_operands(text):
    """Operands are separated by commas outside of brackets and braces."""
    operands, depth, begin = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "[{") - (character in "]}")
        if character == "," and depth == 0:
            operands.append(text[begin:i].strip())
            begin = i + 1
    return operands + ([text[begin:].strip()] if text else [])


class Image:
    """A linked program. `arm64` selects the processor."""

    def __init__(self, linker, objects, path, arm64=False, flags=()):
        self.path, self.arm64 = path, arm64
        places = [f"--defsym={name}={address}" for name, address in (LIBRARY | {"__stack_chk_guard": GUARD}).items()]
        subprocess.run([linker, "-static", "-e", "0", "-z", "noseparate-code", *flags, *places, *objects, "-o", path], check=True)
        self.memory, self.functions, self.variables = {}, {}, {}
        with open(path, "rb") as file:
            self.read(file.read())
        self.instructions = {}
        self.read_code()

    def read(self, data):
        offset, = struct.unpack_from("<Q", data, 32)
        table, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, _, begin, address, _, in_file, in_memory = struct.unpack_from("<IIQQQQQ", data, offset + size * i)
            if kind == 1:
                for j in range(in_memory):
                    self.memory[address + j] = data[begin + j] if j < in_file else 0
        size, count, _ = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
        for header in headers:
            if header[1] == 2:
                strings = headers[header[6]][4]
                for place in range(header[4], header[4] + header[5], 24):
                    name, kind, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, place)
                    if kind & 15 in (1, 2):
                        end = data.index(b"\0", strings + name)
                        (self.functions if kind & 15 == 2 else self.variables)[data[strings + name:end].decode()] = value

    def read_code(self):
        program = ["aarch64-linux-gnu-objdump"] if self.arm64 else ["objdump", "-M", "intel"]
        run = subprocess.run([*program, "-d", "--no-show-raw-insn", self.path], capture_output=True, text=True, check=True,
                             env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
        last = None
        for line in run.stdout.splitlines():
            match = re.fullmatch(r"\s*([0-9a-f]+):\t(.*)", line)
            if not match:
                continue
            text = re.sub(r"\s*(#|//) .*$", "", match[2])
            text = re.sub(r"^(?:(?:notrack|bnd|data16|cs|repz) )+", "", text)
            text = re.sub(r" <[^>]*>", "", text).replace("\t", " ").strip()
            name, _, rest = text.partition(" ")
            instruction = Instruction(int(match[1], 16), name, split_operands(rest.strip()), text)
            if "rip" in rest:
                place = re.search(r"# ([0-9a-f]+)", match[2])
                instruction.operands = [re.sub(r"\[rip[^]]*\]", f"[0x{place[1]}]", operand) for operand in instruction.operands]
            if last is not None:
                last.next = instruction.address
            self.instructions[instruction.address] = last = instruction
