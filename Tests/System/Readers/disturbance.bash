#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# disturbance.bash DISTURBANCE KIND PROGRAMS ROUNDS: disturbs each operation with a token of this kind, with mounts and a pcscd
# of its own ("apart") and programs that "prepare" has built. Prints a line for each: moment, operation, the codes of the call
# and of the next one, milliseconds. Rounds behind the first disturb the call at random commands.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/System/application.bash
. Tests/System/usb-reader.bash

disturbance=$1 kind=$2 cell="$1, $2"
fail() {
    printf '%s: %s\n' "$cell" "$*" >&2
    exit 1
}
# In seconds: how long a disturbance lasts, how long a token may be away, and how long a call may take: 5 s behind both.
lasts=1.5
window=6
limit=8

# The application may have lost its token.
end() {
    close_input
    wait "$application_process" || true
}

# ---- The disturbances ----

# The disturbance goes on beside the call.
others=()
beside() {
    others+=("$1")
    adopt "$1"
}

# Does something in some seconds.
after() {
    (
        sleep "$1"
        "${@:2}"
    ) &
    beside $!
}

# Starts pcscd in some seconds.
start_call() {
    (
        sleep "$1"
        be_pcscd --config "$work/reader.conf"
    ) >> pcscd.log 2>&1 &
    pcscd=$!
    adopt $pcscd
}

# Ends pcscd, which waits for a command that is held back.
end_pcscd() {
    kill "-$1" "$pcscd"
    wait "$pcscd" 2> /dev/null || true
    pcscd=
}

# Another program does something to the card: before the call, or as soon as it gets the card.
another() {
    ./disturb "$@" > /dev/null &
    beside $!
    if [ "$moment" = before ]; then
        wait $! || fail "another program does not get the card"
    else
        sleep 0.2
    fi
}

# Another program keeps the card for some seconds.
retain() {
    rm -f held
    ./disturb transaction < <(exec sleep "$1") > held &
    holder=$!
    beside "$holder"
    if [ "$moment" = before ]; then
        wait_until test -s held || fail "another program does not get the card"
    else
        sleep 0.2
    fi
}

killed() { end_pcscd KILL && start_call $lasts; }
gone() { end_pcscd KILL; }
restarted() { end_pcscd TERM && start_call $lasts; }
replaced() { end_pcscd TERM && touch controls/other && start_call $lasts; }
stopped() { kill -STOP "$pcscd" && after $lasts kill -CONT "$pcscd"; }
exchanged() { kill -STOP "$pcscd" && touch controls/other && after 0.5 kill -CONT "$pcscd"; }
reset() { another reset; }
unpowered() { another unpower; }
held() { retain $lasts; }
kept() { retain 3; }
abandoned() { retain 4 && after $lasts kill -KILL $holder; }
slow() { after 3 rm -f controls/paused; }

# Whether the other card stays, so that the next call meets it.
is_exchange() { [[ $disturbance = exchanged || $disturbance = replaced ]]; }

# Whether the other card got a PIN: by VERIFY, CHANGE REFERENCE DATA or RESET RETRY COUNTER. One that was held back when the card
# was exchanged reaches the other card by a virtual reader, under the channel's keys, which that card has not got.
has_pin() {
    local second=.
    [ "$kind/$moment" != channel/random ] || second='[0-3]'
    grep -q "^> .$second\(20\|24\|2c\)" other.trace
}

# ---- One disturbance of one kind of token ----

# Ends the disturbance.
heal() {
    local process
    for process in "${others[@]}"; do wait "$process" 2> /dev/null || true; done
    others=()
    rm -f controls/{other,pause,paused}
    [ -n "$pcscd" ] || start_call $window
    wait_until sh -c './readers | grep -q ^card' ||
        fail "no card comes back: $(./readers; kill -0 "$pcscd" && tail -n 5 pcscd.log token.log)"
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "the token does not come back: $(tail -n 5 log)"
}

# Disturbs a step: before it is sent, or at one of its commands, unless it has less. The wait for an event has none, but is
# under way.
disturb() {
    local begun=${EPOCHREALTIME/./}
    if [ "$moment" = before ]; then
        "$disturbance"
        send "$@"
    else
        echo "$command" > controls/pause
        send "$@"
        for _ in {1..1000}; do
            if [ -e controls/paused ] || read -r -t 0 <&"${application[0]}"; then break; fi
            sleep 0.01
        done
        "$disturbance"
        [ "$disturbance" = slow ] || rm -f controls/paused
    fi
    hear "$3"
    took=$(((${EPOCHREALTIME/./} - begun) / 1000))
}

# The next call's result for the session and its login.
next() {
    case $1 in
        login/0x0)
            ask key
            [ "$answer" != 0x0 ] || ask sign
            ;;
        login/*) ask login $pin ;;
        *) ask sign ;;
    esac
}

# Prints how an operation ends, by both codes, and after how many milliseconds.
try() {
    local operation=$1 code
    moment=$2
    cell="$disturbance, $kind, $operation, $moment"
    begin open
    [ "$operation" = login ] || step 0x0 login $pin
    case $operation in
        login) disturb login $pin login ;;
        sign) step 0x0 key && disturb sign "" sign ;;
        keys) step 0x0 key && disturb keys "" keys ;;
        wait)
            if [ "$disturbance" = slow ]; then
                step 0x0 key
                echo 0 > controls/pause
                step 0x0 beside sign
                wait_until test -e controls/paused || fail "no command is held back"
                disturb finalize "" sign
            else
                step 0x0 beside wait
                disturb finalize "" wait
            fi
            ;;
    esac
    code=$answer
    if [ "$operation" = wait ]; then
        hear finalize
        heal
    elif is_exchange; then
        rm -f controls/pause
        next "$operation/$code"
        heal
    else
        heal
        next "$operation/$code"
    fi
    ! has_pin || fail "the other card got a PIN: $(cat other.trace)"
    ! grep -q '^>' other.trace || is_asked=yes
    : > other.trace
    echo "$moment $operation $code/$answer $took"
    end
}

# ---- All operations ----

built=$3 prepare disturb steps
seem_usb
export KANAL_LOG=$work/log
[ "$disturbance" != gone ] || { window=2 limit=7; }
busy=60
[ "$disturbance" != kept ] || busy=1
configure "busy_window = $busy"
case $kind in
    channel) configure "busy_window = $busy" 'wireless_readers = Virtual PCD *' "reconnect_window = $window" ;;
    waiting) configure "busy_window = $busy" "reconnect_window_wired = $window" ;;
esac
start_pcscd --config "$work/reader.conf"
"$emulator" --identity usb3 --state other --port 35964 --trace "$work/other.trace" > other.log 2>&1 &
adopt $!
if [ "$kind" = channel ]; then
    touch controls/virtual
    attach bt token
    timeout 60 ./activate "$serial" "$password" > /dev/null || fail "activation fails"
else
    attach usb3 token
fi
wait_until grep -q '^attached:' other.log || fail "the other token is not attached: $(cat other.log)"
: > other.trace
begin open "login $pin" keys
end
is_asked=no
for ((round = 0; round < $4; round++)); do
    command=$((round ? RANDOM % 8 : 0))
    for operation in login sign keys; do
        [ "$disturbance" = slow ] || try "$operation" before
        try "$operation" "$( ((round)) && echo random || echo in)"
    done
    try wait before
done
# Nothing is proven if the other card was never there.
! is_exchange || [ "$kind" = wired ] || [ "$is_asked" = yes ] || fail "the other card was asked nothing"
