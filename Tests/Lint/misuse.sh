#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Requires that misuse does not compile: each file of Tests/Lint/Misuse is refused with the one error that it names; and
# that use compiles, to machine code, in debug and in release: each file of Tests/Lint/Use. A compiler that crashes on one
# fails either. Takes the modules of "swift build".
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

build=.build/debug
read -ra flags <<< "$(c_module_flags)"
for source in Tests/Lint/Misuse/*.swift; do
    expected=$(sed -n 's|^// error: ||p' "$source")
    errors=$(swiftc -emit-sil -o "$work/misuse.sil" -package-name "$(package_name $build.yaml)" -swift-version 6 \
        -I $build/Modules -I Include/CHostProcess "${flags[@]}" "$source" 2>&1 \
        | sed -n "s|^.*$source:[0-9:]* error: ||p" || true)
    [ -n "$expected" ] && [ "${errors%% \[#*}" = "$expected" ] || fail "$source: not refused with \"$expected\", but: $errors"
done
for source in Tests/Lint/Use/*.swift; do
    for optimisation in -Onone -O; do
        swiftc -c $optimisation -o "$work/use.o" -parse-as-library -swift-version 6 -I $build/Modules "${flags[@]}" "$source" \
            > "$work/log" 2>&1 || fail "$source does not compile ($optimisation): $(grep -m 3 'error:' "$work/log")"
    done
done
echo "misuse.sh: passed"
