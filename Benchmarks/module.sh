#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the built library with SoftHSM2 and OpenSC on one machine in one run, and prints a table. Loading, lists and
# searches are compared; what only a token has is shown for Kanal alone. Then the list of readers by "kanal readers" and by
# "pkcs11-tool -L", and signatures in one thread and in 16.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh

export SOFTHSM2_CONF=$work/softhsm2.conf
softhsm=$(dpkg-query --listfiles libsofthsm2 | grep -m 1 '/libsofthsm2\.so$')
opensc=$(dpkg-query --listfiles opensc-pkcs11 | grep '/lib/[^/]*/opensc-pkcs11\.so$')
cc -O2 -IInclude/CCryptoki Benchmarks/Module/module.c -o "$work/module"
cc -O2 -pthread -IInclude/CCryptoki Benchmarks/Module/threads.c -o "$work/threads" -ldl

# median FILE NAME: the median of the figures of this name.
median() { sed -n "s/^$2 \([0-9.-]*\) .*/\1/p" "$1" | sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "" }'; }

prepare
mkdir tokens
echo "directories.tokendir = $work/tokens" > softhsm2.conf
expect 0 softhsm2-util --init-token --free --label benchmark --so-pin 87654321 --pin $pin
start_pcscd
attach usb benchmark
label=$(token_label)
for _ in {1..21}; do
    ./module "$module" load >> kanal
    ./module "$softhsm" load >> softhsm
    ./module "$opensc" load >> opensc
done
./module "$module" work "$label" >> kanal
./module "$softhsm" work benchmark >> softhsm

echo '| | Kanal | SoftHSM2 | ratio | OpenSC | ratio |'
echo '| --- | ---: | ---: | ---: | ---: | ---: |'
while read -r name text; do
    awk -v text="$text" -v k="$(median kanal "$name")" -v s="$(median softhsm "$name")" -v o="$(median opensc "$name")" '
        function ratio(other) { return other > 0 ? sprintf("%.2f", k / other) : "" }
        BEGIN { printf "| %s | %s | %s | %s | %s | %s |\n", text, k, s, ratio(s), o, ratio(o) }'
done << 'END'
load fresh process: load, initialise, list, finalise (µs)
peak peak memory of that (KiB)
life initialise, list, finalise again (µs)
slot_list warm C_GetSlotList, count and list (µs)
search_nothing search, no objects (µs)
search_1000 search, 1,000 objects (µs)
search_1_of_1000 search, 1 of 1,000 objects (µs)
find_objects_1000 C_FindObjects, 1,000 handles (µs)
streebog_512_16KiB C_Digest, Streebog-512 of 16 KiB (µs)
growth growth over a million calls (KiB)
open_close_alone C_OpenSession and C_CloseSession (µs)
open_close_among_10000 … among 10,000 sessions (µs)
session_info_alone C_GetSessionInfo (µs)
session_info_among_10000 … among 10,000 sessions (µs)
token_info_alone C_GetTokenInfo (µs)
token_info_among_10000 … among 10,000 sessions (µs)
close_of_10000 C_CloseSession, each of 10,000 (µs)
END

echo
echo '| the list of readers, ms | kanal readers | pkcs11-tool -L | ratio |'
echo '| --- | ---: | ---: | ---: |'
while IFS='|' read -r kind first second ratio; do
    echo "| $kind time | $first | $second | $ratio |"
done < <("$root/Benchmarks/Module/pairs.py" 30 "$kanal readers" "pkcs11-tool --module $module -L")

expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type GOSTR3410:A --id 01
echo
echo '| GOST signatures in a second | 1 thread | 16 threads | ratio |'
echo '| --- | ---: | ---: | ---: |'
for login in reset sticky; do
    configure "plain_login = $login"
    IFS='|' read -r one many ratio < <(./threads "$module" $pin 640)
    echo "| plain_login = $login | $one | $many | $ratio |"
done
