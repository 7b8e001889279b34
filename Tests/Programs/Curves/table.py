#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Prints the curves of Tests/Vectors/curves.json as curves.h has them. Two parameter sets may share their numbers.
import json

print('#include "curves.h"\n\nconst struct curve curves[] = {')
seen = set()
for curve in json.load(open("Tests/Vectors/curves.json"))["vectors"]:
    size = 32 if len(curve["p"]) <= 64 else 64
    if curve["q"] in seen:
        continue
    seen.add(curve["q"])
    numbers = (int(curve[name], 16).to_bytes(size, "little") for name in "pabqxy")
    fields = ", ".join("{" + ", ".join(map(str, number)) + "}" for number in numbers)
    print(f'    {{"{curve["id"]}", {size}, {curve["cofactor"]}, {fields}}},')
print("    {0},\n};")
