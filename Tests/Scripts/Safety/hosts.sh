#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library as a guest: programs in all states that hosts are in load the file that is installed, use a token by it and
# end it. Each call answers, and the program is afterwards as it was. hosts.sh [STATE...] tries some of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

prepare
cc -std=gnu11 -O1 -Wall -Wextra -Werror -fno-pie -no-pie -pthread -I"$root/Include/CCryptoki" \
    "$root/Tests/Programs/Guest/hosts.c" -o hosts -ldl -lm
grep -q 'COPY.*environ' <(readelf --relocs --wide hosts) || fail "the program has no copy of environ"
strip -o library.so "$module"
start_pcscd
attach usb usb
./hosts "$work/library.so" "$@" > output || fail "in these states the library is no good guest: $(cat output)"
passed "R23: the library is a guest in every state of its host: $(tail -n 1 output)"
grep '^not tried' output | sort | uniq -c || true
