#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Requires that misuse does not compile: the compiler refuses each file of Tests/Lint/Misuse with the one error that the
# file names. Use compiles to machine code, in debug, in release, and in a program whose functions all belong to the main
# actor: each file of Tests/Lint/Use, and each block of Swift or C of docs/Start/Vendors.md. A crash of the compiler is a
# failure. Needs the modules of "swift build", or those of $KANAL_CONFIGURATION.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

read -ra flags <<< "$(c_module_flags)"
for source in Tests/Lint/Misuse/*.swift; do
    expected=$(sed -n 's|^// error: ||p' "$source")
    errors=$(swiftc -emit-sil -o "$work/misuse.sil" -package-name "$(package_name $modules_build.yaml)" -swift-version 6 \
        -Xfrontend -disable-testable-attr-requires-testable-module -I $modules_build/Modules -I Include/CHostProcess "${flags[@]}" "$source" 2>&1 \
        | sed -n "s|^.*$source:[0-9:]* error: ||p" || true)
    [ -n "$expected" ] && [ "${errors%% \[#*}" = "$expected" ] || fail "$source: not refused with \"$expected\", but: $errors"
done
# The blocks of a page, each a file; lines before a block leave its errors their numbers in the page.
page=docs/Start/Vendors.md
awk -v place="$work/block" '
    /^```$/ { file = "" }
    file != "" { print > file }
    /^```(swift|c)$/ {
        language = substr($0, 4)
        file = place NR "." language
        heading = language == "c" ? "#include <stdio.h>\n#include <kanal.h>" : "import KanalESIA\nimport KanalKit"
        print heading > file
        for (line = 3; line <= NR; line++) print "" > file
    }' "$page"
for block in "$work"/block*.c; do
    "${CC:-cc}" -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -I Include/CCryptoki \
        $(pkg-config --cflags-only-I p11-kit-1) "$block" > "$work/log" 2>&1 \
        || fail "$page does not compile: $(grep -m 3 'error:' "$work/log")"
done
for source in Tests/Lint/Use/*.swift "$work"/block*.swift; do
    name=${source/$work*/$page}
    for options in -Onone -O "-Onone -default-isolation MainActor"; do
        # shellcheck disable=SC2086
        swiftc -c $options -o "$work/use.o" -parse-as-library -swift-version 6 -I $modules_build/Modules "${flags[@]}" "$source" \
            > "$work/log" 2>&1 || fail "$name does not compile ($options): $(grep -m 3 'error:' "$work/log")"
    done
done
echo "misuse.sh: passed"
