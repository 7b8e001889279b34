# SPDX-License-Identifier: Apache-2.0
# Shared by the claims of ciphers.py: a call of a kernel with unknown bytes, counters, and chains of blocks.
from forms import Unknown
from places import aes_table
from processor import parts
from standards import Standards

LITTLE, BIG = 0, 1
WHOLE, LEFT, RIGHT = 0, 1, 2
INPUT, OUTPUT, GAMMA = 0, 1, 2


def linear(images):
    """The linear map with these images of 1, 2, 4, …"""
    table = [0] * 256
    for x in range(1, 256):
        low = x & -x
        table[x] = table[x ^ low] ^ images[low.bit_length() - 1]
    return bytes(table)


def powers(element):
    """The images of bits in the field of AES where t is an element of it."""
    images = [1]
    while len(images) < 8:
        images.append(aes_table(element)[images[-1]])
    return images


# Kuznyechik's bytes by their names in the field of AES, and Streebog's by α.
AES_NAMES = linear(powers(0x30))
# Of a byte: eight times the highest bit; what subtraction of 64 makes, but for a constant.
HIGHEST = bytes(0xFF if x & 0x80 else 0 for x in range(256))
LESS_64 = bytes(x ^ (x & 0x40) << 1 for x in range(256))
ALPHA = linear((0x70, 0x3A, 0x14, 0x9A, 0x02, 0x11, 0x74, 0x18))


class Failure(Exception):
    """A claim that is not proven."""


class Run:
    """A call of a kernel: what it is given, and what it writes."""

    def __init__(self, machine, image, names, images=(), standards=Standards):
        self.names = names
        self.standards = standards(self.names, images)
        self.processor = machine(image, self.names)
        self.place = self.processor.place

    def unknown(self, size, count=1):
        """So many numbers of so many unknown bytes."""
        return [self.names.several(size) for _ in range(count)]

    def texts(self, input_data, is_in_place=False):
        """The addresses of the input and of the output, which may be the same."""
        if is_in_place:
            address = self.place(input_data, may_write=True)
            return address, address
        return self.place(input_data), self.place(self.names.several(len(input_data)), may_write=True)

    def require(self, what, address, expected):
        """Requires the standard's bytes at an address."""
        given = self.processor.load(address, len(expected))
        wrong = [i for i, (x, y) in enumerate(zip(given, expected)) if x != y]
        if wrong:
            raise Failure(f"{what}: byte {wrong[0]} of {len(expected)} differs, in all {len(wrong)}")


def joined(numbers):
    return [byte for number in numbers for byte in number]


def ordered(number, order):
    """A number of 28147-89 as a block, or the other way round."""
    return number if order == LITTLE else number[::-1]


def next_cnt(counter):
    """N3 and N4 after a step (RFC 5830, 6.1)."""
    n4 = (counter >> 32) + 0x01010104
    return (n4 - 0xFFFFFFFF if n4 > 0xFFFFFFFF else n4) << 32 | (counter + 0x01010101 & 0xFFFFFFFF)


def next_unknown_cnt(names, counter):
    """The same for a counter that is unknown."""
    return names.add(counter[:4], parts(0x01010101, 4))[0] + names.ring_sum(counter[4:], 0x01010104)


def next_ctr(counter, part, bits):
    """A counter after a block: two halves of so many bits."""
    left, right = counter
    whole = 1 << bits
    if part == LEFT:
        return (left + 1) % whole, right
    return (left + (part == WHOLE and right == whole - 1)) % whole, (right + 1) % whole


def chained(standards, encipher, kind, state, text):
    """The output of a chain of blocks, and its register (GOST R 34.13-2015, 5.3 to 5.6)."""
    result = []
    for block in text:
        state = encipher(standards.sum(state, block) if kind == INPUT else state)
        total = state if kind == INPUT else standards.sum(state, block)
        if kind == OUTPUT:
            state = total = standards.cut(total)
        result += total
    return result, state


def prove(claims, path, make):
    """Tries claims about what `make` makes, each a name and a method, and says of each whether it is proven; whether all are."""
    is_proven = True
    for what, claim in claims:
        subject = make()
        try:
            getattr(subject, claim)()
            print(f"proven: {what}, {path}: what the standard says, in {subject.calls} calls", flush=True)
        except (Failure, Unknown) as failure:
            print(f"NOT proven: {what}, {path}: {failure}", flush=True)
            is_proven = False
    return is_proven
