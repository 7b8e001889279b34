#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# share-faults.sh [SECONDS]: the effects on a shared token's program on the far machine when the link is cut for SECONDS
# (5), the token is taken out, another one comes, the share is killed, and the far pcscd is restarted. It logs in once.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Share/far.sh

seconds=${1:-5}
signatures=0

# One step of the application on the far machine, and the return value that it must have.
step() {
    local answer=
    echo "${*:2}" >&"${application[1]}"
    read -r -t 100 answer <&"${application[0]}" || true
    [ "$answer" = "$2 $1" ] || fail "\"$answer\" instead of $1 from: ${*:2}"$'\n'"$(cat share.log)"
    [ "$2" != sign ] || signatures=$((signatures + 1))
}

# The token has executed each signature once, and received this number of PINs since it was put in.
executed() {
    local signed=$(cat trace.* | grep -c '^> 002a9e9a')
    [ "$signed" = "$signatures" ] || fail "$signed executions of $signatures signatures"
    local shown=$(grep -c '^> 0020000208' "trace.$round" || true)
    [ "$shown" = "$1" ] || fail "$shown PINs reached the token instead of $1"
}

# Puts the token in, with a trace of its own.
round=0
put_in() {
    round=$((round + 1))
    insert usb token --trace "trace.$round"
}

prepare steps
make_machines
start_pcscd
start_far_pcscd
configure_far 'wireless_readers = Virtual PCD*' 'reconnect_window = 120'

put_in
start_share
pair_far
coproc application { far ./steps "$slot"; }
step 0x0 open
step 0x0 login $pin
step 0x0 keys
step 0x0 sign
executed 1

ip link set near down
sleep "$seconds"
ip link set near up
# After ten seconds of silence the share gives the connection up, logs the token out, and connects again when it can.
pins=1
if [ "$seconds" -gt 9 ]; then
    happens 2 '"event":"connected"'
    wait_for far_has_card || fail "the far reader lacks the token: $(cat share.log)"
    pins=2
fi
step 0x0 sign
executed $pins
passed "the link was cut for $seconds s: the program goes on"

stop "$token"
happens 1 '"state":"waitingForToken"'
wait_for far_has_no_card || fail "the far reader keeps a token that was taken out"
put_in
step 0x0 sign
executed 1
passed "the token was taken out: the far reader is empty; it is back: the program signs without another PIN entry"

stop "$token"
insert usb another --trace trace-another
happens 1 '"state":"wrongToken"'
sleep 1
far_has_no_card || fail "another token is shown to the far machine"
! grep -q '^> 0020' trace-another || fail "another token got a PIN: $(cat trace-another)"
stop "$token"
put_in
step 0x0 sign
executed 1
passed "another token: nothing of it is shared; the right one is back: the program goes on"

kill -KILL "$share"
wait "$share" 2> /dev/null || true
wait_for far_has_no_card || fail "the far reader keeps the token of a share that was killed"
expect 0 opensc-tool --card-driver default -s 00:2A:9E:9A:20:$(printf '07:%.0s' {1..31})07:40
printed "SW1=0x6"
start_share
! grep -q password share.log || fail "a second activation password"
step 0x0 sign
passed "the share was killed: the token is logged out; with another share, the program goes on"

stop "$far_pcscd"
start_far_pcscd
step 0x0 sign
passed "the far pcscd was restarted: the program goes on"

[ "$(cat trace.* | grep -c '^> 002a9e9a')" = $((signatures + 1)) ] || fail "a signature was executed twice"
eval "exec ${application[1]}>&-"
stop_share
"$kanal" share --host $far_address --json > other.log 2>&1 &
others+=($!)
wait_until grep -q '"event":"connected"' other.log || fail "no share: $(cat other.log)"
expect 1 "$kanal" share --host $far_address
printed "another program uses the token"
passed "a second share of the token is refused"

# A token that has the channel is carried through. It is away for 4 s, three times, while the program signs: calls wait, or
# the one whose command was lost with the token says so.
stop "${others[-1]}"
wait "${application_PID:-$!}" 2> /dev/null || true
stop "$token"
wait_for far_has_no_card || fail "the far reader keeps the token of a share that has ended"
insert bt token-bt
start_share
happens 1 '"way":"through"'
printf '%s\n' "$password" > password
expect 0 far "$kanal" pair --password-source file:password
wait_for far_has_slot || fail "the token has no slot on the far machine"
coproc application { far ./steps "$({ far ./activate "$serial" || true; } | sed -n 's/^slot: //p')"; }
step 0x0 open
step 0x0 login $pin
step 0x0 keys
answers=
for _ in 1 2 3; do
    step 0x0 sign
    stop "$token"
    { sleep 4 && exec "$emulator" --identity bt --state token-bt > emulator.log 2>&1; } &
    token=$!
    others+=("$token")
    answer=
    for _ in {1..20}; do
        echo sign >&"${application[1]}"
        read -r -t 100 answer <&"${application[0]}" || true
        [[ $answer == "sign 0x"@(0|32) ]] || fail "\"$answer\" while the token is away: $(cat share.log)"
        answers+=" ${answer#sign }"
        [ "$answer" != "sign 0x0" ] || break
    done
    [ "$answer" = "sign 0x0" ] || fail "the program does not go on: $answers"
done
eval "exec ${application[1]}>&-"
passed "through: the token was away for 4 s, three times: the program goes on;$answers"
echo "share-faults.sh: passed"
