#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kanal with every model of token, among them one with T=0, with tokens in two readers at once, and without pcscd.
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    start_pcscd
    head -c 1000 /dev/urandom > message
}

teardown() { detach; }

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

# Makes key 01.
make_key() { tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label "$1"; }

# Signs the message with key 01 of the token in the slot; OpenSSL verifies.
signature() {
    tool --login --pin $pin --sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o "signature.$slot"
    ./public_key "$slot" 01 > "public_key.$slot"
    expect 0 openssl dgst -md_gost12_256 -verify "public_key.$slot" -keyform DER -signature "signature.$slot" message
}

signs() {
    attach "$1" "$1" --trace "$work/trace"
    tool --list-token-slots
    printed "$serial"
    make_key "$1"
    signature
    tool --login --pin $pin --list-objects
    [ "$(grep -c 'Key Object' output)" = 2 ] || fail "not two objects: $(cat output)"
}

@test "OpenSSL verifies the signatures of a Rutoken ECP 3.0" { signs usb3; }
@test "OpenSSL verifies the signatures of a Rutoken ECP 3.0 with a disk" { signs flash3; }
@test "OpenSSL verifies the signatures of a Rutoken ECP 2.0" { signs ecp2; }

@test "OpenSSL verifies the signatures of a smart card, which speaks T=0" {
    signs sc
    printed '^> 00c00000' trace
}

@test "a Rutoken Lite has no mechanisms, and its report names neither token nor reader" {
    rm -f trace
    attach lite lite --trace "$work/trace"
    tool --list-mechanisms
    not_printed keySize
    expect 0 "$kanal" doctor --probe
    printed "^model: Rutoken Lite$"
    printed "^way: plain$"
    not_printed "$serial\|[Vv]irtual"
    # It only reads.
    not_printed '^> 00\(20\|d6\|e0\|e4\|da\|24\|2c\)' trace
}

@test "tokens in two readers sign at the same time, and one that stays goes on when the other leaves" {
    local both=() process first_slot
    attach usb3 pair-1
    first_slot=$slot
    attach_second sc pair-2
    [ "$first_slot" != "$second_slot" ] || fail "two tokens in one slot"
    expect 0 pkcs11-tool --module "$module" --list-token-slots
    printed "$serial"
    printed "$second_serial"
    for slot in "$first_slot" "$second_slot"; do
        make_key pair
        mkdir "beside.$slot"
    done
    # Each in a folder of its own.
    for slot in "$first_slot" "$second_slot"; do
        (
            exec 3>&-
            cd "beside.$slot"
            ln -s ../message ../public_key .
            for _ in {1..5}; do signature; done
        ) &
        both+=($!)
    done
    for process in "${both[@]}"; do wait "$process" || fail "the other token disturbs a token"; done
    refute cmp -s "beside.$first_slot/public_key.$first_slot" "beside.$second_slot/public_key.$second_slot"

    stop "$second_token"
    slot=$first_slot
    signature
}

@test "a reader takes one token, and the second one says so" {
    attach usb3 only
    make_key only
    expect 1 timeout 30 "$emulator" --identity usb3 --wait 1
    printed "another one in it"
    not_printed ^attached:
    signature
}

@test "without pcscd there are no slots, and the log names the cause" {
    PCSCLITE_CSOCK_NAME=$work/nobody KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" -L
    printed "No slots"
    printed "there are no readers: pcscd does not run" log
    not_printed "C_GetSlotList 0x[0-9]*[1-9]" log
    PCSCLITE_CSOCK_NAME=$work/nobody KANAL_LOG=/dev/stderr expect 1 pkcs11-tool --module "$module" -L
    printed "there are no readers"
}

@test "a pcscd that refuses is an error, and the log names the cause" {
    # It hangs up on its clients, as pcscd does on users whom polkit refuses.
    launch timeout 60 python3 -c '
import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("refusing")
listener.listen()
while True:
    listener.accept()[0].close()' > refuse.log 2>&1
    wait_until test -S refusing
    PCSCLITE_CSOCK_NAME=$work/refusing KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" -L
    printed "C_GetSlotList.* failed: rv = CKR_FUNCTION_FAILED"
    printed "pcscd refuses this process" log
}
