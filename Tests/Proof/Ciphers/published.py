# SPDX-License-Identifier: Apache-2.0
# The steps of standards.py on the published vectors: what the kernels are compared with is what the standards say.
import json
import re

from forms import Names
from standards import Standards


def vectors(name):
    with open(f"Tests/Vectors/{name}.json", encoding="utf-8") as file:
        return json.load(file)["vectors"]


ROWS = {box["id"]: [int(digit, 16) for row in box["rows"] for digit in row] for box in vectors("sboxes")}
Z = "id-tc26-gost-28147-param-Z"


def words(key, size=4):
    return [list(key[i:i + size]) for i in range(0, len(key), size)]


def constants_of_streebog():
    with open("Sources/GOSTKernels/Parameters/StreebogConstants.c", encoding="utf-8") as file:
        numbers = [int(n, 16) for n in re.findall(r"0x[0-9a-f]{16}", file.read().split("constants[12 * 8] = {")[1])]
    return words(b"".join(n.to_bytes(8, "little") for n in numbers), 64)


class Published:
    """Each method gives pairs of what the steps compute, and of what is published."""

    def __init__(self):
        self.standards = Standards(Names())
        self.constants = constants_of_streebog()

    def magma(self, key, block):
        number = self.standards.cipher28147(ROWS[Z], [word[::-1] for word in words(key)], list(block)[::-1])
        return number[::-1]

    def round_keys(self, key):
        constants = [self.standards.transformed_l([0] * 15 + [i]) for i in range(1, 33)]
        return self.standards.schedule(list(key[:16]), list(key[16:]), constants)

    def blocks(self):
        for v in vectors("magma_block"):
            yield self.magma(bytes.fromhex(v["key"]), bytes.fromhex(v["pt"])), v["ct"]
        for v in vectors("kuznyechik_block"):
            keys = self.round_keys(bytes.fromhex(v["key"]))
            yield from zip(keys, v["round_keys"])
            block = self.standards.kuznyechik(keys, list(bytes.fromhex(v["pt"])))
            yield block, v["ct"]
            yield self.standards.kuznyechik_back(keys, block), v["pt"]
        for v in vectors("gost28147_ecb"):
            key, text = words(bytes.fromhex(v["key"])), words(bytes.fromhex(v["pt"]), 8)
            done = [self.standards.cipher28147(ROWS[v["sbox"]], key, block) for block in text]
            yield sum(done, []), v["ct"]
            yield sum((self.standards.cipher28147(ROWS[v["sbox"]], key, block, decrypts=True) for block in done), []), v["pt"]
        for v in vectors("gost28147_keymeshing"):
            key, counter = self.standards.meshed(ROWS[v["sbox"]], words(bytes.fromhex(v["key"])), list(bytes.fromhex(v["iv"])))
            yield sum(key, []), v["next_key"]
            yield counter, v["next_iv"]

    def hashes(self):
        for v in vectors("gostr341194"):
            data = bytes.fromhex(v["msg"])
            if not data or len(data) > 4096:
                continue
            hash, total = [0] * 32, 0
            for block in words(data, 32):
                block = block + [0] * (32 - len(block))
                total += int.from_bytes(bytes(block), "little")
                hash = self.standards.hash94(ROWS[v["sbox"]], hash, block)
            for number in (8 * len(data), total):
                hash = self.standards.hash94(ROWS[v["sbox"]], hash, list((number % (1 << 256)).to_bytes(32, "little")))
            yield hash, v["hash"]
        for v in vectors("streebog"):
            data = bytes.fromhex(v["msg"])
            if len(data) > 4096:
                continue
            hash, total, done = [1 if v["bits"] == 256 else 0] * 64, 0, 0
            padded = data + b"\1" + bytes(-(len(data) + 1) % 64)
            for block in words(padded, 64):
                hash = self.standards.compressed(hash, block, list(done.to_bytes(64, "little")), self.constants)
                done += min(512, 8 * len(data) - done)
                total += int.from_bytes(bytes(block), "little")
            for number in (8 * len(data), total % (1 << 512)):
                hash = self.standards.compressed(hash, list(number.to_bytes(64, "little")), [0] * 64, self.constants)
            yield hash[-v["bits"] // 8:], v["hash"]

    def parameters(self):
        """The library's rows of S-boxes."""
        with open("Sources/GOSTKernels/Parameters/SBoxSets.c", encoding="utf-8") as file:
            for name, text in re.findall(r'"(id-[^"]*)".*?uint8_t\[128\]\)\{(.*?)\}', file.read(), re.DOTALL):
                yield [int(digit, 16) for digit in re.findall(r"0x([0-9A-F])\b", text)], bytes(ROWS[name]).hex()

    def sums(self):
        """Tags of MGM (RFC 9058, 4.1)."""
        for v in vectors("mgm"):
            if "key" not in v or len(v["pt"]) > 2048:
                continue
            key, counter = bytes.fromhex(v["key"]), bytes.fromhex(v["icn"])
            if v["cipher"] == "kuznyechik":
                size, keys = 16, self.round_keys(key)
                encipher = lambda block, keys=keys: self.standards.kuznyechik(keys, list(block))
            else:
                size, encipher = 8, lambda block, key=key: self.magma(key, block)
            z, total = encipher(bytes([counter[0] | 0x80]) + counter[1:]), [0] * size
            lengths = b"".join((4 * len(v[part])).to_bytes(size // 2, "big") for part in ("aad", "ct"))
            blocks = [*words(bytes.fromhex(v["aad"]), size), *words(bytes.fromhex(v["ct"]), size), list(lengths)]
            for block in blocks:
                block = block + [0] * (size - len(block))
                total = self.standards.sum(total, self.standards.product(encipher(z)[::-1], block[::-1]))
                left = int.from_bytes(bytes(z[:size // 2]), "big") + 1
                z = list((left % (1 << 4 * size)).to_bytes(size // 2, "big")) + z[size // 2:]
            yield encipher(total[::-1])[:len(v["tag"]) // 2], v["tag"]


def check():
    """The number of published values that the steps reproduce, and a text for the first that they do not."""
    count, published = 0, Published()
    for group in (published.parameters, published.blocks, published.hashes, published.sums):
        for given, wanted in group():
            if bytes(given).hex() != wanted:
                return count, f"{group.__name__}: {bytes(given).hex()} is published as {wanted}"
            count += 1
    return count, None
