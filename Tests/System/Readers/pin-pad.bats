#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A reader with a PIN pad (PC/SC part 10), behind a real pcscd with a driver of the test's that types
# (Tests/Programs/Token/pin_pad_driver.c): programs of PKCS #11, the command, and OpenSC beside them.
# bats file_tags=apart
load ../common
load ../usb-reader
load ../application
load ../opensc

setup_file() {
    prepare steps
    can_seem_usb || { skip_all "it takes root, and mounts and a pcscd of its own: Tests/System/apart bats …"; return; }
    reader_driver=pin_pad_driver
    make_reader
    start_pcscd --config "$work/reader.conf"
    attach usb token --trace "$work/trace"
    tool --login --pin $pin --keypairgen --key-type rsa:2048 --id 01 --label RSA
}

teardown() {
    [ ! -d controls ] || rm -f controls/*
    unconfigure
}

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

# The user will type these lines at the reader, and nothing behind them.
types() { printf '%s\n' "$@" > controls/typed; }

# All lines were typed, and the reader's requests have none of these PINs.
all_typed() {
    local typed
    [ ! -s controls/typed ] || fail "not typed: $(cat controls/typed)"
    for typed in "$@"; do not_printed "$(printf %s "$typed" | od -An -tx1 | tr -d ' \n')" controls/requests; done
}

@test "a token in a reader with a PIN pad has the flag, and pkcs11-tool logs in by the PIN that is typed" {
    expect 0 pkcs11-tool --module "$module" -L
    printed 'PIN pad present'
    types $pin
    tool --login --list-objects
    printed 'Private Key Object; RSA'
    all_typed $pin
    printed '^verify 1e1e820000' controls/requests
}

@test "the PIN that a program gives is taken, and nothing is typed" {
    tool --login --pin $pin --list-objects
    printed 'Private Key Object; RSA'
    [ ! -e controls/requests ] || fail "the reader was asked"
}

@test "a login by a typed PIN signs, is over after a reset by another program, and asks for nothing by itself" {
    types $pin
    begin open typed keys sign sign
    expect 0 opensc-tool --reset
    ask sign
    [ "$answer" = 0x101 ] || fail "$answer instead of CKR_USER_NOT_LOGGED_IN"
    types $pin
    step 0x0 typed
    step 0x0 key
    step 0x0 sign
    end
    all_typed $pin
}

@test "each end of an entry has its return value; only a wrong PIN spends a try" {
    begin open
    types cancel
    step 0x50 typed
    : > controls/typed
    step 0x50 typed
    types 12345
    step 0xA2 typed
    types $pin 24681357 24681358
    step 0xA1 change
    has_tries 10
    types 99999999
    step 0xA0 typed
    has_tries 9
    types $pin
    step 0x0 typed
    end
    has_tries 10
}

@test "the PIN is changed at the reader, by pkcs11-tool, too" {
    begin open
    types $pin 24681357 24681357
    step 0x0 change
    end
    all_typed $pin 24681357
    types 24681357 $pin $pin
    tool --change-pin
    all_typed 24681357 $pin
    tool --login --pin $pin --list-objects
}

@test "the reader's limits of a PIN's length count" {
    echo 9 > controls/least
    echo 12 > controls/most
    types $pin
    begin open
    step 0xA2 typed
    end
    printed '^verify 1e1e8200000c09' controls/requests
}

@test "kanal says what to type, asks again after a wrong PIN, and takes a source in place of that" {
    types 99999999 $pin
    expect 0 "$kanal" list
    printed "PIN of the token .*: type it at the reader"
    printed 'The PIN is wrong. 9 tries are left.'
    printed RSA
    all_typed $pin
    rm controls/requests
    echo $pin | expect 0 "$kanal" list --pin-source -
    [ ! -e controls/requests ] || fail "the reader was asked"
    types cancel
    expect 6 "$kanal" list
}

@test "an authenticator shows what to type while the reader waits, and is not asked for the PIN" {
    pinentry authenticator 00000000
    sed -i '/^while/i exec 4> '"$work/shown" authenticator
    sed -i 's/^    case/    echo "$line" >\&4\n    case/' authenticator
    configure "authenticator = pinentry:$work/authenticator"
    types $pin
    begin open typed
    end
    printed '^SETDESC.*Type the PIN at the reader\.' shown
    printed '^MESSAGE' shown
    not_printed GETPIN shown
}

@test "a file that answers for the user is read, and nothing is typed" {
    printf $pin > pin
    chmod 600 pin
    configure "authenticator = file:$work/pin"
    begin open typed keys
    end
    expect 0 setsid --wait "$kanal" list < /dev/null
    printed RSA
    [ ! -e controls/requests ] || fail "the reader was asked"
}

@test "pin_pad = off has neither the flag nor entries" {
    configure 'pin_pad = off'
    types $pin
    expect 0 pkcs11-tool --module "$module" -L
    not_printed 'PIN pad present'
    begin open
    step 0x7 typed
    end
    [ ! -e controls/requests ] || fail "the reader was asked"
}

@test "a reader without the two features shows no flag" {
    touch controls/none
    expect 0 pkcs11-tool --module "$module" -L
    not_printed 'PIN pad present'
}

@test "in a secure channel no PIN is typed at the reader" {
    detach
    attach bt channel
    configure 'wireless_readers = Virtual PCD *'
    PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
    find_slot "$serial"
    expect 0 pkcs11-tool --module "$module" -L
    not_printed 'PIN pad present'
    types $pin
    begin open
    step 0x7 typed
    step 0x0 login $pin
    end
    [ ! -e controls/requests ] || fail "the reader was asked"
    detach
    unconfigure
    attach usb token
}

@test "OpenSC shows the flag, too, and its driver of these tokens has nothing typed, where Kanal logs in" {
    detach
    insert usb formatted
    touch controls/none
    format Formatted
    rm controls/none
    types $pin
    expect 0 pkcs11-tool --module opensc-pkcs11.so -L
    printed 'PIN pad present'
    expect 1 pkcs11-tool --module opensc-pkcs11.so --login --list-objects
    printed 'CKR_FUNCTION_NOT_SUPPORTED'
    [ ! -e controls/requests ] || fail "the reader was asked"
    find_slot "$serial"
    tool --login --list-objects
    all_typed $pin
    printed '^verify 1e1e8200000f04' controls/requests
    detach
    attach usb token
}
