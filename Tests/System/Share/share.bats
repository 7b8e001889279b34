#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A token of this machine on another one: "kanal share" on the near machine, pcscd with vpcd and the library on the far one. A
# token without a channel, for which the share is the end of one, and a Bluetooth token, which is carried through.
# bats file_tags=share
load ../common
load far

setup_file() {
    prepare
    can_be_two || return 0
    two_machines
}

teardown() {
    stop_share
    detach
    rm -f "$work/home-far/.config/kanal/kanal.conf"
}

# A new token of this identity, which is shared.
share_token() {
    rm -rf "near-$1" "trace.$1" home/.local home-far/.local
    insert "$1" "near-$1" --trace "trace.$1"
    start_share
}

on_far() { expect 0 far "$@"; }
tool() { on_far pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }

# Signs on the far machine with the key 01, and verifies.
signs() {
    tool --sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o signature
    expect 0 openssl dgst -md_gost12_256 -verify public_key.der -keyform DER -signature signature message
}

# works IDENTITY WAY: all steps of a user who shares a token.
works() {
    share_token "$1"
    happens 1 "\"event\":\"token\".*\"serial\":\"[0-9a-f]*$serial\".*\"way\":\"$2\""
    start_capture
    WRONG=1AAA-AAAA-AAAA-AAAA expect 4 far "$kanal" pair --password-source env:WRONG
    [ "$2" = through ] || happens 1 '"event":"wrongPassword","slot":1.*"triesLeft":4'
    pair_far
    tool --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label one
    head -c 1000 /dev/urandom > message
    far ./public_key "$slot" 01 > public_key.der
    signs
    check_capture $pin "$(cat password)"
    follows_schema
}

# The ticks of the processor that the share has taken: hundredths of a second.
ticks() { awk '{ print $14 + $15 }' /proc/$share/stat; }

# An idle share uses less than a hundredth of a processor.
is_idle() {
    local before used
    before=$(ticks)
    sleep 2
    used=$(($(ticks) - before))
    [ $used -le 2 ] || fail "an idle share takes $used hundredths of a second in 2 s"
}

# Each line of the share follows the schema.
follows_schema() {
    expect 0 /usr/bin/python3 - "$root/docs/kanal.schema.json" share.log << 'PROGRAM'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
for line in open(sys.argv[2]):
    jsonschema.validate(json.loads(line), schema)
PROGRAM
}

# plain IDENTITY STATUS: a PIN in clear is refused with this status.
plain() {
    share_token "$1"
    expect 0 far opensc-tool --card-driver default -s 00:20:00:02:08:31:32:33:34:35:36:37:38
    printed "SW1=0x69, SW2=0x$2"
    happens 1 '"command":"00200002".*"event":"refusedPlain"'
    ! grep -q '00200002083132333435363738' "trace.$1" || [ "$1" = usb ] || fail "a plain PIN reached the token"
    is_idle
}

@test "a token without a channel is paired, and signs, on the far machine, and no secret is on the link" { works usb terminate; }
@test "a Bluetooth token is paired, and signs, on the far machine, and no secret is on the link" { works bt through; }
@test "a PIN in clear for a token without a channel is refused and logged; an idle share takes no processor" { plain usb 87; }
@test "a PIN in clear for a Bluetooth token is refused and logged; an idle share takes no processor" { plain bt 82; }

# The findings of "kanal doctor" on the far machine.
doctor() { far "$kanal" doctor --json > "$1" 2>&1 || true; }
@test "kanal doctor on the far machine says that the reader looks wired, until it does not matter" {
    local line
    share_token usb
    pair_far
    doctor found
    printed '"check" : "reader.wireless"' found
    for line in 'wireless_readers = Virtual PCD*' 'require_sm = on'; do
        configure_far "$line"
        doctor found
        grep -q '"findings"' found && ! grep -q '"check" : "reader.wireless"' found || fail "$line: $(cat found)"
    done
}

@test "a machine that has paired sends no PIN to a token with this serial number that has no channel" {
    share_token usb
    pair_far
    stop_share
    wait_for far_has_no_card || fail "the far reader keeps the token"
    detach
    # The owner of the link presents the token itself, or one with its serial number, without the share.
    launch far "$emulator" --identity usb --state near-usb --trace trace.plain > plain.log 2>&1
    wait_for far_has_card || fail "the token does not appear in the far reader: $(cat plain.log)"
    expect 1 far pkcs11-tool --module "$module" --login --pin $pin --list-objects
    not_printed '^> 0020' trace.plain
    printed '^> ' trace.plain
    stop "$launched"
    wait_for far_has_no_card || fail "the far reader keeps the token"
}
