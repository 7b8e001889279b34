# SPDX-License-Identifier: Apache-2.0
# Executes a function of an image with bytes that are forms. Addresses and counts are numbers: a branch or an address that depends
# on an unknown byte is an error, and so is what is read before it is written, or outside of the arguments and of the stack.
from forms import Leak, Unknown
from image import LIBRARY

STACK = 0x7F000000
RETURN = 0x10
# The end of arrays, as the compiler names it.
CANARY = 0x5AFE00C0FFEE1234


def number(data):
    """The value of bytes that are constant, or None."""
    value = 0
    for i, byte in enumerate(data):
        if not isinstance(byte, int):
            return None
        value |= byte << 8 * i
    return value


def parts(value, size):
    """The bytes of a number."""
    return list((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))


class Processor:
    """Memory, and what processors share. Subclasses have registers and instructions."""

    def __init__(self, image, names):
        self.image, self.names = image, names
        self.memory = {}
        # Arguments: where each begins and ends, and whether it may be written.
        self.regions = [(STACK - 0x20000, STACK, True)]
        self.free = 0x10000000
        self.junk = names.new()

    def place(self, data, may_write=False):
        """Puts an argument into memory, and gives its address."""
        address = self.free
        self.free += (len(data) + 0xFFF) // 0x1000 * 0x1000 + 0x1000
        self.regions.append((address, address + len(data), may_write))
        for i, byte in enumerate(data):
            self.memory[address + i] = byte
        return address

    def check(self, address, size, writes, instruction):
        for begin, end, may_write in self.regions:
            if begin <= address and address + size <= end and (may_write or not writes):
                return
        raise Unknown(f"{'writes' if writes else 'reads'} {size} bytes outside of arguments and stack: {instruction}")

    def load(self, address, size, instruction=None):
        memory, constant = self.memory, self.image.memory
        result = []
        for place in range(address, address + size):
            byte = memory.get(place)
            if byte is None:
                byte = constant.get(place)
                if byte is None:
                    raise Unknown(f"reads what was not written, at {place:x}: {instruction}")
            result.append(byte)
        if address not in constant:
            self.check(address, size, False, instruction)
        return result

    def store(self, address, data, instruction=None):
        self.check(address, len(data), True, instruction)
        for i, byte in enumerate(data):
            self.memory[address + i] = byte

    def known(self, value, what, instruction):
        """A number that must not depend on unknown bytes."""
        if not isinstance(value, int):
            value = number(value)
        if value is None:
            raise Leak(f"{what} depends on a secret: {instruction}")
        return value

    def library(self, name, arguments, instruction):
        """A function of the C library."""
        if name == "__stack_chk_fail":
            raise Unknown(f"the stack's guard was written: {instruction}")
        if name == "getauxval":
            return (1 << 64) - 1
        name = name.strip("_").replace("_chk", "")
        if name == "explicit_bzero":
            target, count = (self.known(value, "a length or an address", instruction) for value in arguments[:2])
            self.store(target, [0] * count, instruction)
            return target
        target, source, count = (value if i == 1 and name == "memset" else self.known(value, "a length or an address", instruction)
                                 for i, value in enumerate(arguments[:3]))
        if name == "memset":
            byte = source & 0xFF if isinstance(source, int) else source[0]
            self.store(target, [byte] * count, instruction)
        else:
            if name == "memcpy" and count and target != source and abs(target - source) < count:
                raise Unknown(f"memcpy of places that overlap: {instruction}")
            self.store(target, self.load(source, count, instruction), instruction)
        return target

    def run(self, function, arguments):
        """Calls a function, and gives what it returns."""
        self.begin(arguments)
        address, instructions = self.image.functions[function], self.image.instructions
        libraries = {place: name for name, place in LIBRARY.items()}
        for _ in range(4000000):
            instruction = instructions.get(address)
            if instruction is None:
                raise Unknown(f"no code at {address:x}")
            if instruction.run is None:
                instruction.run = self.rule(instruction)
            try:
                following = instruction.run(self, instruction)
            except Unknown as unknown:
                if repr(instruction) not in str(unknown):
                    unknown.args = (f"{unknown}: {instruction}",)
                raise
            address = instruction.next if following is None else following
            if address in libraries:
                address = self.call_library(libraries[address], instruction)
            if address == RETURN:
                return self.end()
        raise Unknown(f"{function}: too many instructions")
