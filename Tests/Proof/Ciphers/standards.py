# SPDX-License-Identifier: Apache-2.0
# The ciphers and hash functions as the standards write them, on bytes that are forms or numbers. Blocks are bytes in the order in
# which they are sent; numbers have the least significant byte first.
from functools import lru_cache

from sums import carryless

# π (RFC 6986, 6.2; RFC 7801, 4.1.1), and what undoes it.
PI = bytes.fromhex(
    "FCEEDD11CF6E3116FBC4FADA23C5044DE977F0DB932E99BA1736F1BB14CD5FC1"
    "F918655AE25CEF21811C3C428B018E4F058402AEE36A8FA0060BED987FD4D31F"
    "EB342C51EAC848ABF22A68A2FD3ACECCB5700E56080C7612BF7213479CB75D87"
    "15A19629107B9AC7F391786F9D9EB2B13275193DFF358A7E6D54C680C3BD0D57"
    "DFF524A93EA843C9D779D6F67C22B903E00FECDE7A94B0BCDCE828504E330A4A"
    "A79760731E0062441AB83882649F2641AD454692275E552F8CA3A57D69D5953B"
    "0758B34086AC1DF730376BE488D9E789E11B83494C3FF8FE8D53AA90CAD88561"
    "207167A42D2B095BCB9B25D0BEE56C5259A674D2E6F4B4C0D166AFC2394B63B6")
PI_BACK = bytes(PI.index(x) for x in range(256))

KUZNYECHIK_FIELD, STREEBOG_FIELD = 0x1C3, 0x11D
# The coefficients of a_15…a_0 in the linear function of Kuznyechik (RFC 7801, 4.1.2).
COEFFICIENTS = (148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1)
# The matrix A of Streebog (RFC 6986, 6.4) as one over the field: what byte j of a word adds to byte k of its image. Bit i of byte j
# has the row A_(63 − 8·j − i), and its byte k is the element times t^i.
MATRIX = [bytes.fromhex(row) for row in (
    "83E08E2B4B311C64", "18DCF59E4F478BA4", "2877328AD9867DF9", "9EA81018658C065B",
    "38C193BA8C652103", "50898A32A99CCCAC", "8E98831A010FB646", "648746B2078B4783")]
C3 = bytes.fromhex("00FF00FF00FF00FFFF00FF00FF00FF0000FFFF00FF0000FFFF000000FFFF00FF")
# The constant of key meshing (RFC 4357, 2.3.2).
MESHING = bytes.fromhex("6900722264C904238D3ADB9646E92AC418FEAC9400ED0712C086DCC2EF4CA92B")


@lru_cache(maxsize=None)
def times(factor, field):
    """Multiplication by an element of GF(2^8)."""
    table = []
    for x in range(256):
        product = carryless(x, factor)
        for i in range(6, -1, -1):
            product ^= field << i if product >> i + 8 & 1 else 0
        table.append(product)
    return bytes(table)


@lru_cache(maxsize=None)
def row_table(even, odd):
    """The byte that two rows of an S-box substitute for a byte."""
    return bytes(even[x & 15] | odd[x >> 4] << 4 for x in range(256))


class Standards:
    """`images` are the linear maps of bytes that the code may know a state by."""

    def __init__(self, names, images=()):
        self.names, self.images = names, images

    def sum(self, *numbers):
        result = list(numbers[0])
        for other in numbers[1:]:
            result = [self.names.xor(x, y) for x, y in zip(result, other)]
        return result

    def cut(self, state, waits=False):
        return [self.names.cut(x, self.images, waits) for x in state]

    # GOST 28147-89 (RFC 5830) and Magma (RFC 8891): N1 is the lower half of a number.

    def rounds(self, rows, keys, number):
        """As many rounds as there are keys; the halves change places after each."""
        tables = [row_table(bytes(rows[32 * i:32 * i + 16]), bytes(rows[32 * i + 16:32 * i + 32])) for i in range(4)]
        n1, n2 = number[:4], number[4:]
        for key in keys:
            total = self.names.add(n1, key)[0]
            image = self.names.rotate([self.names.apply(table, x) for table, x in zip(tables, total)], 11)
            n1, n2 = self.cut(self.sum(n2, image)), n1
        return n1, n2

    def cipher28147(self, rows, key, number, decrypts=False):
        order = key * 3 + key[::-1] if not decrypts else key + key[::-1] * 3
        n1, n2 = self.rounds(rows, order, number)
        return n2 + n1

    def imit(self, rows, key, code, numbers):
        for number in numbers:
            n1, n2 = self.rounds(rows, key * 2, self.cut(self.sum(code, number)))
            code = n1 + n2
        return code

    def meshed(self, rows, key, counter):
        """The key and the counter after meshing (RFC 4357, 2.3.2)."""
        new = sum((self.cipher28147(rows, key, MESHING[i:i + 8], decrypts=True) for i in range(0, 32, 8)), [])
        new = [new[i:i + 4] for i in range(0, 32, 4)]
        return new, self.cipher28147(rows, new, counter)

    # GOST R 34.11-94 (RFC 5831): vectors of 32 bytes, y_1 first.

    def hash94(self, rows, hash, block):
        u, v, s = hash, block, []
        for i in range(4):
            if i > 0:
                u = self.transformed_a(u)
                u = self.sum(u, C3) if i == 2 else u
                v = self.transformed_a(self.transformed_a(v))
            w = self.sum(u, v)
            key = [[w[8 * j + k] for j in range(4)] for k in range(8)]
            s += self.cipher28147(rows, key, hash[8 * i:8 * i + 8])
        s = self.sum(self.mixed(s, 12), block)
        return self.mixed(self.sum(self.mixed(s, 1), hash), 61)

    def transformed_a(self, y):
        return y[8:] + self.sum(y[:8], y[8:16])

    def mixed(self, y, times):
        for _ in range(times):
            y = y[2:] + self.sum(*(y[2 * i - 2:2 * i] for i in (1, 2, 3, 4, 13, 16)))
        return y

    # Kuznyechik (RFC 7801): a block begins with a_15.

    def transformed_l(self, block):
        for _ in range(16):
            block = [self.linear(block)] + block[:15]
        return block

    def transformed_l_back(self, block):
        for _ in range(16):
            block = block[1:] + [self.linear(block[1:] + block[:1])]
        return block

    def linear(self, block):
        total = 0
        for factor, x in zip(COEFFICIENTS, block):
            total = self.names.xor(total, self.names.apply(times(factor, KUZNYECHIK_FIELD), x))
        return total

    def substituted(self, state, table=PI):
        # The inverse of L uses the bytes that it has computed.
        return [self.names.apply(table, x) for x in self.cut(state, waits=table is PI_BACK)]

    def kuznyechik(self, keys, block):
        for key in keys[:9]:
            block = self.transformed_l(self.substituted(self.sum(block, key)))
        return self.sum(block, keys[9])

    def kuznyechik_back(self, keys, block):
        block = self.sum(block, keys[9])
        for key in keys[8::-1]:
            block = self.sum(self.substituted(self.transformed_l_back(block), PI_BACK), key)
        return block

    def schedule(self, left, right, constants):
        """The round keys."""
        keys = [left, right]
        for i, constant in enumerate(constants):
            left, right = self.sum(self.transformed_l(self.substituted(self.sum(left, constant))), right), left
            if i % 8 == 7:
                keys += [left, right]
        return keys

    # Streebog (RFC 6986): vectors of 64 bytes, the least significant first.

    def lps(self, state):
        state = self.substituted(state)
        result = []
        for i in range(8):
            word = [state[8 * j + i] for j in range(8)]
            for k in range(8):
                total = 0
                for j, x in enumerate(word):
                    total = self.names.xor(total, self.names.apply(times(MATRIX[j][k], STREEBOG_FIELD), x))
                result.append(total)
        return result

    def compressed(self, hash, block, counter, constants):
        """g_N(h, m)."""
        key, state = self.lps(self.sum(hash, counter)), block
        for constant in constants:
            state = self.lps(self.sum(state, key))
            key = self.lps(self.sum(key, constant))
        return self.cut(self.sum(state, key, hash, block))

    # Multilinear Galois mode (RFC 9058): elements of GF(2^64) or GF(2^128), the least significant byte first.

    def product(self, a, b):
        """The product of two elements: their words' products, of which each byte is divided by the field's polynomial."""
        size = len(a)
        total = [0] * (2 * size)
        for i in range(0, size, 8):
            for j in range(0, size, 8):
                for k, x in enumerate(self.names.product(a[i:i + 8], b[j:j + 8])):
                    total[i + j + k] = self.names.xor(total[i + j + k], x)
        result = [0] * size
        for place, x in enumerate(total):
            for k, table in enumerate(remainders(8 * place, size)):
                result[k] = self.names.xor(result[k], self.names.apply(table, x))
        return result


class Stepwise(Standards):
    """The standards' steps, with a name for each byte that the linear function of Kuznyechik makes."""

    def linear(self, block):
        return self.names.cut(super().linear(block))


@lru_cache(maxsize=None)
def remainders(place, size):
    """The terms that a byte at a power of t adds to each byte of an element."""
    bits = 8 * size
    field = 1 << bits | (0x1B if size == 8 else 0x87)
    values = []
    for x in range(256):
        value = x << place
        for i in range(value.bit_length() - 1, bits - 1, -1):
            value ^= field << i - bits if value >> i & 1 else 0
        values.append(value)
    return [bytes(value >> 8 * k & 0xFF for value in values) for k in range(size)]
