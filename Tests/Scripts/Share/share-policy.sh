#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# share-policy.sh [all]: the commands that a share allows to the far machine, its questions to its own user, and its end
# by itself; for some permissions, or for all.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Share/far.sh

tool=(far pkcs11-tool --module "$module")
login=(--login --pin $pin)
sign=(--sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o signature)
make_key=(--keypairgen --key-type GOSTR3410-2012-256:A --label more --id)

# Another share of the token, with more options. It leaves the far reader empty for a while by itself.
share_with() {
    stop_share
    start_share "$@"
}

# refused COMMAND TOOL...: the far program fails, the share reports the command, and it does not reach the token.
refused() {
    local before=$(grep -c "^> $1" trace || true)
    expect 1 "${tool[@]}" "${@:2}"
    happens 1 "\"command\":\"$1.*\"event\":\"refused\".*\"host\""
    [ "$(grep -c "^> $1" trace || true)" = "$before" ] || fail "the token got a command $1 that is not allowed"
}

# A login of the security officer gives this return value.
administer() {
    printf '%s\n' open 'administer 87654321' | far ./steps "$slot" > output 2>&1 || fail "steps: $(cat output)"
    grep -q "^administer $1\$" output || fail "not $1: $(cat output share.log)"
}

# The share ends by itself, and leaves the token logged out and the far reader empty.
ends() {
    wait_until sh -c "! kill -0 $share" || fail "$1: the share goes on: $(cat share.log)"
    wait "$share" || fail "$1: the share failed: $(cat share.errors)"
    happens 1 '"state":"completed"'
    wait_for far_has_no_card || fail "$1: the far reader keeps the token"
    expect 0 opensc-tool --card-driver default -s 00:2A:9E:9A:20:$(printf '07:%.0s' {1..31})07:40
    printed "SW1=0x6"
}

prepare steps
make_machines
start_pcscd
start_far_pcscd
configure_far 'wireless_readers = Virtual PCD*'
insert usb near --trace trace
head -c 1000 /dev/urandom > message

start_share
pair_far
expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 01

share_with --allow read
expect 0 "${tool[@]}" --list-objects
printed 'Public Key Object'
refused 00200002 "${login[@]}" --list-objects
passed "--allow read: public objects are listed, a login is refused"

# A pinentry whose answer is "yes" if there is a file of this name.
cat > pinentry << END
#!/bin/sh
echo OK
while read -r line; do
    echo "\$line" >> "$work/asked"
    case \$line in
        CONFIRM) if [ -e "$work/yes" ]; then echo OK; else echo 'ERR 83886194 Not confirmed'; fi ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
chmod 700 pinentry
asked() { grep -c ^CONFIRM asked || true; }
expect 9 "$kanal" share --host $far_address --confirm login
printed authenticator
configure "authenticator = pinentry:$work/pinentry"

share_with --allow read,sign --confirm login
expect 1 "${tool[@]}" "${login[@]}" "${sign[@]}"
happens 1 '"event":"declined".*"reason":"login"'
touch yes
: > asked
expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
[ "$(asked)" = 1 ] || fail "$(asked) questions instead of one: $(cat asked)"
grep -q "SETDESC.*login.*$serial" asked || fail "the question does not say what and which token: $(cat asked)"
passed "--confirm login: nobody logs in without the user's consent, who is asked once"
refused 00e0 "${login[@]}" "${make_key[@]}" 02
: > asked
administer 0x101
happens 1 '"command":"00200001.*"event":"refused"'
! grep -q '^> 00200001' trace || fail "the token got the PIN of the security officer"
[ "$(asked)" = 0 ] || fail "the user was asked for what is not allowed: $(cat asked)"
passed "--allow read,sign: signatures; no new key, no login of the security officer"

if [ "${1:-}" = all ]; then
    share_with --allow read,write
    expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 02
    refused "002[2a]" "${login[@]}" "${sign[@]}"
    passed "--allow read,write: a new key; no signature"

    share_with --allow read,admin
    administer 0x0
    refused 00200002 "${login[@]}" --list-objects
    passed "--allow read,admin: the security officer logs in; the user does not"
fi

share_with --once --confirm signature
expect 0 far "$kanal" pair --password-source file:password
sleep 4
kill -0 "$share" || fail "--once: pairing has ended the share: $(cat share.log)"
: > asked
expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
[ "$(asked)" = 2 ] || fail "$(asked) questions instead of two: $(cat asked)"
passed "--confirm signature: the user is asked for the login and for the signature"
ends --once
passed "--once: one run of a program with a login, however many sessions it opens; pairing is no use"
unconfigure

start_share --for 4s
expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
ends --for
passed "--for: the share ends in time, and the token is logged out"

detach
insert bt near-bt
for option in '--allow read' '--confirm login'; do
    [ "$option" != '--confirm login' ] || configure "authenticator = pinentry:$work/pinentry"
    expect 1 "$kanal" share --host $far_address $option
    printed 'has the channel itself'
done
passed "a token that has the channel is not shared with limits that nobody could keep"

start_share --once
printf %s "$password" > password
expect 0 far "$kanal" pair --password-source file:password
expect 0 "${tool[@]}" --list-objects
expect 0 far opensc-tool --atr
sleep 4
kill -0 "$share" || fail "--once: pairing, reading or a question for the card has ended the share: $(cat share.log)"
expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 01
ends --once
passed "--once with a token that has the channel: one run of a program with a login; pairing and reading are no use"

# A program that logs in and is killed.
start_share --once
wait_for far_has_slot || fail "the token has no slot on the far machine"
slot=$({ far ./activate "$serial" || true; } | sed -n 's/^slot: //p')
mkfifo words
far ./steps "$slot" < words > steps.log 2>&1 &
program=$!
others+=("$program")
exec 3> words
printf '%s\n' open "login $pin" key sign >&3
wait_until grep -q '^sign 0x0$' steps.log || fail "no signature: $(cat steps.log)"
sleep 4
kill -0 "$share" || fail "--once: the share has ended before the program did: $(cat share.log)"
kill -KILL "$program"
exec 3>&-
ends --once
passed "--once with a token that has the channel: the share ends after a program that was killed, and not before"
echo "share-policy.sh: passed"
