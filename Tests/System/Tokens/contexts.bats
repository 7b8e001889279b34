#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How the library deals with pcscd, which serves a limited number of contexts to all processes together: many processes,
# tokens in two readers at once, and children that are forked in the middle of something.
# bats file_tags=pcscd
load ../common

limit=24

setup_file() {
    prepare forks parallel steps
    # One more is the emulator's, which keeps pcscd running.
    start_pcscd --max-thread $((limit + 1))
    attach usb first
}

# Processes that have a session, until descriptor 9 is closed.
hold() {
    local name
    for name; do
        { echo open; exec 9>&-; read -r < hold || true; } | ./steps "$slot" > "held.$name" 3>&- 9>&- &
    done
    for name; do
        wait_until grep -q ^open "held.$name" || fail "process $name does not answer"
        grep -q '^open 0x0$' "held.$name" || fail "process $name of $limit: $(cat "held.$name"; tail -n 3 log)"
    done
}

@test "a process for which pcscd has no context gets an error with a reason, and no empty list" {
    needs_own_pcscd
    export KANAL_LOG=$work/log
    mkfifo hold
    exec 9<> hold
    # shellcheck disable=SC2046
    hold $(seq $((limit - 2)))
    hold a b
    expect 1 pkcs11-tool --module "$module" -L
    printed "C_GetSlotList.* failed: rv = CKR_FUNCTION_FAILED"
    expect 0 sh -c "echo open | ./steps $slot"
    printed '^open 0x6$'
    printed "pcscd refuses this process" log
    exec 9>&-
    wait_until pkcs11-tool --module "$module" --slot "$slot" -L || fail "no slots after the others' end"
}

@test "a token that works holds up neither another one, nor the list of slots, nor who waits for events" {
    local order slow other process answer ended
    attach_second sc second
    for order in "$slot $second_slot $token" "$second_slot $slot $second_token"; do
        read -r slow other process <<< "$order"
        coproc program { exec 3>&- && exec ./parallel "$slow" "$other"; }
        ended=$program_PID
        read -r -t 30 answer <&"${program[0]}" || fail "no sessions with two tokens"
        kill -STOP "$process"
        echo >&"${program[1]}"
        read -r -t 30 answer <&"${program[0]}" || answer="nothing"
        kill -CONT "$process"
        [ "${answer%% *}" = answered ] || fail "a token that works holds up another: $answer"
        wait "$ended" || fail "a token that works holds up another: $? after $answer"
    done
    stop "$second_token"
}

@test "children that are forked in the middle of calls work" { expect 0 ./forks "$slot" 200; }
