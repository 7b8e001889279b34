#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How the library deals with pcscd, which serves a limited number of contexts to all processes together: many processes,
# tokens in two readers at once, and children that are forked in the middle of something.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

limit=24
prepare forks parallel steps
# One more is the emulator's, which keeps pcscd running.
start_pcscd --max-thread $((limit + 1))
attach usb first
first_slot=$slot

# ---- Many processes ----

if [ -n "$pcscd" ]; then
    export KANAL_LOG=$work/log
    mkfifo hold
    exec 9<> hold
    # A process that has a session, until the pipe is closed.
    hold() { { echo open; exec 9>&-; read -r < hold || true; } | ./steps "$slot" > "held.$1" 9>&- & }
    for number in $(seq $((limit - 2))); do hold "$number"; done
    for number in $(seq $((limit - 2))); do
        wait_until grep -q ^open "held.$number" || fail "process $number does not answer"
        grep -q '^open 0x0$' "held.$number" || fail "process $number of $limit: $(cat "held.$number"; tail -n 3 log)"
    done
    passed "$((limit - 2)) processes have a session while pcscd serves $limit contexts"

    for number in a b; do hold $number; done
    for number in a b; do wait_until grep -q '^open 0x0$' held.$number || fail "not $limit: $(cat held.$number)"; done
    expect 1 pkcs11-tool --module "$module" -L
    printed "C_GetSlotList.* failed: rv = CKR_FUNCTION_FAILED"
    expect 0 sh -c "echo open | ./steps $slot"
    printed '^open 0x6$'
    grep -q "pcscd refuses this process" log || fail "no word of the refusal: $(tail -n 3 log)"
    exec 9>&-
    wait_until pkcs11-tool --module "$module" --slot "$slot" -L || fail "no slots after the others' end"
    unset KANAL_LOG
    passed "a process for which pcscd has no context gets an error with a reason, and no empty list"
else
    skipped "many processes: a pcscd runs that the script has not started"
fi

# ---- Two tokens at once ----

attach_second sc second
for order in "$first_slot $second_slot $token" "$second_slot $first_slot $second_token"; do
    read -r slow other process <<< "$order"
    coproc program { ./parallel "$slow" "$other"; }
    ended=$program_PID
    read -r -t 30 answer <&"${program[0]}" || fail "no sessions with two tokens"
    kill -STOP "$process"
    echo >&"${program[1]}"
    read -r -t 30 answer <&"${program[0]}" || answer="nothing"
    kill -CONT "$process"
    [ "${answer%% *}" = answered ] || fail "a token that works holds up another: $answer"
    wait "$ended" || fail "a token that works holds up another: $? after $answer"
done
passed "a token that works holds up neither another one, nor the list of slots, nor who waits for events: $answer"
stop "$second_token"
others=()

# ---- Children ----

expect 0 ./forks "$first_slot" 200
passed "children that are forked in the middle of calls work: $(cat output)"
