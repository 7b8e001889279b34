#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Examples/sign.c, which docs/Start/Programs.md shows: built with the installed library by pkg-config, with warnings as errors,
# it signs files, says how many tries a wrong PIN leaves, and goes on after a removal. OpenSSL with gost-engine verifies.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

make -s install PREFIX="$work/own" P11KIT_MODULES_DIR="$work/own/modules" > /dev/null
read -ra flags <<< "$(PKG_CONFIG_PATH=$work/own/lib/pkgconfig pkg-config --cflags --libs kanal-pkcs11)"
cc -std=c99 -D_DEFAULT_SOURCE -Wall -Wextra -Werror Examples/sign.c "${flags[@]}" -o "$work/sign"
prepare
start_pcscd
attach usb usb
pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 \
    > /dev/null 2>&1
./public_key "$slot" 01 > key.der
for number in 1 2 3; do head -c ${number}00000 /dev/urandom > file$number; done

# Whether the signature of a file is that of the token's key.
verified() {
    openssl dgst -engine gost -md_gost12_256 -keyform DER -verify key.der -signature "$1.sig" "$1" > /dev/null 2>&1 \
        || fail "OpenSSL does not verify $1.sig"
}

printf '%s\n' $pin file1 | expect 0 ./sign "$serial"
printed '^file1.sig$'
verified file1
passed "a file is signed, and OpenSSL verifies it"

printf '%s\n' 00000000 file2 | expect 1 ./sign "$serial"
printed 'tries left: 9$'
[ ! -e file2.sig ] || fail "a signature without the PIN"
passed "a wrong PIN is refused, with the number of tries left"

mkfifo names
./sign "$serial" < names > signed 2>&1 &
signing=$!
others+=($signing)
exec 9> names
printf '%s\n' $pin file2 >&9
wait_until grep -q '^file2.sig$' signed || fail "$(cat signed)"
detach
echo file3 >&9
exec 9>&-
wait_until grep -q "^put the token $serial in\$" signed || fail "$(cat signed)"
insert usb usb
wait $signing || fail "$(cat signed)"
grep -q '^file3.sig$' signed || fail "$(cat signed)"
verified file2
verified file3
passed "after a removal the work goes on"
