#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# interface.sh [accept]: requires that Tests/Lint/interface.txt and interface-esia.txt list the public interfaces of
# KanalKit, KanalESIA and KanalXML, so that no oversight breaks a program; that each public symbol is documented; and that no type
# shares its name with a type of a module that programs import beside them. "accept" writes the lists again. Needs the
# modules of "swift build", or those of $KANAL_CONFIGURATION.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

read -ra flags <<< "$(c_module_flags)"

# The lines of a module's public symbols.
symbols() {
    python3 - "$@" << 'PYTHON'
import json
import re
import sys

lines, missing = [], []
for symbol in (symbol for path in sys.argv[1:] for symbol in json.load(open(path))["symbols"]):
    name = ".".join(symbol["pathComponents"])
    declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
    lines.append(f"{name}: {' '.join(declaration.split())}")
    # A requirement of a protocol is documented with the protocol.
    if "docComment" not in symbol and not re.search(r"\.(?:description|rawValue|init\(rawValue:\)|==\(_:_:\))$", name):
        missing.append(f"without documentation: {name}")
print(*sorted(lines), sep="\n")
sys.exit("\n".join(sorted(missing)) or None)
PYTHON
}

# compare MODULE LIST [accept]
compare() {
    local module=$1 list=$2 names shared
    mkdir "$work/$module"
    swift symbolgraph-extract -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" -I "$modules_build/Modules" \
        "${flags[@]}" -minimum-access-level public -skip-synthesized-members \
        -output-dir "$work/$module"
    symbols "$work/$module"/*.symbols.json > "$work/interface" || fail "the public interface of $module is not documented"
    [ "${3:-}" != accept ] || cp "$work/interface" "$list"
    diff -u "$list" "$work/interface" \
        || fail "the public interface of $module has changed: if that is wanted, Tests/Lint/interface.sh accept"
    # A file that also imports the modules of adapters.py needs no module before a name.
    names=$(sed -n 's/^\([^.:]*\): .*/\1/p' "$work/interface")
    shared=$(cut -d' ' -f1 Tests/Lint/companions.txt | sort -u | comm -12 - <(sort -u <<< "$names") | xargs)
    [ -z "$shared" ] || fail "public names of $module that other modules have too, by Tests/Lint/companions.txt: $shared"
}

compare KanalKit Tests/Lint/interface.txt "${1:-}"
compare KanalESIA Tests/Lint/interface-esia.txt "${1:-}"
compare KanalXML Tests/Lint/interface-xml.txt "${1:-}"
echo "interface.sh: passed"
