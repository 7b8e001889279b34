#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One file of the library, of the command and of the emulated token works with libcrypto.so.3 and with .4: each alone, both
# beside each other, one already loaded by the process, an incomplete one beside a whole one, and none. If none
# serves, each call that needs it reports why, and GOST works. LIBCRYPTO_4 is a libcrypto.so.4 of OpenSSL 4; without it a copy
# of .3 that bears the names of .4 replaces it.
# bats file_tags=apart
load ../common

setup_file() {
    local three
    # A file that bears the name of a library without being one ends the loader's search: it hides the library.
    three=$(ldconfig -p | sed -n 's/.*libcrypto.so.3 .*=> //p' | head -n 1)
    mkdir "$work"/{hidden,three,four,lacking3,lacking4}
    touch "$work"/hidden/libcrypto.so.{3,4}
    cp "${three:?no libcrypto.so.3}" "$work/three/libcrypto.so.3"
    if [ -n "${LIBCRYPTO_4:-}" ]; then
        cp "$LIBCRYPTO_4" "$work/four/libcrypto.so.4"
    else
        sed 's/libcrypto\.so\.3/libcrypto.so.4/g; s/OPENSSL_3\./OPENSSL_4./g' "$three" > "$work/four/libcrypto.so.4"
    fi
    # Nothing in libcrypto itself asks for this function, so that it is loaded without.
    sed "s/X509_get_pathlen/X509_get_pathlon/g" "$work"/three/libcrypto.so.3 > "$work"/lacking3/libcrypto.so.3
    sed "s/X509_get_pathlen/X509_get_pathlon/g" "$work"/four/libcrypto.so.4 > "$work"/lacking4/libcrypto.so.4
    prepare
    # shellcheck disable=SC2046
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
}

with_token() {
    detach
    attach usb token
}

# machine NAME...: the directories of libraries of the machine that is tried, the first one first.
machine() { path=$(printf "$work/%s:" "$@")$work/hidden; }
# uses NUMBER WAY [LIBRARY...]: a process that has loaded these libraries works by the libcrypto of that number.
uses() {
    LD_LIBRARY_PATH=$path KANAL_LOG=/dev/stderr expect 0 ./libcrypto "$module" "$2" "$slot" ec.der works "${@:3}"
    printed "libcrypto\.so\.$1 is used"
}
# refuses REASON [LIBRARY...]: nothing but GOST works, and each call reports why.
refuses() {
    LD_LIBRARY_PATH=$path KANAL_LOG=/dev/stderr expect 0 ./libcrypto "$module" default "$slot" ec.der fails "${@:2}"
    [ "$(grep -c "CKR_FUNCTION_FAILED.*$1.*install OpenSSL's library (libssl4 or libssl3" output)" = 4 ] \
        || fail "not every call says why: $(cat output)"
}

@test "either libcrypto is enough" {
    with_token
    machine three
    uses 3 default
    uses 3 deepbind
    machine four
    uses 4 default
    uses 4 deepbind
}

@test "of both the one that the process has is used, or the newer one; the name spaces of the loader are apart" {
    with_token
    machine three four
    uses 4 default
    uses 3 default libcrypto.so.3
    uses 3 deepbind libcrypto.so.3
    uses 4 default libcrypto.so.4
    uses 4 default libcrypto.so.3 libcrypto.so.4
    uses 4 apart libcrypto.so.3
}

@test "one that lacks a function gives its place to a whole one" {
    with_token
    machine lacking4 three
    uses 3 default
    uses 3 default libcrypto.so.4
    uses 3 default libcrypto.so.4 libcrypto.so.3
    machine lacking3 four
    uses 4 default
    uses 4 default libcrypto.so.3
}

@test "where none serves, GOST works, and the rest says why" {
    with_token
    machine lacking3
    refuses 'lacks functions'
    machine lacking3 lacking4
    refuses 'lacks functions'
    refuses 'lacks functions' libcrypto.so.3 libcrypto.so.4
    machine hidden
    refuses 'libcrypto.so.4 or .3 cannot be loaded'
}

# ---- The commands ----

@test "kanal and kanal-emulator compute RSA and ECDSA by either" {
    local number
    detach
    for number in three four; do
        machine $number
        LD_LIBRARY_PATH=$path insert usb token-$number
        PIN=$pin LD_LIBRARY_PATH=$path expect 0 "$kanal" key generate --kind rsa2048 --pin-source env:PIN
        LD_LIBRARY_PATH=$path expect 0 "$kanal" verify --cms --ca ec.pem content.p7s
        detach
    done
}

@test "kanal readers does without libcrypto, and with two threads beside the first" {
    with_token
    expect 0 strace -f -e trace=openat,clone,clone3 -o trace "$kanal" readers
    printed "$serial"
    printed libpcsclite trace
    not_printed libcrypto trace
    # One for signals, one to wait for readers.
    [ "$(grep -c 'clone3\?(' trace)" = 2 ] || fail "kanal readers starts other threads: $(grep clone trace)"
}

@test "without libcrypto they run, GOST works, and the rest says why" {
    detach
    machine hidden
    LD_LIBRARY_PATH=$path insert usb token-none 2> /dev/null
    printed "keys of RSA and ECDSA do not work: libcrypto.so.4 or .3 cannot be loaded" emulator.log
    PIN=$pin LD_LIBRARY_PATH=$path expect 0 "$kanal" key generate --pin-source env:PIN
    LD_LIBRARY_PATH=$path expect 1 "$kanal" verify --cms --ca ec.pem content.p7s
    printed "libcrypto.so.4 or .3 cannot be loaded: install OpenSSL's library"
}
