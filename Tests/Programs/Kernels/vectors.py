#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Prints the published values of Tests/Vectors for the block ciphers and hash functions as vectors.h has them, and the
# constants of GOST R 34.11-2012 that the library uses.
import json
import re


def vectors(name):
    return json.load(open(f"Tests/Vectors/{name}.json"))["vectors"]


def array(data):
    return f"(const uint8_t[]){{{', '.join(map(str, data)) or 0}}}, {len(data)}"


def row(name, kind, rows, key, *data):
    print(f'    {{"{name}", {kind}, "{rows}", {", ".join(array(bytes.fromhex(d)) for d in (key, *data))}}},')


rows = {box["id"]: "".join(box["rows"]) for box in vectors("sboxes")}
print('#include "vectors.h"\n\nconst struct vector vectors[] = {')
for v in vectors("kuznyechik_block"):
    row(v["id"], "kuznyechik", "", v["key"], v["pt"], v["ct"])
for v in vectors("magma_block"):
    row(v["id"], "magma", rows["id-tc26-gost-28147-param-Z"], v["key"], v["pt"], v["ct"])
for v in vectors("gost28147_ecb"):
    row(v["id"], "gost28147", rows[v["sbox"]], v["key"], v["pt"], v["ct"])
for v in vectors("gostr341194"):
    row(v["id"], "gostr341194", rows[v["sbox"]], "", v["msg"], v["hash"])
for v in vectors("streebog"):
    row(v["id"], f"streebog{v['bits']}", "", "", v["msg"], v["hash"])
print("    {0},\n};\n")

source = open("Sources/GOSTKernels/Parameters/StreebogConstants.c").read()
numbers = re.findall(r"0x[0-9a-f]{16}", source.split("constants[12 * 8] = {")[1])
print(f"const uint64_t streebog_constants[96] = {{{', '.join(numbers[:96])}}};")
