#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ciphers.py LINKER PROCESSOR OBJECT… [-- CLAIM…]: proves that the kernels of ciphers and hash functions give what the standards say,
# for all keys, texts and states: each is executed with bytes that are unknown, and what it writes has to be, byte by byte, the form
# that the standard's steps give. Counters, which are public, have the values below; numbers of blocks are those of each way through
# the loops, with the last batch full and not.
import sys
import tempfile

from arm64 import ARM64
from calls import (AES_NAMES, ALPHA, BIG, GAMMA, HIGHEST, INPUT, LEFT, LESS_64, LITTLE, OUTPUT, RIGHT, WHOLE, Failure, Run, chained,
                   joined, next_cnt, next_ctr, next_unknown_cnt, ordered, prove)
from bits import Planes
from forms import Leak, Names
from image import Image
from processor import parts
from published import ROWS, Z, check
from sse import SSE
from standards import Standards, Stepwise
from x86 import X86


class Kernels:
    """The claims about one path."""

    def __init__(self, image, machine, names, path, name, batch, enough):
        self.image, self.machine, self.names, self.path, self.name = image, machine, names, path, name
        # The number of blocks of Kuznyechik that are enciphered at a time, and from how many on they are.
        self.batch, self.enough = batch, enough
        self.calls = 0

    def run(self, images=(), standards=Standards):
        self.calls += 1
        return Run(self.machine, self.image, self.names(), images, standards)

    def call(self, run, function, *arguments):
        try:
            run.processor.run(function, [self.path, *arguments])
        except Leak as leak:
            raise Failure(str(leak)) from leak

    # GOST 28147-89.

    def cipher(self, run, order, rows=Z):
        key = run.unknown(4, 8)
        rows = ROWS[rows]
        struct = parts(run.place(rows), 8) + parts(run.place(joined(word * 4 for word in key)), 8) + parts(order, 8)
        return run.place(struct), rows, key

    def block28147(self, function, decrypts, order, count, rows=Z, is_in_place=False):
        run = self.run()
        cipher, rows, key = self.cipher(run, order, rows)
        text = run.unknown(8, count)
        source, target = run.texts(joined(text), is_in_place)
        expected = [ordered(run.standards.cipher28147(rows, key, ordered(block, order), decrypts), order) for block in text]
        self.call(run, function, cipher, source, target, count)
        run.require("the text", target, joined(expected))

    def all_28147(self):
        for function, decrypts in (("gost_28147_encrypt", False), ("gost_28147_decrypt", True)):
            for order in (LITTLE, BIG):
                for count in (0, 1, 8, 9, 17):
                    self.block28147(function, decrypts, order, count, is_in_place=count % 2 == 1)
            self.block28147(function, decrypts, BIG, 65)
        for rows in ROWS:
            for count in (1, 9, 17):
                self.block28147("gost_28147_encrypt", False, LITTLE, count, rows)

    def cnt(self, order, counter, count):
        run = self.run()
        cipher, rows, key = self.cipher(run, order)
        text = run.unknown(8, count)
        source, target = run.texts(joined(text))
        place = run.place(parts(counter, 8), may_write=True)
        expected = []
        for block in text:
            counter = next_cnt(counter)
            gamma = run.standards.cipher28147(rows, key, parts(counter, 8))
            expected += run.standards.sum(block, ordered(gamma, order))
        self.call(run, "gost_28147_cnt", cipher, place, source, target, count)
        run.require("the text", target, expected)
        run.require("the counter", place, parts(counter, 8))

    def all_cnt(self):
        for order in (LITTLE, BIG):
            for counter in (0, 0xFEFEFEFB_FEFEFEFE, 0xFFFFFFFF_FFFFFFFF, 0xFEFEFEFC_00000000, 0x0123456789ABCDEF):
                for count in (1, 17) if counter % 2 else (0, 3):
                    self.cnt(order, counter, count)
        self.cnt(LITTLE, 0xC0FFEE00_12345678, 66)

    def ctr28147(self, order, part, counter, count):
        run = self.run()
        cipher, rows, key = self.cipher(run, order)
        text = run.unknown(8, count)
        source, target = run.texts(joined(text), is_in_place=True)
        place = run.place(parts(counter[0], 8) + parts(counter[1], 8) + parts(part, 8), may_write=True)
        expected = []
        for block in text:
            number = parts(counter[1], 4) + parts(counter[0], 4)
            gamma = run.standards.cipher28147(rows, key, number)
            expected += run.standards.sum(block, ordered(gamma, order))
            counter = next_ctr(counter, part, 32)
        self.call(run, "gost_28147_ctr", cipher, place, source, target, count)
        run.require("the text", target, expected)
        run.require("the counter", place, parts(counter[0], 8) + parts(counter[1], 8))

    def all_ctr28147(self):
        ones = 0xFFFFFFFF
        for order in (LITTLE, BIG):
            for part in (WHOLE, LEFT, RIGHT):
                for counter, count in (((5, 0), 0), ((7, ones), 3), ((ones, ones), 17)):
                    self.ctr28147(order, part, counter, count)
        self.ctr28147(BIG, WHOLE, (ones - 1, ones - 30), 66)

    def chain28147(self, order, kind, count, has_output, is_in_place=False):
        run = self.run()
        cipher, rows, key = self.cipher(run, order)
        (state,), text = run.unknown(8), run.unknown(8, count)
        feedback = run.place(state, may_write=True)
        source, target = run.texts(joined(text), is_in_place)
        expected, state = chained(run.standards, lambda block: ordered(run.standards.cipher28147(
            rows, key, ordered(block, order)), order), kind, state, text)
        self.call(run, "gost_28147_chain", cipher, kind, feedback, source, target if has_output else 0, count)
        if has_output:
            run.require("the text", target, expected)
        run.require("the register", feedback, state)

    def all_chains28147(self):
        for order in (LITTLE, BIG):
            for kind in (INPUT, OUTPUT, GAMMA):
                for count in (0, 1, 3):
                    self.chain28147(order, kind, count, True, is_in_place=count == 3)
                self.chain28147(order, kind, 3, False)

    def imit(self, order, count):
        run = self.run()
        cipher, rows, key = self.cipher(run, order)
        (code,), text = run.unknown(8), run.unknown(8, count)
        place, source = run.place(code, may_write=True), run.place(joined(text))
        expected = run.standards.imit(rows, key, code, [ordered(block, order) for block in text])
        self.call(run, "gost_28147_imit", cipher, place, source, count)
        run.require("the code", place, expected)

    def all_imits(self):
        for order in (LITTLE, BIG):
            for count in (0, 1, 3):
                self.imit(order, count)

    def meshed(self, sections):
        # The counter is enciphered: it is unknown, but for the sums that count.
        run = self.run()
        key, rows, counter = run.unknown(4, 8), ROWS[Z], 0x0123456789ABCDEF
        place = run.place(joined(word * 4 for word in key), may_write=True)
        text = run.unknown(8, 128 * sections)
        source, target = run.texts(joined(text))
        at = run.place(parts(counter, 8), may_write=True)
        counter, expected = parts(counter, 8), []
        for section in range(sections):
            key, counter = run.standards.meshed(rows, key, counter)
            for block in text[128 * section:128 * section + 128]:
                counter = next_unknown_cnt(run.names, counter)
                expected += run.standards.sum(block, run.standards.cipher28147(rows, key, counter))
        self.call(run, "gost_28147_cnt_meshed", run.place(rows), place, at, source, target, sections)
        run.require("the text", target, expected)
        run.require("the key", place, joined(word * 4 for word in key))
        run.require("the counter", at, counter)

    def all_meshed(self):
        for sections in (0, 2):
            self.meshed(sections)

    # GOST R 34.11-94.

    def hash94(self, rows, count):
        run = self.run()
        (hash,), data = run.unknown(32), run.unknown(32, count)
        place, source = run.place(hash, may_write=True), run.place(joined(data))
        for block in data:
            hash = run.standards.hash94(ROWS[rows], hash, block)
        self.call(run, "gost_341194_hash", run.place(ROWS[rows]), place, source, count)
        run.require("the hash", place, hash)

    def all_hash94(self):
        for rows in ROWS:
            self.hash94(rows, 1)
        for count in (0, 2, 3):
            self.hash94("id-GostR3411-94-CryptoProParamSet", count)

    # Kuznyechik.

    def kuznyechik(self, function, count, is_in_place=False):
        decrypts = function == "gost_kuznyechik_decrypt"
        is_portable = self.names is Planes
        standards = Stepwise if decrypts and is_portable and count >= self.enough else Standards
        run = self.run([AES_NAMES, HIGHEST, LESS_64], standards)
        keys, text = run.unknown(16, 10), run.unknown(16, count)
        source, target = run.texts(joined(text), is_in_place)
        step = run.standards.kuznyechik_back if decrypts else run.standards.kuznyechik
        expected = joined(step(keys, block) for block in text)
        # A batch that is not full has blocks of zeros, too.
        step(keys, [0] * 16)
        self.call(run, function, run.place(joined(keys)), source, target, count)
        run.require("the text", target, expected)

    def all_kuznyechik(self):
        for count in (0, 3, 9):
            self.kuznyechik("gost_kuznyechik_encrypt", count, is_in_place=count % 2 == 1)

    def many_kuznyechik(self):
        for count in (self.enough, self.batch + 1):
            self.kuznyechik("gost_kuznyechik_encrypt", count)

    # With AVX2 the portable function deciphers.

    def back_kuznyechik(self):
        for count in () if self.name == "AVX2" else (0, 1, 9):
            self.kuznyechik("gost_kuznyechik_decrypt", count, is_in_place=count == 1)

    def many_back_kuznyechik(self):
        for count in () if self.name == "AVX2" else (self.enough, self.batch):
            self.kuznyechik("gost_kuznyechik_decrypt", count)

    def kuznyechik_ctr(self, part, counter, count):
        run = self.run([AES_NAMES])
        keys, text = run.unknown(16, 10), run.unknown(16, count)
        source, target = run.texts(joined(text), is_in_place=True)
        place = run.place(parts(counter[0], 8) + parts(counter[1], 8) + parts(part, 8), may_write=True)
        expected, later = [], counter
        # A batch that is not full enciphers the counters that follow, too.
        for i in range(count if count < self.enough else -(-count // self.batch) * self.batch):
            gamma = run.standards.kuznyechik(keys, parts(later[0], 8)[::-1] + parts(later[1], 8)[::-1])
            later = next_ctr(later, part, 64)
            if i < count:
                expected += run.standards.sum(text[i], gamma)
                counter = later
        self.call(run, "gost_kuznyechik_ctr", run.place(joined(keys)), place, source, target, count)
        run.require("the text", target, expected)
        run.require("the counter", place, parts(counter[0], 8) + parts(counter[1], 8))

    def all_kuznyechik_ctr(self):
        ones = (1 << 64) - 1
        for part in (WHOLE, LEFT, RIGHT):
            for counter, count in (((5, 0), 0), ((7, ones), 3), ((ones, ones), 10)):
                self.kuznyechik_ctr(part, counter, count)

    def many_kuznyechik_ctr(self):
        ones = (1 << 64) - 1
        self.kuznyechik_ctr(WHOLE, (ones - 1, ones - self.batch), self.batch + 2)

    def kuznyechik_chain(self, kind, count, has_output, is_in_place=False):
        run = self.run([AES_NAMES])
        keys, (state,), text = run.unknown(16, 10), run.unknown(16), run.unknown(16, count)
        feedback = run.place(state, may_write=True)
        source, target = run.texts(joined(text), is_in_place)
        expected, state = chained(run.standards, lambda block: run.standards.kuznyechik(keys, block), kind, state, text)
        self.call(run, "gost_kuznyechik_chain", run.place(joined(keys)), kind, feedback, source,
                  target if has_output else 0, count)
        if has_output:
            run.require("the text", target, expected)
        run.require("the register", feedback, state)

    def all_kuznyechik_chains(self):
        for kind in (INPUT, OUTPUT, GAMMA):
            for count in (0, 1, 3):
                self.kuznyechik_chain(kind, count, True, is_in_place=count == 3)
            self.kuznyechik_chain(kind, 3, False)

    def schedule(self):
        run = self.run([AES_NAMES])
        keys, constants = run.unknown(16, 2), run.unknown(16, 32)
        place = run.place(joined(keys) + joined(run.unknown(16, 8)), may_write=True)
        expected = run.standards.schedule(*keys, constants)
        self.call(run, "gost_kuznyechik_schedule", place, run.place(joined(constants)))
        run.require("the keys", place, joined(expected))

    # Streebog.

    def compress(self):
        run = self.run([ALPHA])
        (hash, block), (counter,), constants = run.unknown(64, 2), run.unknown(8), run.unknown(64, 12)
        place = run.place(hash, may_write=True)
        expected = run.standards.compressed(hash, block, counter + [0] * 56, constants)
        # The counter is an argument in a register.
        self.call(run, "gost_streebog_compress", place, run.place(block), counter, run.place(joined(constants)))
        run.require("the hash", place, expected)

    def update(self, count):
        run = self.run([ALPHA])
        (hash, total), (counter,) = run.unknown(64, 2), run.unknown(8)
        data, constants = run.unknown(64, count), run.unknown(64, 12)
        places = [run.place(x, may_write=True) for x in (hash, counter, total)]
        for block in data:
            hash = run.standards.compressed(hash, block, counter + [0] * 56, constants)
            counter = run.names.add(counter, parts(512, 8))[0]
            carry, words = 0, []
            for i in range(0, 64, 8):
                word, carry = run.names.add(total[i:i + 8], block[i:i + 8], carry)
                words += word
            total = words
        self.call(run, "gost_streebog_update", *places, run.place(joined(data)), count, run.place(joined(constants)))
        for what, place, expected in zip(("the hash", "the length", "the sum"), places, (hash, counter, total)):
            run.require(what, place, expected)

    def all_streebog(self):
        self.compress()
        for count in (0, 1, 2, 3):
            self.update(count)

    # Multilinear Galois mode.

    def multilinear(self, size, count):
        run = self.run()
        (total,) = run.unknown(16)
        data, factors = run.unknown(size, count), run.unknown(size, count)
        place = run.place(total, may_write=True)
        expected = total[:size]
        for block, factor in zip(data, factors):
            expected = run.standards.sum(expected, run.standards.product(block[::-1], factor[::-1]))
        self.call(run, "gost_multilinear_sum", place, run.place(joined(data)), run.place(joined(factors)), size, count)
        run.require("the sum", place, expected + total[size:])

    def all_multilinear(self):
        for size in (8, 16):
            for count in range(6):
                self.multilinear(size, count)


CLAIMS = (
    ("28147-89 and Magma", "all_28147"),
    ("28147-89, gamma", "all_cnt"),
    ("28147-89 and Magma, counters", "all_ctr28147"),
    ("28147-89 and Magma, chains", "all_chains28147"),
    ("28147-89, authentication codes", "all_imits"),
    ("28147-89, gamma and key meshing", "all_meshed"),
    ("GOST R 34.11-94", "all_hash94"),
    ("Kuznyechik", "all_kuznyechik"),
    ("Kuznyechik, deciphering", "back_kuznyechik"),
    ("Kuznyechik, counters", "all_kuznyechik_ctr"),
    ("Kuznyechik, chains", "all_kuznyechik_chains"),
    ("Kuznyechik, round keys", "schedule"),
    ("Streebog", "all_streebog"),
    ("Multilinear Galois mode, sums", "all_multilinear"),
    ("Kuznyechik, batches", "many_kuznyechik"),
    ("Kuznyechik, deciphering batches", "many_back_kuznyechik"),
    ("Kuznyechik, counters in batches", "many_kuznyechik_ctr"),
)
# Those that take long on the path of every processor, where a batch has 128 blocks: only if they are named.
LONG = ("many_kuznyechik", "many_back_kuznyechik", "many_kuznyechik_ctr")


def main():
    linker, processor, *objects = sys.argv[1:]
    wanted = objects[objects.index("--") + 1:] if "--" in objects else []
    objects = objects[:objects.index("--")] if "--" in objects else objects
    arm64 = processor == "arm64"
    paths = [(ARM64, Names, 3, "NEON", 16, 9)] if arm64 else [
        (SSE, Planes, 0, "portable", 128, 12), (X86, Names, 1, "AVX2", 32, 9), (X86, Names, 2, "AVX-512", 64, 9)]
    count, fault = check()
    if fault:
        print(f"NOT proven: the standards' steps, {fault}")
        sys.exit(1)
    print(f"the standards' steps give {count} published values")
    results = []
    for path in paths:
        # Each has an image of its own, which keeps the rules of its machine.
        with tempfile.TemporaryDirectory() as directory:
            image = Image(linker, objects, f"{directory}/image", arm64)
        left_out = LONG if path[1] is Planes else ()
        chosen = [(what, claim) for what, claim in CLAIMS if (claim in wanted if wanted else claim not in left_out)]
        results.append(prove(chosen, path[3], lambda: Kernels(image, *path)))
    sys.exit(0 if all(results) else 1)


main()
