#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Tests/Vectors/curve_edges.json: multiples and sums of points at the edges, and points that are none.
#   edges.py write    writes the file, by affine formulas
#   edges.py check    computes each result a second time, by libcrypto's curves
#   edges.py lines    prints the vectors for edges.c
import ctypes
import ctypes.util
import json
import sys

from group import Group

FILE = "Tests/Vectors/curve_edges.json"


def curves():
    """Each set of numbers once."""
    with open("Tests/Vectors/curves.json", encoding="utf-8") as file:
        found = {}
        for vector in json.load(file)["vectors"]:
            found.setdefault(vector["q"], {"id": vector["id"], "cofactor": vector["cofactor"]} | {
                name: int(vector[name], 16) for name in "pabqxy"})
    return list(found.values())


def scalars(q):
    """Small ones, those at the bounds of windows and words, those near q and its half, and patterns."""
    bits = 256 if q < 1 << 256 else 512
    found = {0, 1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 63, 64, 65, q - 1, q - 2, q - 3, q // 2, q // 2 + 1}
    for i in range(64, bits, 64):
        found |= {(1 << i) - 1, 1 << i, (1 << i) + 1}
    found |= {int("aa" * (bits // 8), 16), int("55" * (bits // 8), 16), (1 << bits - 2) - 1, q - (1 << 64), q ^ 2}
    return sorted(k for k in found if 0 <= k < q)


def written(point):
    return {"x": f"{point[0]:x}", "y": f"{point[1]:x}"} if point else {"infinity": True}


def make():
    vectors = []

    def add(curve, kind, values):
        vectors.append({"id": f"edges-{len(vectors) + 1:04}", "curve": curve["id"], "kind": kind} | values
                       | {"source": "generated here", "verified_by": ["ref", "libcrypto-3.0 EC_POINT"]})

    for curve in curves():
        p, a, q = curve["p"], curve["a"], curve["q"]
        group, base = Group(p, a), (curve["x"], curve["y"])
        for k in scalars(q):
            add(curve, "multiple", {"k": f"{k:x}", "result": written(group.multiply(k, base))})
        points = {k: group.multiply(k, base) for k in (1, 2, 3, q - 1, q - 2, q // 2, q // 2 + 1)}
        for left, right in ((1, 1), (1, 2), (1, q - 1), (2, q - 2), (2, q - 1), (q - 1, q - 1), (q // 2, q // 2),
                            (q // 2, q // 2 + 1), (3, 1)):
            add(curve, "sum", {"left": written(points[left]), "right": written(points[right]),
                               "result": written(group.add(points[left], points[right]))})
        x, y = base
        add(curve, "point", written(base) | {"on_curve": True, "order_q": True})
        add(curve, "point", written((x, p - y)) | {"on_curve": True, "order_q": True})
        for point in ((x, (y + 1) % p), ((x + 1) % p, y), (0, 0), (p - 1, 1)):
            if (point[1] ** 2 - point[0] ** 3 - a * point[0] - curve["b"]) % p:
                add(curve, "point", written(point) | {"on_curve": False})
        # In a word of p's size, but not below p: no encoding of a point.
        if x + p < 1 << 64 * (-(-p.bit_length() // 64)):
            add(curve, "encoding", written((x + p, y)) | {"accepted": False})
    return {"primitive": "curve_edges",
            "description": "Multiples k*P and sums of points at the edges, points that are not on the curve, and coordinates that "
                           "are not below p (big-endian hex integers); infinity is O", "vectors": vectors}


def read(value):
    return None if value.get("infinity") else (int(value["x"], 16), int(value["y"], 16))


class Libcrypto:
    """Curves of OpenSSL, by their numbers."""

    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("crypto"))

    def call(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        return function(*[ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments])

    def number(self, value):
        result = ctypes.c_void_p(None)
        self.call("BN_hex2bn", ctypes.byref(result), f"{value:x}".encode())
        return result

    def value(self, number):
        text = ctypes.cast(self.call("BN_bn2hex", number), ctypes.c_char_p).value
        return int(text, 16)

    def group(self, curve):
        numbers = [self.number(curve[name]) for name in "pab"]
        return ctypes.c_void_p(self.call("EC_GROUP_new_curve_GFp", *numbers, None))

    def point(self, group, value):
        point = ctypes.c_void_p(self.call("EC_POINT_new", group))
        if value is None:
            self.call("EC_POINT_set_to_infinity", group, point)
            return point
        x, y = map(self.number, value)
        answer = self.call("EC_POINT_set_affine_coordinates", group, point, x, y, None)
        return point if (answer or 0) & 0xFFFFFFFF == 1 else None

    def coordinates(self, group, point):
        if (self.call("EC_POINT_is_at_infinity", group, point) or 0) & 0xFFFFFFFF == 1:
            return None
        x, y = self.number(0), self.number(0)
        self.call("EC_POINT_get_affine_coordinates", group, point, x, y, None)
        return self.value(x), self.value(y)

    def multiply(self, group, k, value):
        result = ctypes.c_void_p(self.call("EC_POINT_new", group))
        self.call("EC_POINT_mul", group, result, None, self.point(group, value), self.number(k), None)
        return self.coordinates(group, result)

    def add(self, group, left, right):
        result = ctypes.c_void_p(self.call("EC_POINT_new", group))
        self.call("EC_POINT_add", group, result, self.point(group, left), self.point(group, right), None)
        return self.coordinates(group, result)


def check(vectors):
    library = Libcrypto()
    known = {curve["id"]: curve for curve in curves()}
    groups = {name: library.group(curve) for name, curve in known.items()}
    for vector in vectors:
        curve, group = known[vector["curve"]], groups[vector["curve"]]
        kind = vector["kind"]
        if kind == "multiple":
            result = library.multiply(group, int(vector["k"], 16), (curve["x"], curve["y"]))
        elif kind == "sum":
            result = library.add(group, read(vector["left"]), read(vector["right"]))
        elif kind == "point":
            is_point = library.point(group, read(vector)) is not None
            if is_point != vector["on_curve"] or is_point and library.multiply(group, curve["q"], read(vector)) is not None:
                sys.exit(f"{vector['id']}: libcrypto does not agree")
            continue
        else:
            continue
        if result != read(vector["result"]):
            sys.exit(f"{vector['id']}: libcrypto has {result}")
    print(f"the same by libcrypto: {len(vectors)} vectors")


def lines(vectors):
    known = {curve["id"]: curve for curve in curves()}
    for vector in vectors:
        curve = known[vector["curve"]]
        result = read(vector.get("result", {"infinity": True}))
        values = [vector["id"], vector["kind"], vector["curve"]]
        if vector["kind"] == "multiple":
            values += [vector["k"], f"{curve['x']:x}", f"{curve['y']:x}", "0"]
        elif vector["kind"] == "sum":
            values += [f"{number:x}" for point in ("left", "right") for number in read(vector[point])]
        elif vector["kind"] == "point":
            values += [vector["x"], vector["y"], str(int(vector["on_curve"])), str(int(vector.get("order_q", False)))]
        else:
            continue
        print(*values, *([f"{number:x}" for number in result] if result else ["-", "-"]))


def main():
    if sys.argv[1] == "write":
        with open(FILE, "w", encoding="utf-8") as file:
            json.dump(make(), file, indent=1)
            file.write("\n")
        return
    with open(FILE, encoding="utf-8") as file:
        vectors = json.load(file)
    if vectors != make():
        sys.exit(f"{FILE} is not what edges.py writes")
    {"check": check, "lines": lines}[sys.argv[1]](vectors["vectors"])


main()
