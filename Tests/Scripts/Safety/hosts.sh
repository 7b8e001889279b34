#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hosts.sh [STATE...]: the library as a guest. Programs in all states that hosts are in, or in those that are named, load
# the file that is installed, use a token by it and end it: each call answers, and the program is afterwards as it was.
# Then memory fails, in many places each. COUNT=1000 hosts.sh takes more of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

# guest PROGRAM SOURCE OPTION...: builds a program of Tests/Programs/Guest.
guest() {
    cc -std=gnu11 -O1 -Wall -Wextra -Werror -pthread -I"$root/Include/CCryptoki" -I"$root/Sources/CReserve/include" \
        "$root/Tests/Programs/Guest/$1.c" "${@:2}" -o "$1" -ldl -lm
}

prepare
guest hosts -fno-pie -no-pie
grep -q 'COPY.*environ' <(readelf --relocs --wide hosts) || fail "the program has no copy of environ"
guest memory -fno-builtin -rdynamic
guest reserve "$root/Sources/CReserve/reserve.c"
strip -o library.so "$module"
start_pcscd
attach usb usb

./hosts "$work/library.so" "$@" > output 2>&1 || fail "in these states the library is no good guest: $(cat output)"
passed "R23: the library is a guest in every state of its host: $(tail -n 1 output)"
grep '^not tried' output | sort -u || true
[ $# = 0 ] || exit 0

expect 0 ./reserve
count=${COUNT:-24}
timeout $((60 + count)) ./memory "$work/library.so" "$count" > output 2>&1 \
    || fail "with memory failing in $count places, exit status $?: $(tail -n 5 output)"
passed "without memory each call answers, and none ends the process: $(tail -n 1 output)"
