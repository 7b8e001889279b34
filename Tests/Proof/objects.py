# SPDX-License-Identifier: Apache-2.0
# Reads an object of x86-64: the instructions of its functions, as objdump prints them, and the bytes that they refer to.
import re
import struct
import subprocess


class Instruction:
    """An instruction: its address, its name, its operands, and the symbol and addend that the linker puts into it."""

    def __init__(self, address, name, operands):
        self.address, self.name, self.operands = address, name, operands
        self.target = None
        self.next = None

    def __repr__(self):
        return f"{self.address:x}: {self.name} {', '.join(self.operands)}"


def split_operands(text):
    """Operands are separated by commas; the brackets of an address have none."""
    return [operand.strip() for operand in text.split(",")] if text else []


class Object:
    """The functions of one object, by their names, and its constants."""

    def __init__(self, path):
        self.path = path
        self.functions = {}
        self.instructions = {}
        self.starts = {}
        self.sections, self.names, self.symbols = {}, [], {}
        self.read_sections()
        self.read_code()

    def read_sections(self):
        with open(self.path, "rb") as file:
            data = file.read()
        if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 18)[0] != 62:
            raise SystemExit(f"{self.path}: no object of x86-64; proofs on objects need one")
        offset, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * i) for i in range(count)]
        strings = headers[names][4]
        for header in headers:
            end = data.index(b"\0", strings + header[0])
            name = data[strings + header[0]:end].decode()
            self.names.append(name)
            if header[1] == 1:
                self.sections[name] = data[header[4]:header[4] + header[5]]
        for header in headers:
            if header[1] == 2:
                self.read_symbols(data, header, headers[header[6]][4])

    def read_symbols(self, data, table, strings):
        for offset in range(table[4], table[4] + table[5], 24):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, offset)
            end = data.index(b"\0", strings + name)
            if 0 < section < len(self.names):
                self.symbols[data[strings + name:end].decode()] = (self.names[section], value)

    def place(self, target):
        """The section and the offset that a relocation names."""
        name, addend = target
        if name in self.sections:
            return name, addend
        section, value = self.symbols.get(name, ("elsewhere", 0))
        return section, value + addend

    def read_code(self):
        run = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", "-M", "intel", "-j", ".text", self.path],
                             capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
        function = last = None
        for line in run.stdout.splitlines():
            if match := re.fullmatch(r"([0-9a-f]+) <(.*)>:", line):
                function = match[2]
                self.functions[function] = int(match[1], 16)
                self.starts[int(match[1], 16)] = function
            elif match := re.fullmatch(r"\s+([0-9a-f]+): (R_\S+)\s+(\S+)", line):
                last.target = self.relocated(match[3])
            elif match := re.fullmatch(r"\s*([0-9a-f]+):\t(.*)", line):
                text = re.sub(r"\s*(#.*)?$", "", match[2])
                text = re.sub(r"^(?:(?:notrack|bnd|data16|cs|rep|repz) )+", lambda m: "rep " if "rep" in m[0] else "", text)
                name, _, rest = text.partition(" ")
                if name == "rep":
                    second, _, rest = rest.strip().partition(" ")
                    name += " " + second
                instruction = Instruction(int(match[1], 16), name, split_operands(rest.strip()))
                if last is not None:
                    last.next = instruction.address
                self.instructions[instruction.address] = last = instruction

    def tables(self):
        """The targets of constants that point into the code: the section and place of each pointer, and the function's offset."""
        run = subprocess.run(["objdump", "-r", "-j", ".data.rel.ro", self.path], capture_output=True, text=True, check=False,
                             env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
        for match in re.finditer(r"^([0-9a-f]+) R_X86_64_64 +(\S+)$", run.stdout, re.MULTILINE):
            section, offset = self.place(self.relocated(match[2]))
            if section == ".text":
                yield int(match[1], 16), offset

    def pointers(self):
        """The functions that constants point to."""
        return (offset for _, offset in self.tables())

    @staticmethod
    def relocated(text):
        """A symbol or section, and an addend."""
        match = re.fullmatch(r"(.*?)([+-]0x[0-9a-f]+)?", text)
        return match[1], int(match[2] or "0", 16)

    def body(self, name):
        """The addresses of a function's instructions."""
        begin = self.functions[name]
        later = [start for start in self.starts if start > begin]
        end = min(later) if later else max(self.instructions) + 1
        return [address for address in self.instructions if begin <= address < end]
