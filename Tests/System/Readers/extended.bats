#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# APDUs of extended length in a channel, behind a real pcscd with a driver of the test's
# (Tests/Programs/Token/usb_driver.c) whose reader announces them, does not, or announces and refuses them.
# bats file_tags=apart
load ../common
load ../usb-reader

setup_file() {
    prepare
    can_seem_usb || { skip_all "it takes root, and mounts and a pcscd of its own: Tests/System/apart bats …"; return; }
    cc -O2 -Wall -Wextra -Werror -I"$root/Include/CCryptoki" "$root/Benchmarks/RoundTrips/operations.c" -o operations -ldl
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj "/CN=Kanal" -outform DER -out certificate.der \
        2> /dev/null
    seem_usb
    touch controls/virtual
    start_pcscd --config "$work/reader.conf"
    attach bt token --extended
    ./activate "$serial" "$password" > output
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type rsa:2048 --id 01 \
        --label RSA
    detach
}

teardown() { rm -f controls/{extended,refuses}; }

# Does the operations on a copy of the token, whose commands are then in the file "trace": their name in messages.
work_as() {
    rm -rf copy trace
    cp -a token copy
    insert bt copy --extended --trace "$work/trace"
    ./operations "$module" $pin "$work/trace" certificate.der > "$1" || fail "$1: $(cat "$1")"
    detach
    not_printed '|-|' "$1"
}

# The number of commands of an operation: the file of work_as, the operation.
cost() { awk -F '|' -v name="$2" '$1 == name { print $2 }' "$1"; }

# Commands of the trace whose length fields have three bytes.
extended() { grep -cE '^> .{8}00.{4}' trace || true; }

# Compares what operations cost: the file of work_as, and how many commands for each of them.
costs() {
    local name found='' names=('C_Sign, RSA-2048' 'C_Sign, RSA-2048, again' 'C_Decrypt, RSA-2048'
        'C_CreateObject, certificate' 'search and CKA_VALUE of the certificate')
    for name in "${names[@]}"; do found="$found $(cost "$1" "$name")"; done
    [ "$found" = " $2" ] || fail "$1: the operations cost$found commands instead of $2"
}

@test "a reader that does not say that it takes extended length gets short commands" {
    work_as short
    [ "$(extended)" = 0 ] || fail "a command of extended length"
    costs short '4 3 4 9 1'
}

@test "a block of RSA goes in one command to a reader and a token that take it, as do the parts of a certificate" {
    echo 4096 > controls/extended
    work_as long
    [ "$(extended)" != 0 ] || fail "short commands only"
    costs long '2 1 2 5 1'
}

@test "a reader that refuses them, whatever it says, gets short commands for the rest of the connection" {
    local outcome
    echo 4096 > controls/extended
    for outcome in 0 1; do
        echo $outcome > controls/refuses
        work_as refused
        [ "$(extended)" = 0 ] || fail "the driver passes extended commands on"
    done
}
