#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A token of this machine on another one: "kanal share" on the near machine, pcscd with vpcd and the library on the far
# one. A token without a channel, for which the share is the end of one, and a Bluetooth token, which is carried through.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Share/far.sh

on_far() { expect 0 far "$@"; }
tool() { on_far pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }

# Signs on the far machine with the key 01, and verifies.
signs() {
    tool --sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o signature
    expect 0 openssl dgst -md_gost12_256 -verify public_key.der -keyform DER -signature signature message
}

# works IDENTITY WAY: all steps of a user who shares a token.
works() {
    insert "$1" "near-$1" --trace "trace.$1"
    start_share
    happens 1 "\"event\":\"token\".*\"serial\":\"[0-9a-f]*$serial\".*\"way\":\"$2\""
    [ "$2" = through ] || password=$(sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log)
    [ -n "$password" ] || fail "the share tells no password: $(cat share.log)"
    printf '%s\n' "$password" > password
    start_capture
    expect 4 far "$kanal" pair --password-source env:WRONG
    on_far "$kanal" pair --password-source file:password
    wait_for far_has_slot || fail "the token has no slot on the far machine"
    slot=$({ far ./activate "$serial" || true; } | sed -n 's/^slot: //p')
    tool --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label one
    head -c 1000 /dev/urandom > message
    far ./public_key "$slot" 01 > public_key.der
    signs
    check_capture $pin "$password"
    passed "$1, $2: a pairing and signatures on the far machine; on the link: $(cat output)"
}

# The ticks of the processor that the share has taken: hundredths of a second.
ticks() { awk '{ print $14 + $15 }' /proc/$share/stat; }

# An idle share takes less than a hundredth of a processor.
is_idle() {
    local before=$(ticks)
    sleep 2
    local used=$(($(ticks) - before))
    [ $used -le 2 ] || fail "$1: an idle share takes $used hundredths of a second in 2 s"
    passed "$1: an idle share takes $used hundredths of a second of the processor in 2 s"
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

# plain NAME STATUS: a PIN in clear is refused.
plain() {
    expect 0 far opensc-tool --card-driver default -s 00:20:00:02:08:31:32:33:34:35:36:37:38
    printed "SW1=0x69, SW2=0x$2"
    happens 1 '"command":"00200002".*"event":"refusedPlain"'
    ! grep -q '00200002083132333435363738' "trace.$1" || [ "$1" = usb ] || fail "a plain PIN reached the token"
    passed "$1: a PIN in clear is refused and logged"
}

export WRONG=1AAA-AAAA-AAAA-AAAA
prepare
make_machines
start_pcscd
start_far_pcscd

works usb terminate
plain usb 87
# doctor FILE: the findings of "kanal doctor" on the far machine.
doctor() { far "$kanal" doctor --json > "$1" 2>&1 || true; }
doctor found
grep -q '"check" : "reader.wireless"' found || fail "the doctor does not see a shared token that looks wired: $(cat found)"
for line in 'wireless_readers = Virtual PCD*' 'require_sm = on'; do
    configure_far "$line"
    doctor found
    grep -q '"findings"' found && ! grep -q '"check" : "reader.wireless"' found || fail "$line: $(cat found)"
done
passed "usb: kanal doctor on the far machine says that the reader looks wired, until it does not matter"
grep -q '"event":"wrongPassword","slot":1.*"triesLeft":4' share.log || fail "no wrong password: $(cat share.log)"
follows_schema
is_idle usb
stop_share
wait_for far_has_no_card || fail "the far reader keeps the token"
detach

# The owner of the link presents the token itself, or one with its serial number, without the share.
rm "$work/home-far/.config/kanal/kanal.conf"
far "$emulator" --identity usb --state near-usb --trace trace.plain > plain.log 2>&1 &
others+=($!)
wait_for far_has_card || fail "the token does not appear in the far reader: $(cat plain.log)"
expect 1 far pkcs11-tool --module "$module" --login --pin $pin --list-objects
! grep -q '^> 0020' trace.plain || fail "a PIN was sent to a token without a channel: $(cat trace.plain)"
grep -q '^> ' trace.plain || fail "nobody asked the token"
stop "${others[-1]}"
wait_for far_has_no_card || fail "the far reader keeps the token"
passed "usb: a machine that has paired sends no PIN to a token with this serial number that has no channel"

works bt through
plain bt 82
follows_schema
is_idle bt
stop_share
detach
echo "share.sh: passed"
