#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The ends of questions, by programs that stand in for pinentry: the answers of C functions and kanal, and the calls that go on
# during a question.
# bats file_tags=apart
load ../common

setup_file() {
    prepare ask
    start_pcscd
    stand_in says-pin : "D $pin\nOK"
    stand_in says-no : 'ERR 83886179 Operation cancelled'
    stand_in is-late : 'ERR 83886142 Timeout'
}

teardown() {
    unconfigure
    detach
}

# A new token, with more options, no pairing, and no question yet.
fresh_token() {
    rm -rf state home/.local asked
    insert "$1" state "${@:2}"
}

# A program that answers GETPIN and CONFIRM after a command: name, command, lines.
stand_in() {
    cat > "$1" << END
#!/bin/sh
echo 'OK Pleased to meet you'
while read -r line; do
    case \$line in
        GETPIN|CONFIRM) echo asked >> $work/asked; $2; printf '$3\\n' ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
    chmod 700 "$1"
}

# Compares the output of "ask" with the expected one.
answered() { [ "$(cat output)" = "$(printf '%s\n' "$@")" ] || fail "answers instead of \"$*\":"$'\n'"$(cat output)"; }

# Compares the number of questions.
was_asked() {
    local count=0
    [ ! -e asked ] || count=$(wc -l < asked)
    [ "$count" = "$1" ] || fail "asked $count times instead of $1"
    rm -f asked
}

# The exit status of kanal, which has no terminal here.
kanal_ends() {
    local status=0
    setsid --wait "$kanal" "${@:2}" > output 2>&1 < /dev/null || status=$?
    [ "$status" = "$1" ] || fail "kanal ${*:2}: exit status $status instead of $1: $(cat output)"
}

@test "each end of a question for the activation password" {
    local other
    fresh_token bt
    configure "authenticator = pinentry:$work/says-no" 'activation = ask'
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x54' 'C_OpenSession 0x54'
    was_asked 1
    kanal_ends 7 random 8
    was_asked 1
    for other in "$work/is-late" /no-such-program; do
        configure "authenticator = pinentry:$other" 'activation = ask'
        expect 0 ./ask "$serial"
        answered 'C_OpenSession 0x54' 'C_OpenSession 0x54'
    done
    configure 'activation = ask'
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x54' 'C_OpenSession 0x54'
    rm -f asked
    stand_in says-password : "D $password\nOK"
    configure "authenticator = pinentry:$work/says-password" 'activation = ask'
    expect 0 pkcs11-tool --module "$module" --list-objects
    was_asked 1
}

pin_questions() {
    fresh_token "$1"
    if [ "$1" = bt ]; then "$kanal" pair "$serial" --password-source fd:5 5<<< "$password" > /dev/null; fi
    configure "authenticator = pinentry:$work/says-pin"
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
    was_asked 2
    kanal_ends 0 label x
    configure "authenticator = pinentry:$work/says-no"
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x50' 'C_OpenSession 0x0' 'C_Login 0x50'
    kanal_ends 6 label x
    configure "authenticator = pinentry:$work/is-late"
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x6' 'C_OpenSession 0x0' 'C_Login 0x6'
    kanal_ends 1 label x
    configure "authenticator = pinentry:/no-such-program"
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x6' 'C_OpenSession 0x0' 'C_Login 0x6'
    kanal_ends 8 label x
    configure ''
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x7' 'C_OpenSession 0x0' 'C_Login 0x7'
    kanal_ends 2 label x
    kanal_ends 9 label x --pin-source authenticator
}
@test "each end of a question for the PIN of a token without a channel, at C_Login and in kanal" { pin_questions usb; }
@test "each end of a question for the PIN of a token with a channel, at C_Login and in kanal" { pin_questions bt; }

# An answer that comes three seconds after the file "enough".
is_slow() {
    stand_in is-slow "while [ ! -e $work/enough ]; do sleep 0.1; done; sleep 3" "D $pin\nOK"
    configure "authenticator = pinentry:$work/is-slow"
}

@test "while a question is open, other slots and other processes work" {
    # The question stays open until this has ended, and three seconds more.
    local first longest before start milliseconds asking
    fresh_token usb --trace trace
    first=$serial
    attach_second bt state-second
    second_password=$(sed -n '/^activation password: /{s///p;q}' second.log)
    "$kanal" pair "$second_serial" --password-source fd:5 5<<< "$second_password" > /dev/null
    rm -f enough
    is_slow
    ./ask "$first" "$second_serial" > output 3>&- &
    asking=$!
    wait_until test -e asked
    before=$(wc -l < trace)
    start=$(date +%s%N)
    timeout 60 "$kanal" random 8 --token "$first" > /dev/null || fail "another process does not reach the token"
    milliseconds=$((($(date +%s%N) - start) / 1000000))
    [ "$(wc -l < trace)" -gt "$before" ] || fail "the other process did not reach the token"
    kill -0 $asking || fail "the question is not open any more"
    touch enough
    wait $asking || fail "$(cat output)"
    longest=$(sed -n 's/^longest \([0-9]*\) ms.*/\1/p' output)
    [ "$longest" -lt 3000 ] || fail "a call on another slot waited for the question: $longest ms"
    echo "a call on another slot took $longest ms at most, another process $milliseconds ms"
    stop "$second_token"
}

@test "two processes that ask at once get an answer each" {
    local one
    fresh_token usb
    touch enough
    is_slow
    ./ask "$serial" > one 3>&- &
    one=$!
    ./ask "$serial" > two
    wait $one
    cmp one two || fail "two processes: $(cat one two)"
    printed 'C_Login 0x0' one
    was_asked 4
}

# Types an answer into the window that asks, when it is there.
answer() {
    wait_until xdotool search --onlyvisible --class pinentry || fail "no window: $(cat output)"
    sleep 1
    xdotool type --delay 50 "$1"
    xdotool key Return
    for _ in {1..50}; do
        if ! xdotool search --onlyvisible --class pinentry > /dev/null 2>&1; then break; fi
        sleep 0.1
    done
}

@test "a window on a desktop asks for the activation password and the PIN" {
    local display asking
    for display in {88..98}; do [ -e "/tmp/.X11-unix/X$display" ] || break; done
    # Without -noreset it turns clients away while it resets itself after its last client.
    launch Xvfb ":$display" -noreset -screen 0 800x600x24 > xvfb.log 2>&1
    export DISPLAY=:$display
    wait_until xdotool getdisplaygeometry || fail "no display: $(cat xvfb.log)"
    configure 'authenticator = pinentry:pinentry-gtk-2' 'activation = ask'
    fresh_token bt
    setsid --wait ./ask "$serial" > output 2>&1 < /dev/null 3>&- &
    asking=$!

    answer "$password"
    answer $pin
    answer $pin
    wait $asking || fail "$(cat output)"
    answered 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
}

@test "a file and a credential answer for a service" {
    fresh_token usb
    printf '%s\n' $pin > token.pin
    chmod 600 token.pin
    configure '[program ask]' "authenticator = file:$work/token.pin"
    expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
    expect 1 pkcs11-tool --module "$module" --login --list-objects < /dev/null
    configure 'authenticator = credential:token.pin'
    CREDENTIALS_DIRECTORY=$work expect 0 ./ask "$serial"
    answered 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
}
