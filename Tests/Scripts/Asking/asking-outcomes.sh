#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ends of questions, by programs that stand in for pinentry: the answers of C functions and kanal, and the calls
# that go on during a question.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
prepare ask
start_pcscd

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

stand_in says-pin : "D $pin\nOK"
stand_in says-no : 'ERR 83886179 Operation cancelled'
stand_in is-late : 'ERR 83886142 Timeout'

# Compares the output of "ask" with the expected one.
told() { [ "$(cat output)" = "$(printf '%s\n' "$@")" ] || fail "told instead of \"$*\":"$'\n'"$(cat output)"; }

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

for identity in usb bt; do
    insert $identity state-$identity
    if [ $identity = bt ]; then
        configure "authenticator = pinentry:$work/says-no" 'activation = ask'
        expect 0 ./ask "$serial"
        told 'C_OpenSession 0x54' 'C_OpenSession 0x54'
        was_asked 1
        kanal_ends 7 random 8
        was_asked 1
        for other in "$work/is-late" /no-such-program; do
            configure "authenticator = pinentry:$other" 'activation = ask'
            expect 0 ./ask "$serial"
            told 'C_OpenSession 0x54' 'C_OpenSession 0x54'
            rm -f asked
        done
        configure 'activation = ask'
        expect 0 ./ask "$serial"
        told 'C_OpenSession 0x54' 'C_OpenSession 0x54'
        stand_in says-password : "D $password\nOK"
        configure "authenticator = pinentry:$work/says-password" 'activation = ask'
        expect 0 pkcs11-tool --module "$module" --list-objects
        was_asked 1
        passed "bt: each end of a question for the activation password"
    fi

    configure "authenticator = pinentry:$work/says-pin"
    expect 0 ./ask "$serial"
    told 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
    was_asked 2
    kanal_ends 0 label x
    configure "authenticator = pinentry:$work/says-no"
    expect 0 ./ask "$serial"
    told 'C_OpenSession 0x0' 'C_Login 0x50' 'C_OpenSession 0x0' 'C_Login 0x50'
    kanal_ends 6 label x
    configure "authenticator = pinentry:$work/is-late"
    expect 0 ./ask "$serial"
    told 'C_OpenSession 0x0' 'C_Login 0x6' 'C_OpenSession 0x0' 'C_Login 0x6'
    kanal_ends 1 label x
    configure "authenticator = pinentry:/no-such-program"
    expect 0 ./ask "$serial"
    told 'C_OpenSession 0x0' 'C_Login 0x6' 'C_OpenSession 0x0' 'C_Login 0x6'
    kanal_ends 8 label x
    configure ''
    expect 0 ./ask "$serial"
    told 'C_OpenSession 0x0' 'C_Login 0x7' 'C_OpenSession 0x0' 'C_Login 0x7'
    kanal_ends 2 label x
    kanal_ends 9 label x --pin-source authenticator
    passed "$identity: each end of a question for a PIN, at C_Login and in kanal"
    rm -f asked
    detach
done

# While a question is open, another thread works with another token, and another process with the same one. The question
# stays open until this has ended, and three seconds more.
insert usb state-usb --trace trace
first=$serial
attach_second bt state-second
second_password=$(sed -n '/^activation password: /{s///p;q}' second.log)
"$kanal" pair "$second_serial" --password-source fd:5 5<<< "$second_password" > /dev/null
stand_in is-slow "while [ ! -e $work/enough ]; do sleep 0.1; done; sleep 3" "D $pin\nOK"
configure "authenticator = pinentry:$work/is-slow"
./ask "$first" "$second_serial" > output &
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
passed "while a question is open: a call on another slot took $longest ms at most, another process $milliseconds ms"

# Two processes that ask at once get an answer each.
rm -f asked
./ask "$first" > one &
one=$!
./ask "$first" > two
wait $one
cmp one two || fail "two processes: $(cat one two)"
grep -q 'C_Login 0x0' one || fail "two processes: $(cat one)"
was_asked 4
passed "two processes that ask at once get an answer each"

# ---- The recipe for a desktop: a window asks for the password of a new token, and for the PIN ----

rm -rf state-third
stop $second_token
detach
for display in {88..98}; do [ -e "/tmp/.X11-unix/X$display" ] || break; done
# Without -noreset it turns clients away while it resets itself after its last client.
Xvfb ":$display" -noreset -screen 0 800x600x24 > xvfb.log 2>&1 &
others+=($!)
export DISPLAY=:$display
wait_until xdotool getdisplaygeometry || fail "no display: $(cat xvfb.log)"
configure 'authenticator = pinentry:pinentry-gtk-2' 'activation = ask'
insert bt state-third
setsid --wait ./ask "$serial" > output 2>&1 < /dev/null &
asking=$!

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

answer "$password"
answer $pin
answer $pin
wait $asking || fail "$(cat output)"
told 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
unset DISPLAY
passed "a window on a desktop asks for the activation password and the PIN"

# ---- The recipe for a service: a file, or a credential of systemd ----

printf '%s\n' $pin > token.pin
chmod 600 token.pin
configure '[program ask]' "authenticator = file:$work/token.pin"
expect 0 ./ask "$serial"
told 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
expect 1 pkcs11-tool --module "$module" --login --list-objects < /dev/null
configure 'authenticator = credential:token.pin'
CREDENTIALS_DIRECTORY=$work expect 0 ./ask "$serial"
told 'C_OpenSession 0x0' 'C_Login 0x0' 'C_OpenSession 0x0' 'C_Login 0x0'
passed "a file and a credential answer for a service"
