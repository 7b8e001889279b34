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

# mark NAME PATH OPTION...: a file of another user's root directory that leaves a mark.
mark() {
    mkdir -p "other/${2%/*}"
    cc -DNAME="\"$1\"" "$root/Tests/Programs/Guest/mark.c" "${@:3}" -o "other/$2"
}
guest root
# Where the loader looks without a cache.
for folder in "lib/$(cc -print-multiarch)" lib64; do
    for name in libpcsclite.so.1 libcrypto.so.3 libcrypto.so.4; do mark $name "$folder/$name" -shared -fPIC; done
done
# Where OpenSSL's provider looks for the library.
modules=${module%/*}/ossl-modules
mkdir -p "other$modules"
mark libkanal "${module#/}" -shared -fPIC
mark asked usr/bin/pinentry-mark -static
mkdir other/dev
touch other/dev/null
$sudo mkdir -p admin/.config/kanal
echo "authenticator = pinentry:/usr/bin/pinentry-mark" | $sudo tee admin/.config/kanal/kanal.conf > /dev/null
$sudo env -i HOME="$work/admin" OPENSSL_CONF=/dev/null OPENSSL_MODULES="$modules" KANAL_LOG="$work/admin.log" ./root "$work/library.so" "$work/other" > output 2>&1 \
    || fail "after chroot something comes from the new root directory, or does not go on: $(cat output)"
grep -q 'changed its root directory (chroot), and libcrypto' admin.log || fail "no reason: $($sudo cat admin.log)"
grep -q 'changed its root directory (chroot), and pcscd' admin.log || fail "no reason: $($sudo cat admin.log)"
passed "after chroot no library, service or program of the new root directory is used, and what was open goes on"
count=${COUNT:-24}
timeout $((60 + count)) ./memory "$work/library.so" "$count" > output 2>&1 \
    || fail "with memory failing in $count places, exit status $?: $(tail -n 5 output)"
passed "without memory each call answers, and none ends the process: $(tail -n 1 output)"
