#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libcrypto.sh [LIBRARY]: one file of the library, of the command and of the emulated token works with libcrypto.so.3 and
# with .4: each alone, both beside each other, one that the process has loaded, one that lacks a function beside a whole one,
# and none. Where none serves, each call that needs it says why, and GOST works. LIBRARY is a libcrypto.so.4 of OpenSSL 4;
# without it a copy of .3 that bears the names of .4 takes its place.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

# A file that bears the name of a library and is none ends the loader's search: the library is hidden by it.
three=$(ldconfig -p | sed -n 's/.*libcrypto.so.3 .*=> //p' | head -n 1)
mkdir "$work"/{hidden,three,four,lacking}
touch "$work"/hidden/libcrypto.so.{3,4}
export LC_ALL=C
# Nothing in libcrypto itself asks for this function, so that it is loaded without.
lacking() { sed "s/X509_get_pathlen/X509_get_pathlon/g" "$1" > "$work/lacking/${1##*/}"; }
cp "${three:?no libcrypto.so.3}" "$work/three/libcrypto.so.3"
if [ $# -gt 0 ]; then
    cp "$1" "$work/four/libcrypto.so.4"
else
    sed 's/libcrypto\.so\.3/libcrypto.so.4/g; s/OPENSSL_3\./OPENSSL_4./g' "$three" > "$work/four/libcrypto.so.4"
fi
lacking "$work/three/libcrypto.so.3"
lacking "$work/four/libcrypto.so.4"

prepare
cc -O2 -Wall -Wextra -Werror -I"$root/Include/CCryptoki" $(pkg-config --cflags p11-kit-1) \
    "$root/Tests/Programs/Token/libcrypto.c" -o libcrypto -ldl
openssl ecparam -name prime256v1 -genkey -noout -out ec.key
openssl req -x509 -new -key ec.key -subj /CN=signer -days 30 -addext keyUsage=critical,digitalSignature -outform DER -out ec.der
openssl x509 -inform DER -in ec.der -out ec.pem
head -c 100000 /dev/zero > content
openssl cms -sign -binary -in content -signer ec.pem -inkey ec.key -outform DER -cades -out content.p7s
start_pcscd
attach usb token
# The configuration of the process names an engine, which is linked with one libcrypto.
export OPENSSL_CONF=/dev/null

# machine NAME...: the directories of libraries of the machine that is tried, the first one first.
machine() { path=$(printf "$work/%s:" "$@")$work/hidden; }
# uses NUMBER WAY [LIBRARY...]: a process that has loaded these libraries works by the libcrypto of that number.
uses() {
    LD_LIBRARY_PATH=$path KANAL_LOG=/dev/stderr expect 0 ./libcrypto "$module" "$2" "$slot" ec.der works "${@:3}"
    printed "libcrypto\.so\.$1 is used"
}
# refuses REASON [LIBRARY...]: nothing but GOST works, and each call says why.
refuses() {
    LD_LIBRARY_PATH=$path KANAL_LOG=/dev/stderr expect 0 ./libcrypto "$module" default "$slot" ec.der fails "${@:2}"
    [ "$(grep -c "CKR_FUNCTION_FAILED.*$1.*install OpenSSL's library (libssl4 or libssl3" output)" = 4 ] \
        || fail "not every call says why: $(cat output)"
}

machine three
uses 3 default
uses 3 deepbind
machine four
uses 4 default
uses 4 deepbind
passed "either is enough"

machine three four
uses 4 default
uses 3 default libcrypto.so.3
uses 3 deepbind libcrypto.so.3
uses 4 default libcrypto.so.4
uses 4 default libcrypto.so.3 libcrypto.so.4
uses 4 apart libcrypto.so.3
passed "of both the one that the process has is used, or the newer one; the name spaces of the loader are apart"

mkdir "$work"/{lacking3,lacking4}
mv lacking/libcrypto.so.3 lacking3
mv lacking/libcrypto.so.4 lacking4
machine lacking4 three
uses 3 default
uses 3 default libcrypto.so.4
uses 3 default libcrypto.so.4 libcrypto.so.3
machine lacking3 four
uses 4 default
uses 4 default libcrypto.so.3
passed "one that lacks a function gives its place to a whole one"

machine lacking3
refuses 'lacks functions'
machine lacking3 lacking4
refuses 'lacks functions'
refuses 'lacks functions' libcrypto.so.3 libcrypto.so.4
machine hidden
refuses 'libcrypto.so.4 or .3 cannot be loaded'
passed "where none serves, GOST works, and the rest says why: $(sed -n 's/.*CKR_FUNCTION_FAILED: //p' output | tail -n 1)"

# ---- The commands ----

detach
for number in three four; do
    machine $number
    LD_LIBRARY_PATH=$path insert usb token-$number
    PIN=$pin LD_LIBRARY_PATH=$path expect 0 "$kanal" key generate --kind rsa2048 --pin-source env:PIN
    LD_LIBRARY_PATH=$path expect 0 "$kanal" verify --cms --ca ec.pem content.p7s
    detach
done
passed "kanal and kanal-emulator compute RSA and ECDSA by either"

insert usb token-three
if strace -V > /dev/null 2>&1; then
    expect 0 strace -f -e trace=openat,clone,clone3 -o trace "$kanal" readers
    printed "$serial"
    grep -q 'libpcsclite' trace || fail "strace shows no libraries"
    ! grep 'libcrypto' trace || fail "kanal readers loads libcrypto"
    # One for signals, one that may wait for readers.
    [ "$(grep -c 'clone3\?(' trace)" = 2 ] || fail "kanal readers starts other threads: $(grep clone trace)"
    passed "kanal readers does without libcrypto, and with two threads beside the first"
else
    skipped "what kanal readers loads: strace is missing"
fi
detach

machine hidden
LD_LIBRARY_PATH=$path insert usb token-none 2> /dev/null
grep -q "keys of RSA and ECDSA do not work: libcrypto.so.4 or .3 cannot be loaded" emulator.log || fail "$(cat emulator.log)"
PIN=$pin LD_LIBRARY_PATH=$path expect 0 "$kanal" key generate --pin-source env:PIN
LD_LIBRARY_PATH=$path expect 1 "$kanal" verify --cms --ca ec.pem content.p7s
printed "libcrypto.so.4 or .3 cannot be loaded: install OpenSSL's library"
passed "without libcrypto they run, GOST works, and the rest says why: $(tail -n 1 output)"
echo "libcrypto.sh: passed"
