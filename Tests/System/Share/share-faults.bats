#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The effects on a shared token's program on the far machine when the link is cut for five seconds, or a minute by night, the
# token is taken out, another one comes, the share is killed, and the far pcscd is restarted. It logs in once.
# bats file_tags=apart
load ../common
load far

setup_file() {
    prepare steps
    can_be_two || return 0
    two_machines
    configure_far 'wireless_readers = Virtual PCD*' 'reconnect_window = 120'
}

teardown() {
    stop_share
    detach
}

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
    local signed shown
    signed=$(cat trace.* | grep -c '^> 002a9e9a')
    [ "$signed" = "$signatures" ] || fail "$signed executions of $signatures signatures"
    shown=$(grep -c '^> 0020000208' "trace.$round" || true)
    [ "$shown" = "$1" ] || fail "$shown PINs reached the token instead of $1"
}

# Puts the token in, with a trace of its own.
put_in() {
    round=$((round + 1))
    insert "${1:-usb}" token --trace "trace.$round"
}
# A token that is new, to the far machine, too.
new_token() {
    rm -rf token trace* home/.local home-far/.local
    round=0
    signatures=0
    put_in "$1"
}

# A program of the far machine has logged in.
begin_steps() {
    pair_far
    coproc application { far ./steps "$slot" 3>&-; }
    step 0x0 open
    step 0x0 login $pin
    step 0x0 keys
}
# It has signed, with a token without a channel.
begin() {
    seconds=$(amount 5 60)
    new_token usb
    start_share
    begin_steps
    step 0x0 sign
    executed 1
}
# It ends; the token has executed nothing twice.
end() {
    [ "$(cat trace.* | grep -c '^> 002a9e9a')" = "$signatures" ] || fail "a signature was executed twice"
    eval "exec ${application[1]}>&-"
}

@test "the link is cut: the program goes on" {
    local pins
    begin
    ip link set near down
    sleep "$seconds"
    ip link set near up
    # After ten seconds of silence the share drops the connection, logs the token out, and connects again when it can.
    pins=1
    if [ "$seconds" -gt 9 ]; then
        happens 2 '"event":"connected"'
        wait_for far_has_card || fail "the far reader lacks the token: $(cat share.log)"
        pins=2
    fi
    step 0x0 sign
    executed $pins
    end
}

@test "the token is taken out, and back: the far reader is empty, then the program signs without another PIN entry" {
    begin
    stop "$token"
    happens 1 '"state":"waitingForToken"'
    wait_for far_has_no_card || fail "the far reader keeps a token that was taken out"
    put_in
    step 0x0 sign
    executed 1
    end
}

@test "another token comes: nothing of it is shared; the right one is back: the program goes on" {
    begin
    stop "$token"
    insert usb another --trace trace-another
    happens 1 '"state":"wrongToken"'
    sleep 1
    far_has_no_card || fail "another token is shown to the far machine"
    not_printed '^> 0020' trace-another
    stop "$token"
    put_in
    step 0x0 sign
    executed 1
    end
}

@test "the share is killed: the token is logged out; with another share, the program goes on" {
    begin
    kill -KILL "$share"
    wait_for far_has_no_card || fail "the far reader keeps the token of a share that was killed"
    is_logged_out
    start_share
    not_printed password share.log
    step 0x0 sign
    # The refused signature of the test is in the trace, too.
    signatures=$((signatures + 1))
    end
}

@test "the far pcscd is restarted: the program goes on" {
    begin
    stop "$far_pcscd"
    start_far_pcscd
    step 0x0 sign
    end
}

@test "a second share of the token is refused" {
    new_token usb
    launch "$kanal" share --host $far_address --json > other.log 2>&1
    wait_until grep -q '"event":"connected"' other.log || fail "no share: $(cat other.log)"
    expect 1 "$kanal" share --host $far_address
    printed "another program uses the token"
    stop "$launched"
}

@test "a token with a channel is away for 4 s, three times, while the program signs: calls wait, or one says that it was lost" {
    local answer answers
    new_token bt
    start_share
    happens 1 '"way":"through"'
    begin_steps
    answers=
    for _ in 1 2 3; do
        step 0x0 sign
        stop "$token"
        launch sh -c 'sleep 4 && exec "$0" --identity bt --state token' "$emulator" > emulator.log 2>&1
        token=$launched
        keep token
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
}
