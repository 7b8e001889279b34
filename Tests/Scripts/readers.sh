#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kanal with every model of token, among them one with T=0, and with tokens in two readers at once.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

# Signs the message with key 01 of the token in the slot; OpenSSL verifies.
signature() {
    tool --login --pin $pin --sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o "signature.$slot"
    ./public_key "$slot" 01 > "public_key.$slot"
    expect 0 openssl dgst -md_gost12_256 -verify "public_key.$slot" -keyform DER -signature "signature.$slot" message
}

prepare
start_pcscd
head -c 1000 /dev/urandom > message

# ---- Every model ----

for identity in usb3 flash3 ecp2 sc; do
    attach $identity $identity --trace "$work/trace"
    tool --list-token-slots
    printed "$serial"
    tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label $identity
    signature
    tool --login --pin $pin --list-objects
    [ "$(grep -c 'Key Object' output)" = 2 ] || fail "$identity: not two objects: $(cat output)"
    detach
    [ $identity != sc ] || grep -q '^> 00c00000' trace || fail "Kanal did not speak T=0"
    rm trace
    passed "$identity: OpenSSL verifies what the token signs"
done

attach lite lite --trace "$work/trace"
tool --list-mechanisms
! grep -q keySize output || fail "lite: mechanisms of a token that computes nothing: $(cat output)"
expect 0 "$kanal" doctor --probe
printed "^model: Rutoken Lite$"
printed "^way: plain$"
! grep -qi -e "$serial" -e Virtual output || fail "lite: the report names token or reader: $(cat output)"
! grep -qE '^> 00(20|d6|e0|e4|da|24|2c)' trace || fail "lite: more than reading: $(cat trace)"
detach
rm trace
passed "lite: no mechanisms, and a report that names neither token nor reader"

# ---- Two readers ----

attach usb3 usb3
first_serial=$serial
first_slot=$slot
attach_second sc sc
[ "$first_slot" != "$second_slot" ] || fail "two tokens in one slot"
expect 0 pkcs11-tool --module "$module" --list-token-slots
printed "$first_serial"
printed "$second_serial"

# Both at the same time, each with its own key.
both=()
for slot in "$first_slot" "$second_slot"; do
    (for _ in {1..5}; do signature; done) &
    both+=($!)
done
for process in "${both[@]}"; do wait "$process" || fail "a token was disturbed by the other"; done
! cmp -s "public_key.$first_slot" "public_key.$second_slot" || fail "two tokens with one key"
passed "tokens in two readers sign at the same time"

stop "$second_token"
others=()
slot=$first_slot
signature
passed "the one that stays goes on when the other leaves"

# ---- Two tokens for one reader ----

status=0
timeout 30 "$emulator" --identity usb3 --wait 1 > output 2>&1 || status=$?
[ "$status" = 1 ] || fail "a second token in the same reader: $status: $(cat output)"
printed "another one in it"
! grep -q ^attached: output || fail "a second token is in the same reader"
signature
passed "a reader takes one token, and the second one says so"

# ---- No service ----

# A service that hangs up on its clients, as pcscd does on users whom polkit refuses.
cat > refuse.py << 'END'
import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("refusing")
listener.listen()
while True:
    listener.accept()[0].close()
END
timeout 60 python3 refuse.py &
others+=($!)
wait_until test -S refusing
PCSCLITE_CSOCK_NAME=$work/nobody KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" -L
printed "No slots"
grep -q "there are no readers: pcscd does not run" log || fail "no word of a missing service: $(cat log)"
! grep -q "C_GetSlotList 0x[0-9]*[1-9]" log || fail "a list of slots fails: $(cat log)"
PCSCLITE_CSOCK_NAME=$work/refusing KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" -L
printed "C_GetSlotList.* failed: rv = CKR_FUNCTION_FAILED"
grep -q "pcscd refuses this process" log || fail "no word of a refusing service: $(cat log)"
PCSCLITE_CSOCK_NAME=$work/nobody KANAL_LOG=/dev/stderr expect 1 pkcs11-tool --module "$module" -L
printed "there are no readers"
passed "without pcscd there are no slots, and one that refuses is an error; the log tells why"
