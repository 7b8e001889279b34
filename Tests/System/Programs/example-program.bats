#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Examples/sign.c, which docs/Start/Programs.md shows: built with the installed library by pkg-config, with warnings as errors,
# it signs files, reports the tries that are left after a wrong PIN, and goes on after a removal. OpenSSL with gost-engine
# verifies.
# bats file_tags=apart
load ../common

setup_file() {
    local flags number
    (cd "$root" && PREFIX=$work/own P11KIT_MODULES_DIR=$work/own/modules Packaging/install.sh install > /dev/null)
    read -ra flags <<< "$(PKG_CONFIG_PATH=$work/own/lib/pkgconfig pkg-config --cflags --libs kanal-pkcs11)"
    cc -std=c99 -D_DEFAULT_SOURCE -Wall -Wextra -Werror "$root/Examples/sign.c" "${flags[@]}" -o "$work/sign"
    prepare
    start_pcscd
    attach usb usb
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen \
        --key-type GOSTR3410-2012-256:A --id 01
    ./public_key "$slot" 01 > key.der
    for number in 1 2 3; do head -c ${number}00000 /dev/urandom > file$number; done
}

setup() {
    cd "$work"
    . ./.state
    rm -f ./*.sig
}

# The signature of a file is by the token's key.
verified() {
    expect 0 openssl dgst -engine gost -md_gost12_256 -keyform DER -verify key.der -signature "$1.sig" "$1"
}

@test "a file is signed, and OpenSSL verifies it" {
    expect 0 ./sign "$serial" <<< $pin$'\n'file1
    printed '^file1.sig$'
    verified file1
}

@test "a wrong PIN is refused, with the number of tries left" {
    expect 1 ./sign "$serial" <<< 00000000$'\n'file2
    printed 'tries left: 9$'
    [ ! -e file2.sig ] || fail "a signature without the PIN"
}

@test "after a removal the work goes on" {
    local signing
    mkfifo names
    ./sign "$serial" < names > signed 2>&1 3>&- &
    signing=$!
    adopt $signing
    exec 9> names
    printf '%s\n' $pin file2 >&9
    wait_until grep -q '^file2.sig$' signed || fail "$(cat signed)"
    detach
    echo file3 >&9
    exec 9>&-
    wait_until grep -q "^put the token $serial in\$" signed || fail "$(cat signed)"
    insert usb usb
    wait $signing || fail "$(cat signed)"
    printed '^file3.sig$' signed
    verified file2
    verified file3
}
