#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# adapters.sh [accept]: requires that the package Adapters compiles with KanalKit as it is. Only types are checked:
# building the adapters' dependencies takes minutes. Tests/Lint/companions.txt lists the types of these modules and of
# Foundation, for interface.sh. With "accept", the list is written again. Takes the modules of "swift build".
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

# For one small target, SwiftPM writes its plan of all.
scratch=$root/.build/adapters
swift build --package-path Adapters --scratch-path "$scratch" --target CNIOSHA1 > "$work/plan" 2>&1 \
    || fail "the adapters' packages cannot be had: $(cat "$work/plan")"
mkdir -p "$scratch/types"
read -ra flags <<< "$(c_module_flags | sed "s|=\([^/]\)|=$root/\1|g")"
Tests/Lint/adapters.pl "$scratch/debug/description.json" "$root/.build/debug/Modules" "${flags[@]}" \
    > "$scratch/types/Makefile"
make --no-print-directory --silent --jobs "$(nproc)" --directory "$scratch/types" \
    || fail "the adapters do not compile with KanalKit as it is"
passed "the adapters compile with KanalKit as it is"

list=Tests/Lint/companions.txt
python3 - "$scratch"/types/*.symbols.json > "$work/companions" << 'PYTHON'
import json
import pathlib
import sys

names = set()
for path in map(pathlib.Path, sys.argv[1:]):
    module = path.name.removesuffix(".symbols.json")
    for symbol in json.loads(path.read_text())["symbols"] if "@" not in module else []:
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        if len(symbol["pathComponents"]) == 1 and kind in ("class", "enum", "protocol", "struct", "typealias"):
            names.add(f"{symbol['pathComponents'][0]} {module}")
print(*sorted(names), sep="\n")
PYTHON
[ "${1:-}" != accept ] || cp "$work/companions" $list
diff -u $list "$work/companions" || fail "other names than in $list: Tests/Lint/adapters.sh accept, then interface.sh"
passed "the types of $(cut -d' ' -f2 $list | sort -u | wc -l) modules are those of $list"
echo "adapters.sh: passed"
